// Offload loop, fair share, refine and explain: where requests go, and why.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

TEST(Offload, TheNearestWithRoomTakesTheExcessAndNoMore) {
  SmallFleet fleet({110, 70, 60, 10});
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 10, 1e-6);  // until it is at the threshold itself
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 2), 20, 1e-6);
  EXPECT_EQ(fleet.Find(plan.table, 0, 3), nullptr);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], 0.8, 1e-9);
  EXPECT_NEAR(plan.facts.away_rps, plan.facts.away_min_rps, 1e-6);
}

TEST(Offload, TheHottestHasTheFirstRightToTheNearestRoom) {
  SmallFleet fleet({100, 70, 140, 0});  // both sides want the 10 of the middle
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 2, 1), 10, 0.5);
  EXPECT_LE(fleet.Sent(plan.table, 0, 1), 0.5);
}

TEST(Offload, RingsOpenByLoadOrWhenTheNearerAreFull) {
  SmallFleet fleet({95, 75, 10});
  fleet.tier->route.rings = {{"near", 10, 0}, {"far", 1000, 1.2}};
  const Plan escalated = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(escalated.table, 0, 1), 5, 1e-6);
  EXPECT_NEAR(fleet.Sent(escalated.table, 0, 2), 10, 1e-6);

  fleet.tier->route.escalation = Escalation::kByLoad;
  const Plan strict = fleet.Solve();
  EXPECT_EQ(fleet.Find(strict.table, 0, 2), nullptr);  // 0.95 does not unlock the far ring
  EXPECT_GT(strict.facts.planned_load[RegionId(0)], 0.8);

  fleet.region(0).demand_rps[0] = 130;
  const Plan unlocked = fleet.Solve();
  ASSERT_NE(fleet.Find(unlocked.table, 0, 2), nullptr);
  EXPECT_EQ(fleet.Find(unlocked.table, 0, 2)->ring, 1);
  EXPECT_NEAR(fleet.Find(unlocked.table, 0, 2)->unlock_load, 1.3, 1e-9);
}

// A number that stands for "no load did it" would be shown to people as one.
TEST(Offload, WhereNoLoadOpenedTheRingNoneIsNamed) {
  SmallFleet fleet({20, 10, 20});
  fleet.region(0).usable_share = 0;
  fleet.region(2).usable_share = 0;
  fleet.region(2).draining = true;
  const Plan plan = fleet.Solve();
  const Route* dead = fleet.Find(plan.table, 0, 1);
  const Route* drained = fleet.Find(plan.table, 2, 1);
  ASSERT_TRUE(dead != nullptr && drained != nullptr);
  EXPECT_EQ(dead->reason, RouteReason::kNoWorkers);
  EXPECT_EQ(drained->reason, RouteReason::kDrain);
  EXPECT_EQ(dead->unlock_load, 0);
  EXPECT_EQ(drained->unlock_load, 0);
}

TEST(Offload, PlansToTheMarginBelowTheThreshold) {
  SmallFleet fleet({100, 10});
  fleet.tier->guard.plan_margin = 0.05;
  EXPECT_NEAR(fleet.Solve().facts.planned_load[RegionId(0)], 0.76, 1e-9);
}

TEST(Offload, ReserveDrainAndBackgroundTakeFromTheCapacity) {
  SmallFleet fleet({86, 0, 0, 0});
  fleet.region(1).usable_share = 0.05;     // 4 requests/s at the threshold
  fleet.region(2).background_load = 0.78;  // 2
  fleet.region(3).draining = true;
  fleet.region(3).usable_share = 0.5;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 4, 1e-6);
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 2), 2, 1e-6);
  EXPECT_EQ(fleet.Find(plan.table, 0, 3), nullptr);
}

TEST(Offload, ADrainedRegionSendsAllAway) {
  SmallFleet fleet({50, 0});
  fleet.region(0).draining = true;
  fleet.region(0).usable_share = 0;
  const Plan plan = fleet.Solve();
  ASSERT_EQ(plan.table.at(0, RegionId(0)).routes.size(), 1);
  EXPECT_EQ(plan.table.at(0, RegionId(0)).routes[0].reason, RouteReason::kDrain);
}

TEST(FairShare, LevelsWhatNobodyCanTake) {
  SmallFleet fleet({120, 80, 70});  // 270 over three: 90 each
  const Plan plan = fleet.Solve();
  for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(plan.facts.planned_load[RegionId(r)], 0.9, 1e-6);
  EXPECT_EQ(plan.facts.shed_rps, 0);
  EXPECT_EQ(plan.findings[0].kind, Finding::Kind::kOverloaded);
  EXPECT_EQ(fleet.Find(plan.table, 0, 2)->reason, RouteReason::kLevel);
}

