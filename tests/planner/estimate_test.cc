#include "controller/planner/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr RegionId kRegion(0);

std::shared_ptr<Tier> TierOf(int workers) {
  auto tier = std::make_shared<Tier>();
  tier->regions.push_back({.workers = workers});
  return tier;
}

absl::Time At(double seconds) { return absl::UnixEpoch() + absl::Seconds(seconds); }

// Feeds `seconds` samples of a region whose true cost is `cost`, load following the rate with the job's lag.
struct Plant {
  double cost;
  double load = 0;
  int second = 0;
  void Run(RegionEstimate& estimate, int seconds, double rps, double noise = 0, Rng* rng = nullptr) {
    for (int k = 0; k < seconds; ++k) {
      load = second == 0 ? cost * rps : load + (cost * rps - load) * -std::expm1(-1.0 / 5);
      ++second;
      const double seen = rng ? load * (1 + noise * rng->Normal()) : load;
      std::vector<Finding> findings;
      estimate.Observe({.at = At(second), .measured_load = seen, .started_rps = rps, .demand_rps = {rps}},
                       findings);
      EXPECT_TRUE(findings.empty());
    }
  }
};

TEST(LoadCost, PriorIsServiceTimeOverWorkers) {
  EXPECT_DOUBLE_EQ(LoadCostPrior(*TierOf(100), kRegion), 0.05);
  EXPECT_EQ(LoadCostPrior(*TierOf(0), kRegion), 0);
}

TEST(LoadCost, LearnsTheTruth) {
  RegionEstimate estimate(kRegion, TierOf(100));
  Plant plant{.cost = 0.0575};
  Rng rng(1);
  plant.Run(estimate, 400, 12, 0.02, &rng);
  const RegionLoad load = estimate.Load(At(400));
  EXPECT_NEAR(load.load_cost, 0.0575, 0.0575 * 0.01);
  EXPECT_LT(load.load_cost_low, 0.0575);
  EXPECT_GT(load.load_cost_high, 0.0575);
  EXPECT_LT(load.load_cost_high - load.load_cost_low, 0.1 * 0.0575);
}

TEST(LoadCost, ScatteringSamplesMoveTheEstimateLess) {
  const auto spread = [](double noise) {
    RegionEstimate estimate(kRegion, TierOf(100));
    Plant plant{.cost = 0.05};
    Rng rng(1);
    double low = 1;
    double high = 0;
    for (int k = 0; k < 40; ++k) {
      plant.Run(estimate, 20, 12, noise, &rng);
      const double cost = estimate.Load(At(plant.second)).load_cost;
      if (k < 10) continue;
      low = std::min(low, cost);
      high = std::max(high, cost);
    }
    return (high - low) / 0.05;
  };
  // Ten times the noise, but not nearly ten times the spread.
  EXPECT_LT(spread(0.2), 6 * spread(0.02));
}

TEST(LoadCost, IntervalNarrowsFromThePrior) {
  RegionEstimate estimate(kRegion, TierOf(100));
  const RegionLoad before = estimate.Load(At(0));
  Plant{.cost = 0.05}.Run(estimate, 100, 12);
  const RegionLoad after = estimate.Load(At(100));
  EXPECT_LT(after.load_cost_high - after.load_cost_low, 0.3 * (before.load_cost_high - before.load_cost_low));
}

// A step of the rate shows in the load only after a job's time; the estimate must not see it as a cheaper
// cost.
TEST(LoadCost, StepOfTheRateDoesNotMoveTheEstimate) {
  RegionEstimate estimate(kRegion, TierOf(100));
  Plant plant{.cost = 0.05};
  plant.Run(estimate, 100, 8);
  for (int k = 0; k < 30; ++k) {
    plant.Run(estimate, 1, 16);
    EXPECT_NEAR(estimate.Load(At(plant.second)).load_cost, 0.05, 1e-9);
  }
}

TEST(LoadCost, StaysWithinTheClamp) {
  for (double truth : {0.001, 5.0}) {
    RegionEstimate estimate(kRegion, TierOf(100));
    Plant{.cost = truth}.Run(estimate, 1000, truth > 1 ? 0.15 : 12);
    const double cost = estimate.Load(At(1000)).load_cost;
    EXPECT_GE(cost, 0.33 * 0.05 - 1e-12);
    EXPECT_LE(cost, 3 * 0.05 + 1e-12);
  }
}

