// Properties of every plan, over thousands of random worlds.
#include <cmath>

#include "controller/planner/planner.h"
#include "gtest/gtest.h"
#include "tests/planner/plan_checks.h"
#include "tests/planner/random_case.h"

namespace ringway::planner {
namespace {

constexpr std::uint64_t kWorlds = 3000;

TEST(PlanProperty, RowsAreSoundAndNobodyIsLifted) {
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    ExpectSoundRows(c, plan.table);
    ExpectNobodyLifted(c, plan);
    EXPECT_FALSE(HasFinding(plan, Finding::Kind::kKeptPrevious));
    EXPECT_FALSE(HasFinding(plan, Finding::Kind::kBadInput));
  }
}

TEST(PlanProperty, FeasibleDemandIsServedAndTheLeastPossibleLeavesHome) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Case c = RandomCase(seed, {.load_min = 0.3, .load_max = 1.05});
    c.tier->route.escalation = Escalation::kWhenFull;
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    const bool possible = Feasible(c);
    EXPECT_EQ(HasFinding(plan, Finding::Kind::kOverloaded), !possible);
    if (!possible) continue;
    ++feasible;
    const Served served = ServedUnder(c, plan.table);
    EXPECT_NEAR(served.shed_rps, 0, 1e-6 * (1 + plan.facts.demand_rps));
    EXPECT_NEAR(served.away_rps, SurplusRps(c), 1e-3 * plan.facts.demand_rps + 1e-6);
    EXPECT_NEAR(plan.facts.away_min_rps, SurplusRps(c), 1e-6 * (1 + plan.facts.demand_rps));
  }
  EXPECT_GT(feasible, static_cast<int>(kWorlds) / 4);
}

TEST(PlanProperty, OverloadIsLevelledToTheWaterLevel) {
  int levelled = 0;
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Case c = RandomCase(seed, {.load_min = 1.0, .load_max = 1.6, .everybody_in_reach = true});
    c.tier->route.isolation = Isolation::kLevel;
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    // One level for all: demand = sum of level x headroom / cost.
    double demand = 0;
    double per_level = 0;
    for (const RegionLoad& region : c.snapshot.regions) {
      for (const double rps : region.demand_rps) demand += rps;
      per_level += region.usable_share / region.load_cost;
    }
    const double full = 1 - c.tier->guard.plan_margin;
    const double planned = c.tier->route.overload_threshold * full;
    const double highest = full * ShedLevel(c, RegionId(0));  // nobody holds a reserve here
    const double water = std::clamp(demand / per_level, planned, highest);
    if (water > planned) ++levelled;
    double hottest = 0;
    const Served served = ServedUnder(c, plan.table);
    for (std::size_t r = 0; r < c.snapshot.regions.size(); ++r) {
      const RegionLoad& region = c.snapshot.regions[RegionId(r)];
      hottest = std::max(hottest, region.load_cost * served.total_rps[RegionId(r)] / region.usable_share);
    }
    EXPECT_LE(hottest, water * 1.01);
    EXPECT_NEAR(served.shed_rps, std::max(0.0, demand - highest * per_level), 1e-5 * demand);
  }
  EXPECT_GT(levelled, static_cast<int>(kWorlds) / 2);
}

TEST(PlanProperty, LowerPrioritiesAreShedFirst) {
  int shed_worlds = 0;
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Case c = RandomCase(seed, {.load_min = 1.1, .load_max = 2.5, .everybody_in_reach = true});
    c.tier->route.isolation = Isolation::kLevel;  // else each region looks after its own
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    PerPriority<double> demand{};
    PerPriority<double> shed{};
    for (std::size_t p = 0; p < c.tier->priorities.size(); ++p) {
      for (std::size_t r = 0; r < c.snapshot.regions.size(); ++r) {
        const double rps = c.snapshot.regions[RegionId(r)].demand_rps[p];
        demand[p] += rps;
        shed[p] += rps * plan.table.at(static_cast<Priority>(p), RegionId(r)).shed_fraction;
      }
    }
    for (std::size_t p = 0; p + 1 < c.tier->priorities.size(); ++p) {
      if (shed[p] <= 1e-4 * demand[p] + 1e-6) continue;
      ++shed_worlds;
      for (std::size_t lower = p + 1; lower < c.tier->priorities.size(); ++lower) {
        EXPECT_NEAR(shed[lower], demand[lower], 1e-4 * demand[lower] + 1e-6) << p << " before " << lower;
      }
    }
  }
  EXPECT_GT(shed_worlds, 100);
}

