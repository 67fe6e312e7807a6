// kill -9 the controller under load: nobody notices, and the next one is obeyed.
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

TEST(ControllerKillTest, NoRequestFailsAndTheRestartedOneLeadsWithAHigherEpoch) {
  // A burst may find all workers of a region busy; its jobs wait then, as long as their deadline allows.
  SmallWorld world({.regions = {{"paris", 2, 2}, {"oslo", 2, 2}},
                    .service_mean_s = 0.15,
                    .dispatch = "{mode: probe, offersMax: 5000}"});
  ASSERT_TRUE(world.AwaitReady());
  const std::uint64_t epoch_before = world.Status()->epoch();

  // 60 % of the fleet's capacity.
  OpenLoop paris(
      {.routers = world.Doors("paris"), .tier = kTier, .rps = 16, .span = Seconds(9), .name = "p"});
  OpenLoop oslo(
      {.routers = world.Doors("oslo"), .tier = kTier, .rps = 16, .span = Seconds(9), .name = "o", .seed = 2});
  paris.Start();
  oslo.Start();
  ASSERT_TRUE(Eventually([&] { return paris.sent() > 30; }));
  world.controller().Kill();
  const std::size_t sent_at_kill = paris.sent();
  // A while without anybody in charge.
  ASSERT_TRUE(Eventually([&] { return paris.sent() > sent_at_kill + 30; }));

  world.controller().StartAgain();
  const Time restarted = absl::Now();
  std::uint64_t epoch_after = 0;
  const bool taken = Eventually([&] {
    const auto status = world.Status();
    if (!status) return false;
    epoch_after = status->epoch();
    return SmallWorld::AllHoldEpoch(*status, epoch_before + 1, world.routers().size());
  });
  const Duration taken_after = absl::Now() - restarted;
  ASSERT_TRUE(taken) << "routers did not take a table of the restarted controller";
  EXPECT_GT(epoch_after, epoch_before);
  EXPECT_LE(taken_after, Seconds(2));

  std::vector<JobRecord> records = paris.Finish();
  for (JobRecord& record : oslo.Finish()) records.push_back(std::move(record));
  const Tally tally = Count(records);
  std::printf("controller killed under load: %zu of %zu jobs done; epoch %lu -> %lu, all routers after %s\n",
              tally.done, tally.jobs, static_cast<unsigned long>(epoch_before),
              static_cast<unsigned long>(epoch_after), absl::FormatDuration(taken_after).c_str());
  EXPECT_EQ(tally.done, tally.jobs) << Failures(records);
  EXPECT_GT(tally.jobs, 200u);
}

}  // namespace
}  // namespace ringway::live
