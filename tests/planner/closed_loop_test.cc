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
      "%-7s age %2d s noise %2.0f %% cost error %2.0f %% seed %llu: settled %3d s overshoot %5.2f points "
      "churn %.3f %% swing %.2f points hot %.1f %%\n",
      who, c.metric_age_s, 100 * c.load_noise, 100 * c.cost_error_max,
      static_cast<unsigned long long>(c.seed), o.settled_s, 100 * o.overshoot, 100 * o.churn, 100 * o.swing,
      100 * o.hot_seconds);
}

class ClosedLoop : public testing::TestWithParam<std::tuple<int, double, double>> {};

TEST_P(ClosedLoop, SettlesAfterAStepAndStaysCalm) {
  const auto [age, noise, error] = GetParam();
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LoopConditions conditions{age, noise, error, seed};
    const LoopOutcome outcome = RunPlanner(conditions);
    Print("planner", conditions, outcome);
    EXPECT_LE(outcome.settled_s, age + 10);
    EXPECT_LT(outcome.overshoot, error > 0 ? 0.03 : 0.02);
    if (noise <= 0.02) {
      EXPECT_LE(outcome.churn, 0.001);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OldAndNoisyMetrics, ClosedLoop,
                         testing::Combine(testing::Values(5, 15, 30), testing::Values(0.02, 0.10),
                                          testing::Values(0.0, 0.15)));

// The run can tell good from bad: who feeds back measured load swings and never settles.
TEST(NaiveLoop, FeedingBackMeasuredLoadOscillates) {
  for (const int age : {5, 15, 30}) {
    const LoopConditions conditions{.metric_age_s = age};
    const LoopOutcome outcome = RunNaive(conditions);
    Print("naive", conditions, outcome);
    EXPECT_GT(outcome.settled_s, 500);
    EXPECT_GT(outcome.swing, 0.2);
    EXPECT_GT(outcome.hot_seconds, 0.3);
  }
}

}  // namespace
}  // namespace ringway::planner
