// Who pays for an overload that does not fit below the thresholds, policy by policy.
#include <vector>

#include "gtest/gtest.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

struct PolicyCase {
  const char* what;
  Isolation isolation;
  std::vector<double> demand_rps;  // three regions of capacity 100, threshold .8
  std::vector<double> planned_load;
};

TEST(Isolation, EachPolicyFillsOthersAsFarAsItSays) {
  const PolicyCase cases[] = {
      {"fits below the thresholds", Isolation::kLocalFirst, {120, 50, 50}, {0.8, 0.8, 0.6}},
      {"does not", Isolation::kLocalFirst, {200, 80, 70}, {1.9, 0.8, 0.8}},
      {"does not", Isolation::kFill, {200, 80, 70}, {1.5, 1, 1}},
      {"does not", Isolation::kLevel, {200, 80, 70}, {3.5 / 3, 3.5 / 3, 3.5 / 3}},
      {"fits below full", Isolation::kFill, {120, 80, 70}, {0.9, 0.9, 0.9}},
      {"two are hot", Isolation::kLocalFirst, {200, 150, 40}, {1.6, 1.5, 0.8}},
  };
  for (const PolicyCase& c : cases) {
    SCOPED_TRACE(c.what);
    SmallFleet fleet(c.demand_rps);
    fleet.tier->route.isolation = c.isolation;
    fleet.tier->guard.shed_above = 3;
    const Plan plan = fleet.Solve();
    EXPECT_NEAR(plan.facts.shed_rps, 0, 1e-6);
    double all = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      all += plan.facts.planned_load[RegionId(r)];
      if (c.isolation == Isolation::kLocalFirst && r < 2 && c.demand_rps[1] > 80) continue;
      EXPECT_NEAR(plan.facts.planned_load[RegionId(r)], c.planned_load[r], 1e-6) << "region " << r;
    }
    EXPECT_NEAR(all, c.planned_load[0] + c.planned_load[1] + c.planned_load[2], 1e-6);
  }
}

// Whose jobs are refused by the table is who asked for too much.
TEST(Isolation, TheInnocentAreNotRefused) {
  for (const Isolation isolation : {Isolation::kLocalFirst, Isolation::kFill}) {
    SmallFleet fleet({900, 70, 80});
    fleet.tier->route.isolation = isolation;
    fleet.tier->guard.shed_above = 3;
    const Plan plan = fleet.Solve();
    // 1050 where three times 300 may wait: nobody else is in the way of what stands above.
    EXPECT_NEAR(plan.table.at(0, RegionId(0)).shed_fraction, 150.0 / 900, 1e-6);
    EXPECT_EQ(plan.table.at(0, RegionId(1)).shed_fraction, 0);
    EXPECT_EQ(plan.table.at(0, RegionId(2)).shed_fraction, 0);
  }
}

// They cannot stay at home: refusing them while the rest has GPUs would be no isolation.
TEST(Isolation, RequestsWithoutAHomeAreLevelled) {
  SmallFleet fleet({60, 80, 80, 190});
  fleet.Forbid(3, 1);
  fleet.Forbid(3, 2);
  fleet.tier->route.isolation = Isolation::kLocalFirst;
  fleet.tier->guard.shed_above = 3;
  fleet.region(0).draining = true;
  fleet.region(0).usable_share = 0;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(plan.facts.shed_rps, 0, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(1)], 1.1, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(2)], 1.1, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(3)], 1.9, 1e-6) << "its own overload stays at home";
}

// A neighbour that is hot itself still takes them: nobody is refused while some GPUs are free.
TEST(Isolation, TheHomelessGoToAHotNeighbourIfThereIsNoOther) {
  SmallFleet fleet({60, 85});
  fleet.tier->route.isolation = Isolation::kLocalFirst;
  fleet.tier->guard.shed_above = 3;
  fleet.region(0).draining = true;
  fleet.region(0).usable_share = 0;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(plan.facts.shed_rps, 0, 1e-6);
  EXPECT_NEAR(plan.facts.planned_load[RegionId(1)], 1.45, 1e-6);
}

}  // namespace
}  // namespace ringway::planner
