#include "controller/planner/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr RegionId kRegion(0);
constexpr double kThreshold = 0.8;

std::shared_ptr<Tier> TierOf(int workers) {
  auto tier = std::make_shared<Tier>();
  tier->regions.push_back({.workers = workers});
  return tier;
}

Time At(double seconds) { return UnixEpoch() + Seconds(seconds); }

double Poisson(Rng& rng, double mean) {
  double count = 0;
  for (double at = rng.Exponential(); at < mean; at += rng.Exponential()) ++count;
  return count;
}

// A second of a region of which `busy` workers are busy, each ending `speed` jobs a second.
LoadCost::Worked Second(Rng& rng, double busy, double speed, double alive) {
  const double share = busy + 1e-3 * rng.Uniform();
  return {
      .seconds = 1, .ended = Poisson(rng, busy * speed), .busy_s = std::min(share, alive), .alive = alive};
}

TEST(LoadCost, PriorIsServiceTimeOverWorkers) {
  EXPECT_DOUBLE_EQ(LoadCostPrior(*TierOf(100), kRegion), 0.05);
  EXPECT_EQ(LoadCostPrior(*TierOf(0), kRegion), 0);
}

TEST(LoadCost, LearnsTheTruthAndHowSureItIs) {
  LoadCost cost(0.05, *TierOf(100));
  const double width = cost.high() - cost.low();
  Rng rng(1);
  for (int k = 0; k < 300; ++k) cost.Add(Second(rng, 60, 0.2 / 1.15, 100));
  EXPECT_NEAR(cost.value(), 0.0575, 0.0575 * 0.05);
  EXPECT_LT(cost.low(), 0.0575);
  EXPECT_GT(cost.high(), 0.0575);
  EXPECT_LT(cost.high() - cost.low(), 0.3 * width);
}

// Whatever traffic does, a busy second is a busy second: no lag has to be known, no traffic to be matched.
TEST(LoadCost, TrafficDoesNotMoveIt) {
  LoadCost cost(0.05, *TierOf(100));
  Rng rng(2);
  for (int k = 0; k < 400; ++k) cost.Add(Second(rng, 60, 0.2, 100));
  const double before = cost.value();
  int moved = 0;
  for (int k = 0; k < 600; ++k) {
    cost.Add(Second(rng, k % 200 < 100 ? 20 : 100, 0.2, 100));
    moved += cost.value() != before;
  }
  EXPECT_EQ(moved, 0);
}

TEST(LoadCost, WorkersThatBecameSlowShowWithinAServiceTimeOrTwo) {
  for (const double busy : {60.0, 100.0}) {
    LoadCost cost(0.05, *TierOf(100));
    Rng rng(3);
    for (int k = 0; k < 300; ++k) cost.Add(Second(rng, busy, 0.2, 100));
    int seconds = 0;
    for (; seconds < 60 && cost.value() < 0.09; ++seconds) cost.Add(Second(rng, busy, 0.1, 100));
    EXPECT_LE(seconds, 10) << busy << " of 100 busy";
  }
}

TEST(LoadCost, StaysWithinTheClamp) {
  Rng rng(4);
  LoadCost fast(0.05, *TierOf(100)), slow(0.05, *TierOf(100));
  for (int k = 0; k < 100; ++k) fast.Add(Second(rng, 60, 5, 100));
  for (int k = 0; k < 100; ++k) slow.Add(Second(rng, 60, 0, 100));
  EXPECT_NEAR(fast.value(), 0.33 * 0.05, 1e-12);
  EXPECT_NEAR(slow.value(), 3 * 0.05, 1e-12);
}

TEST(LoadCost, BusyTimeThatRepeatsTeachesNothing) {
  LoadCost cost(0.05, *TierOf(100));
  Rng rng(5);
  for (int k = 0; k < 300; ++k) cost.Add(Second(rng, 60, 0.2, 100));
  // Frozen, while traffic almost doubles.
  for (int k = 0; k < 100; ++k)
    cost.Add({.seconds = 1, .ended = Poisson(rng, 22), .busy_s = 60, .alive = 100});
  EXPECT_TRUE(cost.frozen());
  EXPECT_NEAR(cost.value(), 0.05, 0.05 * 0.05);
  cost.Add(Second(rng, 60, 0.2, 100));
  EXPECT_FALSE(cost.frozen());
  // All busy repeats by nature, and so does a second in which nothing ended.
  LoadCost full(0.05, *TierOf(100));
  for (int k = 0; k < 50; ++k) full.Add({.seconds = 1, .ended = 10, .busy_s = 100, .alive = 100});
  EXPECT_NEAR(full.value(), 0.1, 0.01);
  LoadCost quiet(0.05, *TierOf(100));
  for (int k = 0; k < 50; ++k) quiet.Add({.seconds = 1, .ended = 0, .busy_s = 60, .alive = 100});
  EXPECT_FALSE(quiet.frozen());
}

// A plant whose metric is `background` + `slope` x traffic, shed by whoever reads the line.
struct Plant {
  double background, slope;
  double load = -1;
  double Step(double rps) {
    const double steady = background + slope * rps;
    load = load < 0 ? steady : load + (steady - load) * -std::expm1(-1.0 / 5);
    return load;
  }
};

