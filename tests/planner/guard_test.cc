// Guard: how far a table may move in one epoch.
#include <algorithm>

#include "controller/planner/step.h"
#include "gtest/gtest.h"
#include "tests/planner/plan_checks.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

Row Split(std::size_t home, std::size_t other, double away) {
  return {{{.target = RegionId(home), .fraction = 1 - away},
           {.target = RegionId(other),
            .fraction = away,
            .ring = 0,
            .unlock_load = 1,
            .reason = RouteReason::kOverload}},
          0};
}

TEST(Guard, TheSameInputsLeaveTheTableAsItIsAndOthersMoveIt) {
  SmallFleet fleet({100, 10});
  const Plan first = fleet.Solve();
  EXPECT_TRUE(first.changed);
  fleet.PutInForce(first.table);
  EXPECT_FALSE(fleet.Solve().changed);
  fleet.region(0).demand_rps[0] = 100.5;
  EXPECT_TRUE(fleet.Solve().changed);
}

TEST(Guard, DoesNotHoldWhatTurnsRequestsAway) {
  SmallFleet fleet({60, 10});
  TierTable table = HomeTable(TierId(0), 2, 1);
  table.at(0, RegionId(0)) = {{{.target = RegionId(0), .fraction = 0.995}}, 0.005};
  fleet.PutInForce(table);
  // Little, but nobody needs to be refused.
  EXPECT_EQ(fleet.Solve().table.at(0, RegionId(0)).shed_fraction, 0);
}

TEST(Guard, ARowMovesAStepAtATime) {
  SmallFleet fleet({160, 0});
  fleet.PutInForce(HomeTable(TierId(0), 2, 1));
  double away = 0;
  for (const double expected : {0.2, 0.4, 0.5}) {
    const Plan plan = fleet.Solve();
    EXPECT_EQ(HasFinding(plan, Finding::Kind::kStepLimited), expected < 0.5);
    away = fleet.Find(plan.table, 0, 1)->fraction;
    EXPECT_NEAR(away, expected, 1e-9);
    fleet.PutInForce(plan.table);
  }
}

// Region 2 is to leave region 1 for region 3, a step at a time; region 0 is to take its place in region 1. If
// both rows moved at their own pace, region 1 would be lifted above its threshold.
TEST(Guard, AStepLimitedTableNeverLiftsAReceiver) {
  SmallFleet fleet({120, 20, 200, 0, 0});
  fleet.tier->route.refine = RefineMode::kOptimal;
  fleet.SetRtt(0, 1, 1);
  for (const std::size_t far : {2, 3, 4}) fleet.SetRtt(0, far, 900);
  fleet.SetRtt(2, 3, 1);
  fleet.SetRtt(2, 4, 1);
  TierTable table = HomeTable(TierId(0), 5, 1);
  table.at(0, RegionId(2)) = Split(2, 1, 0.3);  // fills region 1 to exactly 80
  fleet.PutInForce(table);
  double sent = 0;
  for (int epoch = 0; epoch < 8; ++epoch) {
    const Plan plan = fleet.Solve();
    EXPECT_LE(plan.facts.planned_load[RegionId(1)], 0.8 + 1e-6) << epoch;
    for (const std::size_t source : {0, 2}) {
      const Row& before = fleet.snapshot.previous->at(0, RegionId(source));
      EXPECT_LE(RowDistance(before, plan.table.at(0, RegionId(source))), 0.2 + 1e-9) << epoch;
    }
    sent = fleet.Sent(plan.table, 0, 1);
    fleet.PutInForce(plan.table);
  }
  EXPECT_NEAR(sent, 40, 0.5);  // and it gets there
}

TEST(Guard, AReceiverThatGrowsHotIsRelievedAtOnce) {
  SmallFleet fleet({120, 20, 10});
  const TierTable table = fleet.Solve().table;
  EXPECT_NEAR(fleet.Sent(table, 0, 1), 40, 1e-6);
  fleet.PutInForce(table);
  fleet.region(1).demand_rps[0] = 75;
  const Plan plan = fleet.Solve();
  EXPECT_LE(plan.facts.planned_load[RegionId(1)], 0.8 + 1e-6);
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 2), 35, 2);
}

TEST(Guard, ImpossibleRowsMoveAtOnce) {
  for (const char* why : {"gone", "forbidden", "missing"}) {
    SmallFleet fleet({160, 10, 0});
    TierTable table = HomeTable(TierId(0), 3, 1);
    table.at(0, RegionId(0)) = Split(0, 1, 0.4);
    fleet.PutInForce(table);
    if (*why == 'g') fleet.region(1).usable_share = 0;
    if (*why == 'f') fleet.Forbid(0, 1);
    if (*why == 'm') fleet.region(1).health = InputHealth::kMissing;
    const Plan plan = fleet.Solve();
    EXPECT_EQ(fleet.Find(plan.table, 0, 1), nullptr) << why;
  }
}

TEST(Guard, AHomeThatServesNothingIsLeftAtOnce) {
  SmallFleet fleet({50, 0});
  fleet.PutInForce(HomeTable(TierId(0), 2, 1));
  fleet.region(0).usable_share = 0;
  EXPECT_EQ(fleet.Find(fleet.Solve().table, 0, 0), nullptr);
}

// Region 1 grows a little, so that what region 2 sends there has to go by a thousandth of its row, and region
// 0 is to come. A row that stays because it would hardly move keeps everybody out who waits for its place.
TEST(Guard, ARowThatHardlyMovesMakesRoom) {
  SmallFleet fleet({120, 20, 200, 0, 0});
  fleet.tier->route.refine = RefineMode::kOptimal;
  const TierTable table = fleet.Solve().table;
  fleet.PutInForce(table);
  for (int epoch = 0; epoch < 12; ++epoch) {
    fleet.region(1).demand_rps[0] = 20.1;
    fleet.region(0).demand_rps[0] = 130;
    fleet.PutInForce(fleet.Solve().table);
  }
  const Plan plan = fleet.Solve();
  EXPECT_FALSE(plan.changed) << "it has arrived";
  EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], 0.8, 1e-6);
  EXPECT_LE(plan.facts.planned_load[RegionId(1)], 0.8 + 1e-6);
}

}  // namespace
}  // namespace ringway::planner