TEST(FairShare, OnlyTheRegionsThatShareTheOverloadAreLevelled) {
  SmallFleet fleet({120, 80, 20});
  fleet.Forbid(0, 2);
  fleet.Forbid(1, 2);
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], 1.0, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(1)], 1.0, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(2)], 0.2, 1e-6);
}

// 0 may only go to 1, which 2 fills first; 2 can go on to 3.
TEST(FairShare, ASourceMovesOnToMakeRoomForOneThatHasNoOtherPlace) {
  SmallFleet fleet({90, 70, 140, 10});
  fleet.Forbid(0, 3);
  fleet.Forbid(0, 2);
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 10, 1e-6);
  EXPECT_NEAR(fleet.Sent(plan.table, 2, 3), 60, 1e-6);
  EXPECT_TRUE(plan.findings.empty());
}

TEST(FairShare, AboveFullTheLeastImportantAreShed) {
  SmallFleet fleet({100, 100});
  fleet.tier->priorities = {"interactive", "batch"};
  fleet.region(0).demand_rps = {120, 0};
  fleet.region(1).demand_rps = {60, 60};
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(plan.facts.shed_rps, 40, 1e-4);
  EXPECT_NEAR(plan.table.at(0, RegionId(0)).shed_fraction, 0, 1e-9);
  EXPECT_NEAR(plan.table.at(0, RegionId(1)).shed_fraction, 0, 1e-9);
  EXPECT_NEAR(plan.table.at(1, RegionId(1)).shed_fraction, 40.0 / 60, 1e-6);
  for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(plan.facts.planned_load[RegionId(r)], 1, 1e-6);
}

TEST(FairShare, AnImportCapIsRespectedEvenThen) {
  SmallFleet fleet({120, 10});
  fleet.provisioned(1).import_cap_share = 0.1;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 10, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], 1.0, 1e-6);
  EXPECT_NEAR(plan.facts.shed_rps, 10, 1e-6);
}

// 0 and 2 both lie nearest to 1, which has room for one of them; 0 has another place near, 2 only a far one.
class Refine : public testing::TestWithParam<RefineMode> {};

TEST_P(Refine, ASourceWithAnotherPlaceNearMovesOn) {
  SmallFleet fleet({130, 50, 110, 0, 0});
  fleet.SetRtt(0, 1, 10);
  fleet.SetRtt(0, 3, 20);
  fleet.SetRtt(0, 4, 300);
  fleet.SetRtt(2, 1, 20);
  fleet.SetRtt(2, 3, 300);
  fleet.SetRtt(2, 4, 200);
  const Plan loop = fleet.Solve();
  EXPECT_GT(fleet.Sent(loop.table, 0, 1), 20);
  fleet.tier->route.refine = GetParam();
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 2, 1), 30, 1e-6);
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 3), 50, 1e-6);
  EXPECT_NEAR(plan.facts.rtt_cost, 30 * 20 + 50 * 20, 1e-3);
  EXPECT_LT(plan.facts.rtt_cost, 0.5 * plan.facts.rtt_cost_loop);
  if (GetParam() == RefineMode::kOptimal) {
    EXPECT_NEAR(plan.facts.rtt_cost_optimal, plan.facts.rtt_cost, 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Refine, testing::Values(RefineMode::kSwap, RefineMode::kOptimal));

TEST(Explain, ImportantRequestsStayNearest) {
  SmallFleet fleet({100, 0});
  fleet.tier->priorities = {"interactive", "batch"};
  fleet.region(0).demand_rps = {60, 40};
  const Plan plan = fleet.Solve();
  EXPECT_EQ(plan.table.at(0, RegionId(0)).routes.size(), 1);
  EXPECT_NEAR(fleet.Find(plan.table, 0, 0, 1)->fraction, 0.5, 1e-9);
  EXPECT_NEAR(fleet.Find(plan.table, 0, 1, 1)->fraction, 0.5, 1e-9);
  EXPECT_EQ(fleet.Find(plan.table, 0, 1, 1)->reason, RouteReason::kOverload);
  EXPECT_NEAR(fleet.Find(plan.table, 0, 1, 1)->unlock_load, 1.0, 1e-9);
}

}  // namespace
}  // namespace ringway::planner