TEST(MetricLine, ALoadAboveTheThresholdShedsAtOnceAndThenAsMuchAsItTakes) {
  for (const Plant& truth : {Plant{0, 0.125}, Plant{0.6, 0.04}, Plant{0.3, 0.08}, Plant{0.7, 0.027}}) {
    SCOPED_TRACE(testing::Message() << truth.background << " + " << truth.slope << " rps");
    MetricLine line(0.05, Seconds(5));
    Plant plant = truth;
    Rng rng(6);
    const double demand = 7.5;  // .9 and more
    double rps = demand;
    for (int s = 0; s < 120; ++s) {
      line.Add(At(s), plant.Step(rps) * (1 + 0.005 * rng.Normal()), rps, 0.75);
      rps = std::min(demand, line.RpsAt(0.75));
      if (s == 3) {
        EXPECT_LT(rps, 0.95 * demand);
      }
    }
    EXPECT_LT(plant.load, 0.75 * 1.03);
    EXPECT_GT(plant.load, 0.75 * 0.93) << "nor more than it takes";
  }
}

TEST(MetricLine, NoiseMovesNothingThatIsHeld) {
  MetricLine line(0.05, Seconds(5));
  Rng rng(7);
  Plant plant{0.2, 0.03};
  int moved = 0;
  for (int s = 0; s < 1200; ++s) {
    const double before = line.RpsAt(0.75);
    line.Add(At(s), plant.Step(8) * (1 + 0.01 * rng.Normal()), 8, 0.75);
    moved += s > 120 && line.RpsAt(0.75) != before;
  }
  EXPECT_LE(moved, 2);
}

TEST(MetricLine, AValueThatRepeatsWhileTrafficGrowsIsFrozen) {
  MetricLine line(0.05, Seconds(5));
  for (int s = 0; s < 30; ++s) line.Add(At(s), 0.4, 8, 0.75);
  EXPECT_FALSE(line.frozen()) << "a constant under constant traffic";
  for (int s = 30; s < 60; ++s) line.Add(At(s), 0.4, 14, 0.75);
  EXPECT_TRUE(line.frozen());
  line.Add(At(61), 0.6, 14, 0.75);
  EXPECT_FALSE(line.frozen());
  MetricLine empty(0.05, Seconds(5));
  for (int s = 0; s < 60; ++s) empty.Add(At(s), 0, s < 30 ? 8 : 14, 0.75);
  EXPECT_FALSE(empty.frozen()) << "an empty queue is empty";
}

TEST(Demand, DoubtsAnAbsurdJumpAndBelievesItWhenItStays) {
  Demand demand(GuardSpec{}, 1);
  for (int s = 0; s < 20; ++s) EXPECT_EQ(demand.Add(1, 100), Demand::Verdict::kTaken);
  EXPECT_EQ(demand.Add(1, 2000), Demand::Verdict::kDoubted);
  EXPECT_EQ(demand.Add(1, 100), Demand::Verdict::kTaken);  // one odd report is forgotten
  EXPECT_EQ(demand.Add(1, 2000), Demand::Verdict::kDoubted);
  EXPECT_EQ(demand.Add(1, 2000), Demand::Verdict::kDoubted);
  EXPECT_DOUBLE_EQ(demand.rps(), 100);
  EXPECT_EQ(demand.Add(1, 2000), Demand::Verdict::kBelieved);
  EXPECT_DOUBLE_EQ(demand.rps(), 2000);
}

TEST(Demand, DropsWhatIsNoNumberAndNeverDoubtsAHandful) {
  Demand demand(GuardSpec{}, 0.01);
  demand.Add(1, 0);
  for (double bad : {kNotANumber, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(demand.Add(1, bad), Demand::Verdict::kNotNumber);
  }
  EXPECT_EQ(demand.Add(1, 5), Demand::Verdict::kTaken) << "one user of a small region is no absurdity";
}

RegionCounts Counts(double at_s, double entered) {
  return {.at = At(at_s), .seconds = 1, .entered = {entered}, .ended = 12, .busy_s = 60, .alive = 100};
}

TEST(RegionEstimate, NamesBadCountsAndReadingsAndKeepsWhatItKnew) {
  auto tier = TierOf(100);
  tier->metrics.emplace_back().name = "memory";
  RegionEstimate estimate(kRegion, tier);
  std::vector<Finding> findings;
  estimate.Count(Counts(1, 12), findings);
  const RegionLoad before = estimate.Load(At(1));
  estimate.Count(Counts(2, kNotANumber), findings);
  RegionCounts bad = Counts(3, 12);
  bad.busy_s = kNotANumber;
  estimate.Count(bad, findings);
  estimate.Read(0, {.at = At(3), .load = kNotANumber, .started_rps = 12}, findings);
  EXPECT_EQ(findings.size(), 3);
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, Finding::Kind::kBadInput);
  EXPECT_THAT(findings[0].detail, ::testing::HasSubstr("12 a second used"));
  EXPECT_THAT(findings[2].detail, ::testing::HasSubstr("'memory'"));
  const RegionLoad after = estimate.Load(At(3));
  EXPECT_EQ(after.load_cost, before.load_cost);
  EXPECT_EQ(after.demand_rps[0], before.demand_rps[0]);
}