TEST(LoadCost, SaturatedAndIdleSamplesDoNotTeach) {
  LoadCost cost(0.05, *TierOf(100));
  for (int k = 0; k < 500; ++k) cost.Add(At(k), {.load = 1, .started_rps = 40});  // twice what it serves
  EXPECT_DOUBLE_EQ(cost.value(), 0.05);
  LoadCost halved(0.05, *TierOf(100));
  // All that are left are busy.
  for (int k = 0; k < 500; ++k) halved.Add(At(k), {.load = 0.5, .started_rps = 40, .alive_share = 0.5});
  EXPECT_DOUBLE_EQ(halved.value(), 0.05);
  LoadCost idle(0.05, *TierOf(100));
  for (int k = 0; k < 500; ++k) idle.Add(At(k), {.load = 0.01});
  EXPECT_DOUBLE_EQ(idle.value(), 0.05);
}

// Workers that became slow are all busy, whatever is sent: how long requests take says what they cost.
TEST(LoadCost, LearnsFromServiceTimesWhereAllAreBusy) {
  LoadCost cost(0.05, *TierOf(100));  // 5 s each
  for (int k = 0; k < 60; ++k) cost.Add(At(k), {.load = 1, .started_rps = 40, .held_mean_s = 12});
  EXPECT_NEAR(cost.value(), 0.12, 0.12 * 0.05);
  for (int k = 60; k < 500; ++k) cost.Add(At(k), {.load = 1, .started_rps = 40, .held_mean_s = 50});
  EXPECT_NEAR(cost.value(), 3 * 0.05, 1e-9) << "no more than the clamp";
}

TEST(LoadCost, BusyNoiseInServiceTimesIsAveragedAway) {
  LoadCost cost(0.05, *TierOf(100));
  Rng rng(3);
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const double mean_s = 10 * std::max(0.1, 1 + 0.2 * rng.Normal());  // of six requests with a CV of 0.5
    cost.Add(At(k), {.load = 1, .started_rps = 40, .held_mean_s = mean_s});
    if (k > 200) worst = std::max(worst, std::abs(cost.value() / 0.1 - 1));
  }
  EXPECT_LT(worst, 0.15);
}

// Below saturation the load itself says more: it counts what requests leave behind on a worker, too.
TEST(LoadCost, ServiceTimesSayNothingWhereSomeAreFree) {
  LoadCost cost(0.05, *TierOf(100));
  for (int k = 0; k < 500; ++k) cost.Add(At(k), {.load = 0.6, .started_rps = 12, .held_mean_s = 40});
  EXPECT_NEAR(cost.value(), 0.05, 1e-9);
}

TEST(LoadCost, BackgroundIsNotBlamedOnRequests) {
  RegionEstimate estimate(kRegion, TierOf(100));
  std::vector<Finding> findings;
  for (int k = 0; k < 200; ++k) {
    estimate.Observe({.at = At(k), .measured_load = 0.6 + 0.2, .background_load = 0.2, .started_rps = 12},
                     findings);
  }
  EXPECT_NEAR(estimate.Load(At(200)).load_cost, 0.05, 1e-9);
  EXPECT_NEAR(estimate.Load(At(200)).background_load, 0.2, 1e-9);
}

TEST(Demand, SmoothsDoubtsAndBelieves) {
  Demand demand(GuardSpec{}, 1);
  EXPECT_EQ(demand.Add(100), Demand::Verdict::kTaken);
  EXPECT_EQ(demand.Add(200), Demand::Verdict::kTaken);
  EXPECT_DOUBLE_EQ(demand.rps(), 150);
  EXPECT_EQ(demand.Add(2000), Demand::Verdict::kDoubted);
  EXPECT_EQ(demand.Add(150), Demand::Verdict::kTaken);  // one odd report is forgotten
  EXPECT_EQ(demand.Add(2000), Demand::Verdict::kDoubted);
  EXPECT_EQ(demand.Add(2000), Demand::Verdict::kDoubted);
  EXPECT_DOUBLE_EQ(demand.rps(), 150);
  EXPECT_EQ(demand.Add(2000), Demand::Verdict::kBelieved);
  EXPECT_DOUBLE_EQ(demand.rps(), 2000);
}

