// What live daemons recorded under load is lived again by `ringway sim replay`, to the bit: the tables of the
// controller, the actions of every router and every worker. So live and simulated decisions are the same.
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using testing::HasSubstr;

// The JSON that a replay prints.
std::string Replayed(const std::string& journal) {
  const ScratchFolder folder;
  auto child = runtime::ChildProcess::Start({RINGWAY_BIN_DIR "/ringway", "sim", "replay", journal, "--json"},
                                            folder.File("output"));
  EXPECT_TRUE(child.ok()) << child.status();
  const auto status = child->WaitFor(Minutes(1));
  std::ifstream file(folder.File("output"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << journal << "\n" << text;
  return text;
}

std::uint64_t Count(const std::string& json, const std::string& key) {
  const std::size_t at = json.find(absl::StrCat("\"", key, "\":"));
  if (at == std::string::npos) return 0;
  return std::strtoull(json.c_str() + at + key.size() + 3, nullptr, 10);
}

// How many jobs the workers did. One of them had two lives.
std::uint64_t WorkersComeOut(const SmallWorld& world, const std::string& killed) {
  std::uint64_t events = 0, taken = 0, done = 0, refused = 0;
  for (const auto& [name, worker] : world.workers()) {
    const std::string lived = Replayed(world.StateDir(name) + "/journal");
    EXPECT_THAT(lived, HasSubstr("\"identical\": true")) << name;
    EXPECT_EQ(Count(lived, "lives"), name == killed ? 2u : 1u) << name;
    EXPECT_GT(Count(lived, "taken"), 0u) << name;
    EXPECT_GT(Count(lived, "fences"), 0u) << name << " never heard of a leader";
    events += Count(lived, "events");
    taken += Count(lived, "taken");
    done += Count(lived, "done");
    refused += Count(lived, "refused");
  }
  std::printf("replayed: %zu workers %lu events, %lu offers taken, %lu done, %lu refused\n",
              world.workers().size(), events, taken, done, refused);
  return done;
}

TEST(LiveJournalTest, AllProgramsComeOutBitForBit) {
  SmallWorld world({.regions = {{"oslo", 2, 2, 60, 10}, {"paris", 2, 3, 49, 2}},
                    .rtt_ms = 20,
                    .service_mean_s = 0.2,
                    .service_law = "lognormal",
                    .dispatch = "{mode: ledger, waitingMax: 40}",
                    .worker_flags = {"--journal-mib", "16"},
                    .router_flags = {"--journal-mib", "64"}});
  ASSERT_TRUE(world.AwaitReady());
  // Oslo gets 130 % of what it can serve: tables change, jobs are forwarded, spill and are refused.
  OpenLoop oslo({.routers = world.Doors("oslo"),
                 .tier = kTier,
                 .rps = 26,
                 .span = Seconds(10),
                 .deadline_s = 2,
                 .name = "o"});
  OpenLoop paris({.routers = world.Doors("paris"),
                  .tier = kTier,
                  .rps = 12,
                  .span = Seconds(10),
                  .keyed = true,
                  .name = "p",
                  .seed = 2});
  oslo.Start();
  paris.Start();
  // A router and a worker die in mid-load and come back: the second life is a journal of its own.
  ASSERT_TRUE(Eventually([&] { return oslo.sent() > 80; }));
  world.router("oslo-1").Kill();
  world.router("oslo-1").StartAgain();
  world.worker("oslo-0-w0").Kill();
  world.worker("oslo-0-w0").StartAgain();
  const std::vector<JobRecord> o_records = oslo.Finish(), p_records = paris.Finish();
  const std::size_t jobs = o_records.size() + p_records.size();
  // Nobody is asked: what is on disk of a killed process has to do.
  world.controller().Kill();
  for (const auto& [name, router] : world.routers()) router->Terminate(Seconds(5));
  // They had no warning either.
  for (const auto& [name, worker] : world.workers()) worker->Kill();

  const std::string controller = Replayed(world.StateDir("controller") + "/journal");
  EXPECT_THAT(controller, HasSubstr("\"identical\": true"));
  EXPECT_GE(Count(controller, "tables"), 3u) << controller;
  EXPECT_GT(Count(controller, "events"), 50u);
  std::uint64_t events = 0, ended = 0;
  for (const auto& [name, router] : world.routers()) {
    const std::string lived = Replayed(world.StateDir(name) + "/journal");
    EXPECT_THAT(lived, HasSubstr("\"identical\": true")) << name;
    EXPECT_EQ(Count(lived, "lives"), name == "oslo-1" ? 2u : 1u);
    events += Count(lived, "events");
    ended += Count(lived, "jobs");
  }
  std::printf("replayed: controller %lu events, %lu tables; 4 routers %lu events, %lu jobs of %zu\n",
              Count(controller, "events"), Count(controller, "tables"), events, ended, jobs);
  // What was done by whoever sent it was done by a worker; of each what it had not written yet may be missing.
  const std::size_t answered = Count(o_records).done + Count(p_records).done;
  EXPECT_GE(WorkersComeOut(world, "oslo-0-w0") + world.workers().size(), answered);
  // Forwarded jobs end at two routers; those of the router that was killed never ended there.
  EXPECT_GT(ended, jobs * 9 / 10);
}

}  // namespace
}  // namespace ringway::live