TEST(PlanProperty, SameSnapshotSameBytes) {
  for (std::uint64_t seed = 1; seed <= kWorlds / 3; ++seed) {
    const Case c = RandomCase(seed);
    const Planner planner(c.world, c.tier);
    Case again = RandomCase(seed);
    const Plan first = planner.Solve(c.snapshot);
    ASSERT_EQ(first.table, planner.Solve(c.snapshot).table) << seed;
    const Plan other = Planner(again.world, again.tier).Solve(again.snapshot);
    ASSERT_EQ(first.table, other.table) << seed;
    ASSERT_EQ(first.facts.planned_load, other.facts.planned_load) << seed;
  }
}

// A row speaks of what entered at its source only: what a region receives never shows in what it sends, so
// the traffic of one hop is all the traffic there is.
TEST(PlanProperty, TrafficNeverPassesThroughAThirdRegion) {
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Case c = RandomCase(seed);
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    const Served served = ServedUnder(c, plan.table);
    double total = 0;
    for (const double rps : served.total_rps) total += rps;
    EXPECT_NEAR(total + served.shed_rps, plan.facts.demand_rps, 1e-6 * (1 + plan.facts.demand_rps));
    for (std::size_t r = 0; r < c.world->regions.size(); ++r) {
      const RegionLoad& load = c.snapshot.regions[RegionId(r)];
      EXPECT_NEAR(plan.facts.planned_load[RegionId(r)],
                  load.background_load + load.load_cost * served.total_rps[RegionId(r)], 1e-6);
      // Who has to send its own requests away has no room for those of others.
      if (HasFinding(plan, Finding::Kind::kOverloaded)) continue;
      double sent = 0;
      for (std::size_t p = 0; p < c.tier->priorities.size(); ++p) {
        for (const Route& route : plan.table.at(static_cast<Priority>(p), RegionId(r)).routes) {
          if (route.target != RegionId(r)) sent += route.fraction * load.demand_rps[p];
        }
      }
      EXPECT_LE(std::min(sent, served.imported_rps[RegionId(r)]), 1e-4);
    }
  }
}

TEST(PlanProperty, StepsFromTableToTableStaySound) {
  for (std::uint64_t seed = 1; seed <= kWorlds / 3 && !testing::Test::HasFailure(); ++seed) {
    Case c = RandomCase(seed);
    const Planner planner(c.world, c.tier);
    Rng rng(seed, 7);
    for (int round = 0; round < 12; ++round) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
      const Plan plan = planner.Solve(c.snapshot);
      ExpectSoundRows(c, plan.table);
      ExpectNobodyLifted(c, plan);
      EXPECT_FALSE(HasFinding(plan, Finding::Kind::kKeptPrevious));
      c.snapshot.previous = std::make_shared<TierTable>(plan.table);
      Drift(rng, rng.Chance(0.3) ? 0.8 : 0.05, c.snapshot);
    }
  }
}

TEST(PlanProperty, BadInputsNeverMakeABadTableAndAreNamed) {
  for (std::uint64_t seed = 1; seed <= kWorlds && !testing::Test::HasFailure(); ++seed) {
    Case c = RandomCase(seed);
    const Planner planner(c.world, c.tier);
    if (seed % 2 == 0) {
      c.snapshot.previous = std::make_shared<TierTable>(planner.Solve(c.snapshot).table);
    }
    Rng rng(seed, 9);
    const int spoilt = 1 + static_cast<int>(rng.Below(4));
    for (int k = 0; k < spoilt; ++k) {
      RegionId region;
      const std::string what = Poison(rng, c.snapshot, region);
      SCOPED_TRACE(testing::Message() << "seed " << seed << " region " << region.index() << " " << what);
      const Plan plan = planner.Solve(c.snapshot);
      ExpectSoundRows(c, plan.table);
      // A region without workers has no capacity that a number could be wrong about.
      const bool speaks_of_capacity = what.starts_with("usable") || what.starts_with("load cost");
      if (c.tier->regions[region].workers == 0 && speaks_of_capacity) continue;
      EXPECT_TRUE(HasFindingFor(plan, region));
    }
  }
}

TEST(PlanProperty, ASnapshotWithMissingEntriesStillMakesATable) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case c = RandomCase(seed);
    c.snapshot.regions.resize(c.snapshot.regions.size() / 2);
    const Plan plan = Planner(c.world, c.tier).Solve(c.snapshot);
    ASSERT_EQ(plan.table.regions(), c.world->regions.size());
    for (std::size_t r = c.snapshot.regions.size(); r < c.world->regions.size(); ++r) {
      EXPECT_TRUE(HasFindingFor(plan, RegionId(r)));
      for (std::size_t s = 0; s < c.world->regions.size(); ++s) {
        if (s == r) continue;
        for (const Route& route : plan.table.at(0, RegionId(s)).routes) EXPECT_NE(route.target.index(), r);
      }
    }
  }
}

}  // namespace
}  // namespace ringway::planner
