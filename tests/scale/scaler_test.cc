// What is wanted in the cases that an operator asks about.
#include "controller/scale/scaler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scale/scaled_fleet.h"

namespace ringway::scale {
namespace {

using ::testing::HasSubstr;

ScaledFleet::Rate Constant(double rps) {
  return [rps](std::size_t, double) { return rps; };
}
ScaledFleet One(const ScalingSpec& scaling, int workers) {
  return ScaledFleet(LineOf(1), TierOf(1, workers, scaling));
}

TEST(ScalerTest, ConstantDemandIsStaffedForTheWaitThatIsAskedFor) {
  struct Case {
    double rps;
    double wait;
    int least, most;
  };
  // Alone: ten busy workers with a mean wait of .1 take 13 by Erlang's C, .3 takes 12; some margin on top.
  for (const Case& c :
       {Case{2, 0.1, 13, 14}, Case{2, 0.3, 12, 13}, Case{20, 0.1, 106, 112}, Case{0.02, 0.1, 1, 2}}) {
    ScaledFleet fleet = One({.wait_target = c.wait}, 500);
    fleet.Run(2 * kHourS, Constant(c.rps), false);
    EXPECT_GE(fleet.wanted(), c.least) << c.rps << " " << c.wait;
    EXPECT_LE(fleet.wanted(), c.most) << c.rps << " " << c.wait;
  }
}

TEST(ScalerTest, RegionsThatHelpEachOtherNeedFewerThanEachAlone) {
  ScaledFleet alone(LineOf(5), [] {
    auto tier = TierOf(5, 50);
    tier->dispatch.spill.share = 0;
    return tier;
  }());
  ScaledFleet pooled(LineOf(5), TierOf(5, 50));
  for (ScaledFleet* fleet : {&alone, &pooled}) fleet->Run(2 * kHourS, Constant(1.2), false);
  EXPECT_EQ(pooled.scaler.wanted()[RegionId(2)].neighbours, 4);
  EXPECT_LE(pooled.total(), alone.total() - 5) << "at least a worker a region";
  EXPECT_GE(pooled.total(), 5 * 1.2 * ScaledFleet::kServiceS);
}

TEST(ScalerTest, ARampIsMetBeforeItComes) {
  ScalingSpec slow_start{.start_up = Minutes(15)};
  ScaledFleet fleet = One(slow_start, 500);
  fleet.Run(kHourS, Constant(4));
  fleet.Run(kHourS, [](std::size_t, double s) { return 4 + 4 * s / kHourS; });
  const Wanted& wanted = fleet.scaler.wanted()[RegionId(0)];
  EXPECT_EQ(wanted.way, Way::kTrend);
  // In 15 minutes it will be 9 a second.
  EXPECT_NEAR(wanted.forecast_rps, 9, 0.6);
  EXPECT_GE(fleet.wanted(), 45);
}

TEST(ScalerTest, ItFallsOnlyAfterTheWindowAndThenToTheHighestNeedWithin) {
  ScaledFleet fleet = One({.stable_for = Minutes(20)}, 500);
  fleet.Run(2 * kHourS, Constant(8), false);
  const int before = fleet.wanted();
  fleet.Run(15 * 60, Constant(2), false);
  EXPECT_EQ(fleet.wanted(), before);
  EXPECT_THAT(fleet.scaler.Explain(RegionId(0)), HasSubstr("more were needed within the last 20m"));
  fleet.Run(2 * kHourS, Constant(2), false);
  EXPECT_LT(fleet.wanted(), before / 2);
}

TEST(ScalerTest, WithinOneStartUpTimeItDoublesAndHalvesAtMost) {
  ScaledFleet fleet = One({.start_up = Minutes(5), .stable_for = ZeroDuration()}, 5000);
  fleet.Run(2 * kHourS, Constant(10), false);
  const int before = fleet.wanted();
  fleet.Run(60, Constant(70), false);
  EXPECT_EQ(fleet.wanted(), 2 * before);
  EXPECT_EQ(fleet.scaler.wanted()[RegionId(0)].limit, Limit::kStep);
  fleet.Run(2 * kHourS, Constant(70), false);
  const int high = fleet.wanted();
  EXPECT_GT(high, 350);
  fleet.Run(60, Constant(1), false);
  EXPECT_EQ(fleet.wanted(), high / 2);
}

TEST(ScalerTest, AStartTakesNobodyAway) {
  ScaledFleet fleet = One({.stable_for = Minutes(10)}, 100);
  fleet.follows = false;
  fleet.alive[0] = 60;
  fleet.Run(9 * 60, Constant(2));
  EXPECT_EQ(fleet.wanted(), 60);
  EXPECT_THAT(fleet.scaler.Explain(RegionId(0)), HasSubstr("nothing is stopped within the first 10m"));
  fleet.Run(kHourS, Constant(2));
  EXPECT_LT(fleet.wanted(), 20);
}

TEST(ScalerTest, NeverFewerThanAreBusy) {
  ScaledFleet fleet = One({}, 100);
  fleet.follows = false;
  fleet.Run(2 * kHourS, Constant(2));
  fleet.alive[0] = fleet.wanted();
  fleet.busy[0] = 30;
  fleet.Run(60, Constant(2));
  EXPECT_EQ(fleet.wanted(), 30);
  fleet.busy[0] = 3;
  fleet.Run(60, Constant(2));
  EXPECT_LT(fleet.wanted(), 20) << "and the moment leaves nothing behind";
}

TEST(ScalerTest, MinimumAndMaximum) {
  ScaledFleet idle = One({.workers_min = 3}, 100);
  idle.Run(2 * kHourS, Constant(0), false);
  EXPECT_EQ(idle.wanted(), 3);
  EXPECT_THAT(idle.scaler.Explain(RegionId(0)), HasSubstr("minWorkers is 3"));
  ScaledFleet to_nothing = One({.workers_min = 0}, 100);
  to_nothing.Run(2 * kHourS, Constant(0), false);
  EXPECT_EQ(to_nothing.wanted(), 0);
  ScaledFleet crowded = One({}, 20);
  crowded.Run(2 * kHourS, Constant(8), false);
  EXPECT_EQ(crowded.wanted(), 20);
  EXPECT_GT(crowded.scaler.wanted()[RegionId(0)].needed, 40);
  EXPECT_THAT(crowded.scaler.Explain(RegionId(0)), HasSubstr("the region may run 20; the tier needs"));
}

TEST(ScalerTest, WhatARegionMayNotRunIsWantedNextDoor) {
  auto tier = TierOf(3, 20);
  ScaledFleet fleet(LineOf(3), tier);
  const auto rate = [](std::size_t r, double) { return r == 0 ? 6.0 : 1.0; };
  fleet.Run(2 * kHourS, rate, false);
  EXPECT_EQ(fleet.wanted(0), 20);
  EXPECT_GE(fleet.wanted(1), 15) << "the nearest first";
  EXPECT_GE(fleet.total(), 40);
}

TEST(ScalerTest, ADrainedRegionIsStaffedElsewhere) {
  ScaledFleet fleet(LineOf(2), TierOf(2, 40));
  fleet.Run(2 * kHourS, Constant(2), false);
  const int before = fleet.wanted(1);
  fleet.draining[0] = 1;
  fleet.Run(2 * kHourS, Constant(2), false);
  EXPECT_EQ(fleet.wanted(0), 1) << "its minimum";
  EXPECT_GE(fleet.wanted(1), before + 10);
}

TEST(ScalerTest, ASilentRegionKeepsItsNumberAndAnUnheardOneHasNone) {
  ScaledFleet fleet(LineOf(2), TierOf(2, 40));
  fleet.fresh[1] = 0;
  fleet.Run(2 * kHourS, Constant(2));
  const int before = fleet.wanted(0);
  EXPECT_FALSE(fleet.scaler.wanted()[RegionId(1)].known);
  EXPECT_THAT(fleet.scaler.Explain(RegionId(1)), HasSubstr("not known yet"));
  fleet.fresh[0] = 0;
  fleet.Run(2 * kHourS, Constant(2));
  EXPECT_EQ(fleet.wanted(0), before);
}

TEST(ScalerTest, SaysWhatItIsMadeOf) {
  ScaledFleet fleet = One({}, 100);
  fleet.Run(2 * kHourS, Constant(4), false);
  const std::string text = fleet.scaler.Explain(RegionId(0));
  EXPECT_THAT(text, HasSubstr("workers wanted: demand 4.00/s, forecast 4.00/s within 3m"));
  EXPECT_THAT(text, HasSubstr("is exceeded with probability 0.01"));
  EXPECT_THAT(text, HasSubstr("for a mean wait under 0.1 service times"));
}

TEST(ScalerTest, AnotherTopologyTakesOverWhatWasLearnt) {
  ScaledFleet fleet = One({}, 100);
  fleet.Run(2 * kHourS, Constant(4));
  ScaledFleet next(LineOf(2), TierOf(2, 100));
  next.scaler.TakeOver(RegionId(1), fleet.scaler, RegionId(0));
  EXPECT_EQ(next.wanted(1), fleet.wanted(0));
  EXPECT_TRUE(next.scaler.history(RegionId(1))
                  .Rate(0, DemandHistory::BinOf(UnixEpoch() + Seconds(fleet.now_s)))
                  .has_value() ||
              next.scaler.history(RegionId(1))
                      .Save(DemandHistory::BinOf(UnixEpoch() + Seconds(fleet.now_s)))
                      .rates.size() >= 50);
}

}  // namespace
}  // namespace ringway::scale