TEST(Demand, AStepSeenTwiceIsBelievedWholeAndNoiseIsNot) {
  Demand demand(GuardSpec{}, 1);
  for (const double rps : {1000, 1030, 980, 1010}) demand.Add(rps);
  demand.Add(1800);
  EXPECT_LT(demand.rps(), 1500);
  demand.Add(1790);
  EXPECT_DOUBLE_EQ(demand.rps(), 1790);
  // Scatter to both sides, and the scatter of a small count, are smoothed.
  Demand scattered(GuardSpec{}, 1);
  for (const double rps : {1000, 1400, 700}) scattered.Add(rps);
  EXPECT_DOUBLE_EQ(scattered.rps(), 950);
  Demand small(GuardSpec{}, 1);
  for (const double rps : {4, 8, 8}) small.Add(rps);
  EXPECT_DOUBLE_EQ(small.rps(), 7);
}

TEST(Demand, DropsWhatIsNoNumberAndLetsSmallRegionsJump) {
  Demand demand(GuardSpec{}, 1);
  demand.Add(0.01);
  for (double bad : {kNan, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(demand.Add(bad), Demand::Verdict::kNotNumber);
  }
  EXPECT_DOUBLE_EQ(demand.rps(), 0.01);
  EXPECT_EQ(demand.Add(5), Demand::Verdict::kTaken);
}

TEST(RegionEstimate, NamesBadSamplesAndKeepsWhatItKnew) {
  RegionEstimate estimate(kRegion, TierOf(100));
  std::vector<Finding> findings;
  estimate.Observe({.at = At(1), .measured_load = 0.6, .started_rps = 12, .demand_rps = {12}}, findings);
  const RegionLoad before = estimate.Load(At(1));
  estimate.Observe({.at = At(2), .measured_load = kNan, .started_rps = 12, .demand_rps = {12}}, findings);
  estimate.Observe({.at = At(3), .measured_load = 0.6, .started_rps = -3, .demand_rps = {kNan}}, findings);
  EXPECT_EQ(findings.size(), 3);
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, Finding::Kind::kBadInput);
  EXPECT_THAT(findings[1].detail, ::testing::HasSubstr("12 used"));
  const RegionLoad after = estimate.Load(At(3));
  EXPECT_EQ(after.load_cost, before.load_cost);
  EXPECT_EQ(after.demand_rps[0], before.demand_rps[0]);
}

TEST(RegionEstimate, AgesFromFreshToMissing) {
  RegionEstimate estimate(kRegion, TierOf(100));
  EXPECT_EQ(estimate.Load(At(0)).health, InputHealth::kMissing);  // never seen
  std::vector<Finding> findings;
  estimate.Observe({.at = At(0), .measured_load = 0.6, .started_rps = 12}, findings);
  EXPECT_EQ(estimate.Load(At(15)).health, InputHealth::kFresh);
  EXPECT_EQ(estimate.Load(At(16)).health, InputHealth::kStale);
  EXPECT_EQ(estimate.Load(At(61)).health, InputHealth::kMissing);
  // Reports that cannot be used do not keep a region fresh.
  estimate.Observe({.at = At(70), .measured_load = kNan}, findings);
  EXPECT_EQ(estimate.Load(At(70)).health, InputHealth::kMissing);
}

TEST(RegionEstimate, OldSamplesAreDropped) {
  RegionEstimate estimate(kRegion, TierOf(100));
  std::vector<Finding> findings;
  estimate.Observe({.at = At(10), .measured_load = 0.6, .started_rps = 12, .demand_rps = {12}}, findings);
  estimate.Observe({.at = At(9), .measured_load = 0.1, .started_rps = 12, .demand_rps = {90}}, findings);
  EXPECT_EQ(estimate.Load(At(10)).measured_load, 0.6);
  EXPECT_EQ(estimate.Load(At(10)).demand_rps[0], 12);
}

TEST(TierEstimate, SnapshotHasEveryRegion) {
  auto tier = TierOf(100);
  tier->regions.push_back({.workers = 0});
  tier->regions.push_back({.workers = 10, .reserve_share = 0.25});
  const TierSnapshot snapshot = TierEstimate(TierId(0), tier, 3).Snapshot(At(5));
  ASSERT_EQ(snapshot.regions.size(), 3);
  EXPECT_EQ(snapshot.regions[RegionId(1)].usable_share, 0);
  EXPECT_EQ(snapshot.regions[RegionId(2)].usable_share, 0.75);
  EXPECT_EQ(snapshot.regions[RegionId(2)].load_cost, 0.5);
}

}  // namespace
}  // namespace ringway::planner
