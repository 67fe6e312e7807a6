// A burst at one region, faster than any table: jobs that find no idle worker go to the next region, on hints
// of its leader or on what was learnt of it, the trace says so to the client and to `ringway explain`, and
// the other region's import cap holds.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

// Every arriving job earns a spill, so that few jobs show what otherwise takes many.
WorldPlan Plan(const std::string& mode, double import_cap_share) {
  return {.regions = {{"oslo", 1, 1},
                      {.name = "paris", .workers_per_router = 4, .import_cap_share = import_cap_share}},
          .rtt_ms = 60,
          .service_mean_s = 1,
          .dispatch = absl::StrCat("{mode: ", mode, ", spill: {share: 1}}")};
}

// Sent at once to the region with one worker.
std::vector<JobAnswer> Burst(SmallWorld& world, int jobs) {
  const auto door = world.Door("oslo-0");
  std::vector<JobCall> calls;
  for (int i = 0; i < jobs; ++i) {
    calls.push_back(JobCall::ToRouter(*door));
    calls.back().Send(Header(kTier, absl::StrCat("burst-", i)), "picture");
  }
  std::vector<JobAnswer> answers;
  for (JobCall& call : calls) answers.push_back(call.Await());
  return answers;
}

bool Spilled(const JobAnswer& answer) { return answer.end.trace().reason() == "spill"; }

double OsloForwards(SmallWorld& world) {
  return MetricValue(world.router("oslo-0").http(),
                     "ringway_router_forwards_total{reason=\"spill\",to=\"paris\"}")
      .value_or(0);
}

// The two regions are one machine: the leaders find out that the map's 60 ms are not true.
void ExpectMapCorrected(SmallWorld& world) {
  const auto corrected = [&] {
    return MetricValue(world.controller().http(), "ringway_controller_rtt_corrected_pairs").value_or(0) == 2;
  };
  ASSERT_TRUE(Eventually(corrected, Seconds(40)));
  const cli::Ran status = cli::Ringway({"status", "--controller", world.controller().grpc()});
  EXPECT_THAT(status.out,
              HasSubstr("round trips are measured to be others than the topology says, and used"));
  EXPECT_THAT(status.out, ::testing::ContainsRegex("oslo to paris [0-9]+ ms, not 60"));
}

class SpillTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SpillTest, ABurstGoesToTheNextRegionBeneathTheTable) {
  SmallWorld world(Plan(GetParam(), 1));
  ASSERT_TRUE(world.AwaitReady());
  const std::vector<JobAnswer> answers = Burst(world, 5);
  for (const JobAnswer& answer : answers) ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_GE(std::count_if(answers.begin(), answers.end(), Spilled), 2)
      << "one worker in oslo, four idle ones 60 ms away";
  EXPECT_GE(OsloForwards(world), 2);

  const auto spilled = std::find_if(answers.begin(), answers.end(), Spilled);
  EXPECT_EQ(spilled->end.trace().region(), "paris");
  EXPECT_EQ(spilled->end.trace().ring(), 1u);
  EXPECT_EQ(spilled->trailer("ringway-reason"), "spill");
  EXPECT_EQ(spilled->trailer("ringway-region"), "paris");
  // Both routers' parts, the one where it entered first.
  const std::string& id = spilled->end.trace().request_id();
  const cli::Ran told = cli::Ringway({"explain", id, "--controller", world.controller().grpc()});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("forwarded to paris-0 (spill)"));
  EXPECT_THAT(told.out, HasSubstr("oslo -> paris (spill, all)"));
  const std::size_t here = told.out.find("at router oslo-0 in oslo, where it entered");
  const std::size_t there = told.out.find("at router paris-0 in paris, forwarded by another router");
  ASSERT_NE(here, std::string::npos) << told.out;
  ASSERT_NE(there, std::string::npos) << told.out;
  EXPECT_LT(here, there) << told.out;
  if (std::string(GetParam()) == "ledger") ExpectMapCorrected(world);
}
INSTANTIATE_TEST_SUITE_P(BothModes, SpillTest, ::testing::Values("probe", "ledger"));

// Leaders tell each other of idle workers, with the controller and without: a burst starts in the next region
// at once, though hardly any job has earned a spill. When that region's leader is killed, the jobs have their
// own line.
TEST(HintsTest, ABurstStartsWhereWorkersAreIdle) {
  WorldPlan plan = Plan("ledger", 1);
  plan.dispatch = "{mode: ledger, spill: {share: 0.001}}";
  SmallWorld world(plan);
  ASSERT_TRUE(world.AwaitReady());
  const auto spilled = [&] {
    const std::vector<JobAnswer> answers = Burst(world, 5);
    for (const JobAnswer& answer : answers) EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
    return std::count_if(answers.begin(), answers.end(), Spilled);
  };
  EXPECT_TRUE(Eventually([&] { return spilled() == 4; })) << "one worker in oslo, four idle ones in paris";
  const std::string redirected = absl::StrCat("ringway_ledger_redirected_total{tier=\"", kTier, "\"}");
  EXPECT_GE(MetricValue(world.router("oslo-0").http(), redirected).value_or(0), 4);

  world.controller().Kill();
  EXPECT_TRUE(Eventually([&] { return spilled() == 4; })) << "no controller is needed for it";

  world.router("paris-0").Kill();
  EXPECT_EQ(spilled(), 0) << "nobody leaves for a region whose leader is dead";
}

TEST(ImportCapTest, TheReceiverRefusesWhatIsBeyondItsCapAndTheSenderKeepsIt) {
  // One of four workers in paris is open to others; both of oslo's routers think that it is theirs.
  WorldPlan plan = Plan("ledger", 0.25);
  plan.regions[0].routers = 2;
  SmallWorld world(plan);
  ASSERT_TRUE(world.AwaitReady());
  std::vector<JobCall> calls;
  const auto first = world.Door("oslo-0"), second = world.Door("oslo-1");
  for (int i = 0; i < 8; ++i) {
    calls.push_back(JobCall::ToRouter(i % 2 == 0 ? *first : *second));
    calls.back().Send(Header(kTier, absl::StrCat("capped-", i)), "picture");
  }
  int spilled = 0;
  for (JobCall& call : calls) {
    const JobAnswer answer = call.Await();
    EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
    spilled += Spilled(answer);
  }
  EXPECT_GE(spilled, 1);
  EXPECT_LE(spilled, 4) << "one at a time, a second each, while oslo's two workers do the rest";
  const std::string tier = absl::StrCat("{tier=\"", kTier, "\"}");
  const std::string paris = world.router("paris-0").http();
  EXPECT_TRUE(Eventually([&] {
    return MetricValue(paris, absl::StrCat("ringway_router_imports_refused_total", tier)).value_or(0) >= 1;
  }));
  EXPECT_TRUE(Eventually(
      [&] { return MetricValue(paris, absl::StrCat("ringway_router_imports", tier)).value_or(-1) == 0; }));
}

}  // namespace
}  // namespace ringway::live