TEST(RegionEstimate, AgesFromFreshToMissing) {
  RegionEstimate estimate(kRegion, TierOf(100));
  EXPECT_EQ(estimate.Load(At(0)).health, InputHealth::kMissing);  // never seen
  std::vector<Finding> findings;
  estimate.Count(Counts(0, 12), findings);
  EXPECT_EQ(estimate.Load(At(15)).health, InputHealth::kFresh);
  EXPECT_EQ(estimate.Load(At(16)).health, InputHealth::kStale);
  EXPECT_EQ(estimate.Load(At(61)).health, InputHealth::kMissing);
  // Reports that cannot be used do not keep a region fresh.
  estimate.Count(Counts(70, kNotANumber), findings);
  EXPECT_EQ(estimate.Load(At(70)).health, InputHealth::kMissing);
}

TEST(RegionEstimate, OldCountsAndReadingsAreDropped) {
  auto tier = TierOf(100);
  tier->metrics.emplace_back().name = "memory";
  RegionEstimate estimate(kRegion, tier);
  std::vector<Finding> findings;
  estimate.Count(Counts(10, 12), findings);
  estimate.Count(Counts(9, 90), findings);
  estimate.Read(0, {.at = At(10), .load = 0.6, .started_rps = 12}, findings);
  estimate.Read(0, {.at = At(9), .load = 0.1, .started_rps = 12}, findings);
  EXPECT_EQ(estimate.Load(At(10)).demand_rps[0], 12);
  EXPECT_EQ(estimate.metric(0).last, 0.6);
}

// Two metrics beside the workers: the one that is reached with the least traffic is the region's.
TEST(RegionEstimate, TheWorstMetricBindsAndAMissingOneInvitesNothing) {
  auto tier = TierOf(100);
  tier->route.overload_threshold = kThreshold;
  for (const char* name : {"busy", "memory", "queue"}) {
    MetricSpec& spec = tier->metrics.emplace_back();
    spec.name = name;
    spec.max_age = Seconds(10);
  }
  RegionEstimate estimate(kRegion, tier);
  std::vector<Finding> findings;
  Rng rng(8);
  const auto read = [&](double at_s, std::size_t metric, double load) {
    estimate.Read(metric, {.at = At(at_s), .load = load, .started_rps = 6, .busy_share = metric == 0},
                  findings);
  };
  for (int s = 0; s < 60; ++s) {
    estimate.Count(Counts(s, 6), findings);
    read(s, 0, 0.3);
    read(s, 1, 0.9 + 1e-3 * rng.Uniform());
    read(s, 2, 0.1 + 1e-3 * rng.Uniform());
  }
  ASSERT_TRUE(estimate.Binding().has_value());
  EXPECT_EQ(*estimate.Binding(), 1);
  RegionLoad load = estimate.Load(At(60));
  EXPECT_NEAR(load.background_load + load.load_cost * 6, 0.9, 0.03)
      << "what is measured is what is planned with";
  EXPECT_EQ(load.measured_load, estimate.metric(1).last);
  EXPECT_TRUE(load.takes_more);
  for (int s = 60; s < 80; ++s) {
    estimate.Count(Counts(s, 6), findings);
    read(s, 0, 0.3);
    read(s, 1, 0.9 + 1e-3 * rng.Uniform());
  }
  EXPECT_FALSE(estimate.Load(At(80)).takes_more) << "'queue' has not been seen for 20 s";
  EXPECT_TRUE(estimate.Missing(2, At(80)));
}

TEST(RegionEstimate, WhatWasLearntIsAllThereIs) {
  auto tier = TierOf(100);
  tier->metrics.emplace_back().name = "memory";
  RegionEstimate estimate(kRegion, tier), copy(kRegion, tier);
  std::vector<Finding> findings;
  Rng rng(9);
  const auto live = [&](RegionEstimate& one, Rng random, int from, int to) {
    for (int s = from; s < to; ++s) {
      RegionCounts counts = Counts(s, Poisson(random, 12));
      counts.ended = Poisson(random, 12);
      counts.busy_s = 50 + 20 * random.Uniform();
      one.Count(counts, findings);
      one.Read(0, {.at = At(s), .load = 0.5 + 0.1 * random.Uniform(), .started_rps = 12}, findings);
    }
  };
  live(estimate, Rng(9), 0, 500);
  copy.Restore(estimate.learnt());
  live(estimate, Rng(10), 500, 900);
  live(copy, Rng(10), 500, 900);
  const RegionLoad a = estimate.Load(At(900)), b = copy.Load(At(900));
  EXPECT_EQ(a.demand_rps, b.demand_rps);
  EXPECT_EQ(a.load_cost, b.load_cost);
  EXPECT_EQ(a.background_load, b.background_load);
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
