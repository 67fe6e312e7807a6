// The certified optimality gap against the truth, which an independent solver finds: worlds with one to three
// hot regions, where one near target often has room for everything.
#include <algorithm>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "tests/planner/cheapest_placement.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

constexpr double kEpsilon = 1e-9;

// Up to 100 regions, of which 1 to 3 are hot; the others are idle to nearly full.
SmallFleet SomeHotRegions(Rng& rng, std::size_t hot, double spare) {
  const std::size_t regions = hot + 2 + rng.Below(rng.Chance(0.2) ? 95 : 12);
  SmallFleet fleet(std::initializer_list<double>{});
  fleet.tier->route.refine = RefineMode::kOptimal;
  double excess = 0;
  for (std::size_t r = 0; r < regions; ++r) {
    fleet.world->regions.push_back({.name = "r" + std::to_string(r), .title = ""});
    fleet.tier->regions.push_back({.workers = 100});
    const double demand = r < hot ? 80 + 60 * rng.Uniform() + 0.5 : 80 * rng.Uniform() * (1 - spare);
    if (r < hot) excess += demand - 80;
    fleet.snapshot.regions.push_back({.load_cost = 0.01, .demand_rps = {demand}});
  }
  // As much as that has room somewhere.
  fleet.region(hot).demand_rps[0] = std::max(0.0, 80 - excess * (0.2 + 2 * rng.Uniform()));
  fleet.region(hot + 1).demand_rps[0] = std::max(0.0, 80 - excess);
  fleet.world->rtt = RttMatrix(regions);
  for (std::size_t a = 0; a < regions; ++a) {
    for (std::size_t b = 0; b < a; ++b) fleet.SetRtt(a, b, 1 + 200 * rng.Uniform());
  }
  return fleet;
}

TEST(OptimalityGap, IsNeverMissingNorBelowOneNorFalseByMoreThanAHundredth) {
  int plans = 0, roomy = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const std::size_t hot = 1 + rng.Below(3);
    const SmallFleet fleet = SomeHotRegions(rng, hot, rng.Uniform());
    const Plan plan = fleet.Solve();
    ASSERT_LE(plan.facts.shed_rps, kEpsilon);
    // What leaves each hot region is the plan's choice; where it goes is judged.
    std::vector<double> supply, room;
    std::vector<std::vector<double>> cost(hot);
    for (std::size_t s = 0; s < hot; ++s)
      supply.push_back(fleet.snapshot.regions[RegionId(s)].demand_rps[0] - 80);
    for (std::size_t t = hot; t < fleet.world->regions.size(); ++t) {
      room.push_back(80 - fleet.snapshot.regions[RegionId(t)].demand_rps[0]);
      for (std::size_t s = 0; s < hot; ++s) cost[s].push_back(fleet.world->rtt.ms(RegionId(s), RegionId(t)));
    }
    const double truth = CheapestPlacement(supply, room, cost);
    ASSERT_GT(truth, 0);
    double supplied = 0;
    for (const double rps : supply) supplied += rps;
    roomy += std::any_of(room.begin(), room.end(), [&](double rps) { return rps > supplied; });
    ++plans;
    const double bound = plan.facts.rtt_cost_optimal;
    ASSERT_GT(bound, 0) << "no certificate";
    EXPECT_LE(bound, truth * (1 + 1e-6)) << "a bound above the optimum certifies what is not so";
    EXPECT_GE(plan.facts.rtt_cost, truth * (1 - 1e-6));
    EXPECT_GE(plan.facts.rtt_cost / bound, 1 - 1e-9);
    EXPECT_LE(plan.facts.rtt_cost / bound, 1.01 * plan.facts.rtt_cost / truth);
  }
  EXPECT_GT(roomy, plans / 4) << "the case that this is about";
}

// Far more sources than the nearest targets have room for: the arcs that a source starts with are not enough,
// and prices have to call for others.
TEST(OptimalityGap, IsClosedWhereManySourcesWantTheSameTargets) {
  constexpr std::size_t kHot = 30, kTargets = 70;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    SmallFleet fleet(std::vector<double>(kHot + kTargets, 90));
    fleet.tier->route.refine = RefineMode::kOptimal;
    std::vector<double> supply(kHot, 10), room;
    std::vector<std::vector<double>> cost(kHot);
    for (std::size_t t = kHot; t < kHot + kTargets; ++t) {
      room.push_back(4 + 2 * rng.Uniform());
      fleet.region(t).demand_rps[0] = 80 - room.back();
      // Near for all or far for all, and a little nearer for some.
      const double ms = 1 + 200 * rng.Uniform();
      for (std::size_t s = 0; s < kHot; ++s) fleet.SetRtt(s, t, ms + 20 * rng.Uniform());
      for (std::size_t s = 0; s < kHot; ++s) cost[s].push_back(fleet.world->rtt.ms(RegionId(s), RegionId(t)));
    }
    const Plan plan = fleet.Solve();
    const double truth = CheapestPlacement(supply, room, cost);
    ASSERT_GT(truth, 0);
    EXPECT_LE(plan.facts.rtt_cost_optimal, truth * (1 + 1e-6));
    EXPECT_LE(plan.facts.rtt_cost, 1.002 * plan.facts.rtt_cost_optimal);
    EXPECT_LT(plan.facts.rtt_cost, 0.99 * plan.facts.rtt_cost_loop) << "there was something to gain";
  }
}

}  // namespace
}  // namespace ringway::planner
