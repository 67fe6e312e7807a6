// Check and home: what a plan stands on when the inputs are not what they should be.
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BadNumber {
  const char* name;
  void (*spoil)(RegionLoad& region);
  const char* told;      // part of the finding
  double sent_from_hot;  // requests/s from region 0 to the spoilt region 1
};

class CheckInputs : public testing::TestWithParam<BadNumber> {};

// Region 0 has 20 requests/s too many; region 1, the nearest, is spoilt; region 2 could take all.
TEST_P(CheckInputs, AreReplacedAndNamed) {
  SmallFleet fleet({100, 40, 10});
  GetParam().spoil(fleet.region(1));
  const Plan plan = fleet.Solve();
  ASSERT_EQ(plan.findings.size(), 1);
  EXPECT_EQ(plan.findings[0].region, RegionId(1));
  EXPECT_THAT(plan.findings[0].detail, HasSubstr(GetParam().told));
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), GetParam().sent_from_hot, 1e-6);
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1) + fleet.Sent(plan.table, 0, 2), 20, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    BadNumbers, CheckInputs,
    testing::Values(
        BadNumber{"usable_nan", [](RegionLoad& r) { r.usable_share = kNan; }, "no new imports", 0},
        BadNumber{"usable_negative", [](RegionLoad& r) { r.usable_share = -1; }, "-1", 0},
        BadNumber{"usable_above_one", [](RegionLoad& r) { r.usable_share = 3; }, "1 used", 20},
        BadNumber{"cost_nan", [](RegionLoad& r) { r.load_cost = kNan; }, "the prior 0.01", 20},
        BadNumber{"cost_zero", [](RegionLoad& r) { r.load_cost = 0; }, "the prior 0.01", 20},
        BadNumber{"cost_negative", [](RegionLoad& r) { r.load_cost = -0.01; }, "the prior", 20},
        BadNumber{"cost_absurd", [](RegionLoad& r) { r.load_cost = 0.11; }, "the prior", 20},
        BadNumber{"cost_tiny", [](RegionLoad& r) { r.load_cost = 0.0009; }, "the prior", 20},
        BadNumber{"background_nan", [](RegionLoad& r) { r.background_load = kNan; }, "0 used", 20},
        BadNumber{"background_huge", [](RegionLoad& r) { r.background_load = 11; }, "full", 0},
        BadNumber{"demand_nan", [](RegionLoad& r) { r.demand_rps[0] = kNan; }, "stays as it is", 0},
        BadNumber{"stale", [](RegionLoad& r) { r.health = InputHealth::kStale; }, "nothing new", 0},
        BadNumber{"missing", [](RegionLoad& r) { r.health = InputHealth::kMissing; }, "no report", 0}),
    [](const auto& test) { return test.param.name; });

TEST(CheckInputsOfDemand, AnAbsurdDemandIsCutToTenTiers) {
  SmallFleet fleet({1e9, 10});
  const Plan plan = fleet.Solve();
  EXPECT_THAT(plan.findings[0].detail, HasSubstr("2000 used"));
  EXPECT_NEAR(plan.facts.demand_rps, 2010, 1e-6);
}

TEST(CheckInputsOfDemand, InfinityIsNotDemand) {
  SmallFleet fleet({kInfinity, 10});
  const Plan plan = fleet.Solve();
  EXPECT_EQ(plan.facts.demand_rps, 10);
  EXPECT_EQ(fleet.Find(plan.table, 0, 0)->fraction, 1);
}

TEST(Home, AStaleRegionKeepsItsRowAndItsImportsButGetsNoMore) {
  SmallFleet fleet({100, 40, 100, 10});
  fleet.SetRtt(2, 1, 15);
  TierTable table = HomeTable(TierId(0), 4, 1);
  table.at(0, RegionId(2)).routes = {{.target = RegionId(2), .fraction = 0.9},
                                     {.target = RegionId(1), .fraction = 0.1, .ring = 0}};
  fleet.PutInForce(table);
  fleet.region(2).health = InputHealth::kStale;
  const Plan frozen = fleet.Solve();
  EXPECT_EQ(frozen.table.at(0, RegionId(2)), table.at(0, RegionId(2)));  // though it is hot
  EXPECT_NEAR(fleet.Sent(frozen.table, 0, 1), 20, 1e-6);

  fleet.region(2).health = InputHealth::kFresh;
  fleet.region(1).health = InputHealth::kStale;
  fleet.tier->guard.step_max = 1;
  const Plan capped = fleet.Solve();
  EXPECT_LE(fleet.Sent(capped.table, 0, 1) + fleet.Sent(capped.table, 2, 1), 10 * 1.01 + 1e-6);
}

TEST(Home, ARegionWithoutCapacityOrDemandStillLeadsSomewhere) {
  SmallFleet fleet({0, 40});
  fleet.provisioned(0).workers = 0;
  fleet.region(0).usable_share = 0;
  const Plan plan = fleet.Solve();
  ASSERT_EQ(plan.table.at(0, RegionId(0)).routes.size(), 1);
  EXPECT_EQ(plan.table.at(0, RegionId(0)).routes[0].target, RegionId(1));
  EXPECT_EQ(plan.table.at(0, RegionId(0)).routes[0].reason, RouteReason::kNoWorkers);
  EXPECT_TRUE(plan.findings.empty());
}

// Nobody asks and nothing is known to serve: a plan that refuses would refuse the first job of an idle fleet.
TEST(Home, WithoutDemandNobodyIsRefusedWhateverIsUnknown) {
  for (const InputHealth health : {InputHealth::kFresh, InputHealth::kStale, InputHealth::kMissing}) {
    SCOPED_TRACE(static_cast<int>(health));
    SmallFleet fleet({0, 0});
    for (const std::size_t r : {0, 1}) {
      fleet.region(r).usable_share = 0;
      fleet.region(r).health = health;
    }
    fleet.provisioned(1).workers = 0;
    for (int round = 0; round < 2; ++round) {
      const Plan plan = fleet.Solve();
      for (const std::size_t r : {0, 1}) {
        EXPECT_EQ(plan.table.at(0, RegionId(r)).shed_fraction, 0) << r;
        ASSERT_NE(fleet.Find(plan.table, r, r), nullptr) << r;
      }
      fleet.PutInForce(plan.table);
    }
  }
}

TEST(Home, ARowThatRefusesEverybodyIsNotHeldWhenItsNumbersAreStale) {
  SmallFleet fleet({10, 10});
  TierTable refusing = HomeTable(TierId(0), 2, 1);
  refusing.at(0, RegionId(0)) = {.routes = {}, .shed_fraction = 1};
  fleet.PutInForce(refusing);
  fleet.region(0).health = InputHealth::kStale;
  const Plan plan = fleet.Solve();
  EXPECT_EQ(plan.table.at(0, RegionId(0)).shed_fraction, 0);
}

TEST(Solve, ATableOfAnotherShapeIsNotFollowed) {
  SmallFleet fleet({100, 40});
  fleet.PutInForce(HomeTable(TierId(0), 5, 1));
  const Plan plan = fleet.Solve();
  EXPECT_THAT(plan.findings[0].detail, HasSubstr("another shape"));
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 20, 1e-6);
}

}  // namespace
}  // namespace ringway::planner
