// Settling, overshoot and churn of the real planner and estimates in a closed loop; see closed_loop.h.
#include "tests/planner/closed_loop.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

constexpr std::uint64_t kSeeds = 5;

void Print(const char* who, const LoopConditions& c, const LoopOutcome& o) {
  std::printf(
      "%-7s report %2d s age %2d s CV %.0f cost error %2.0f %% seed %llu: settled %3d s overshoot %5.2f "
      "points "
      "churn %.4f %% tables %.2f a minute swing %.2f points hot %.1f %%\n",
      who, c.report_s, c.age_s, c.cv, 100 * c.cost_error_max, static_cast<unsigned long long>(c.seed),
      o.settled_s, 100 * o.overshoot, 100 * o.churn, o.tables, 100 * o.swing, 100 * o.hot_seconds);
}

class ClosedLoop : public testing::TestWithParam<std::tuple<int, int, double, double>> {};

TEST_P(ClosedLoop, SettlesAfterAStepAndStaysCalm) {
  const auto [report, age, cv, error] = GetParam();
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LoopConditions conditions{
        .report_s = report, .age_s = age, .cv = cv, .cost_error_max = error, .seed = seed};
    const LoopOutcome outcome = RunPlanner(conditions);
    Print("planner", conditions, outcome);
    // A step in the middle of a report shows whole in the next one; bursts take longer to be told from a
    // step.
    EXPECT_LE(outcome.settled_s, 2 * report + age + (cv > 1 ? 40 : 10));
    if (cv <= 1) {
      EXPECT_LT(outcome.overshoot, 0.02);
    }
    EXPECT_LE(outcome.churn, 0.001);
    EXPECT_LE(outcome.tables, cv > 1 ? 3 : 1);
  }
}

INSTANTIATE_TEST_SUITE_P(RareAndOldReports, ClosedLoop,
                         testing::Values(std::tuple(1, 1, 1.0, 0.0), std::tuple(1, 1, 1.0, 0.15),
                                         std::tuple(1, 1, 2.0, 0.15), std::tuple(1, 15, 1.0, 0.15),
                                         std::tuple(5, 1, 1.0, 0.15), std::tuple(15, 1, 1.0, 0.15),
                                         std::tuple(30, 1, 1.0, 0.15), std::tuple(30, 1, 2.0, 0.15)));

TEST(ClosedLoop, SlowWorkersAreRelievedBeforeHalfAMinute) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LoopConditions conditions{.demand_factor = 1, .slowness = 2, .seed = seed};
    const LoopOutcome outcome = RunPlanner(conditions);
    Print("slow", conditions, outcome);
    EXPECT_LE(outcome.settled_s, 30);
  }
}

// The run can tell good from bad: who feeds back measured load swings and never settles.
TEST(NaiveLoop, FeedingBackMeasuredLoadOscillates) {
  for (const int age : {5, 15, 30}) {
    const LoopConditions conditions{.age_s = age};
    const LoopOutcome outcome = RunNaive(conditions);
    Print("naive", conditions, outcome);
    EXPECT_GT(outcome.settled_s, 500);
    EXPECT_GT(outcome.swing, 0.2);
    EXPECT_GT(outcome.hot_seconds, 0.3);
  }
}

}  // namespace
}  // namespace ringway::planner
