// What a region gets while some routers go by one plan and the others by another.
//
// Each plan keeps its receivers within their ceilings. A mixture is no plan: what it may do to a region is
// bounded here, for thousands of random worlds, settings and shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "controller/planner/planner.h"
#include "core/rng.h"
#include "tests/planner/random_case.h"

namespace ringway::planner {
namespace {

constexpr std::uint64_t kCases = 400;
constexpr double kSame = 1e-6;

// Other settings of the kind that a canary tries.
Tier Edited(Rng& rng, Tier tier) {
  tier.route.overload_threshold = 0.2 + 0.8 * rng.Uniform();
  tier.route.escalation = rng.Chance(0.5) ? Escalation::kWhenFull : Escalation::kByLoad;
  tier.route.isolation = static_cast<Isolation>(rng.Below(3));
  tier.guard.plan_margin = 0.3 * rng.Uniform();
  tier.guard.shed_above = 1 + 3 * rng.Uniform();
  for (TierRegion& region : tier.regions) region.import_cap_share = rng.Chance(0.3) ? rng.Uniform() : 1;
  return tier;
}

// Requests per second from each source to each target.
using Flows = IdVector<RegionId, IdVector<RegionId, double>>;

Flows FlowsOf(const TierTable& table, const TierSnapshot& snapshot, std::size_t priorities) {
  const std::size_t n = snapshot.regions.size();
  Flows flows(n, IdVector<RegionId, double>(n, 0.0));
  for (RegionId source(0); source != snapshot.regions.end_id(); source = RegionId(source.index() + 1)) {
    for (std::size_t p = 0; p < priorities; ++p) {
      for (const Route& route : table.at(static_cast<Priority>(p), source).routes) {
        flows[source][route.target] += snapshot.regions[source].demand_rps[p] * route.fraction;
      }
    }
  }
  return flows;
}

TEST(MixtureTest, ARegionGetsNoMoreThanTheWorseOfBothAndTheSharesDifference) {
  int alike = 0, other = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    Rng rng(seed, 7);
    const Case c = RandomCase(seed);
    const auto edited = std::make_shared<Tier>(Edited(rng, *c.tier));
    const std::size_t priorities = c.tier->priorities.size();
    const Flows before = FlowsOf(Planner(c.world, c.tier).Solve(c.snapshot).table, c.snapshot, priorities);
    const Flows after = FlowsOf(Planner(c.world, edited).Solve(c.snapshot).table, c.snapshot, priorities);
    const bool even = rng.Chance(0.5);
    const double share = 0.5 * rng.Uniform();
    IdVector<RegionId, double> chosen(c.snapshot.regions.size(), share);
    for (double& part : chosen) part = even ? share : rng.Uniform();
    double apart = 0;
    for (const double part : chosen) apart = std::max(apart, std::abs(part - share));
    for (RegionId target(0); target != chosen.end_id(); target = RegionId(target.index() + 1)) {
      double mixed = 0, old_rps = 0, new_rps = 0, moved = 0;
      for (RegionId source(0); source != chosen.end_id(); source = RegionId(source.index() + 1)) {
        const double b = before[source][target], a = after[source][target];
        mixed += chosen[source] * a + (1 - chosen[source]) * b;
        old_rps += b;
        new_rps += a;
        moved += std::abs(a - b);
      }
      const double worse = std::max(old_rps, new_rps);
      ASSERT_LE(mixed, worse + apart * moved + kSame) << "seed " << seed;
      if (even) {
        ASSERT_LE(mixed, worse + kSame) << "seed " << seed;
        ++alike;
      } else if (mixed > worse + kSame) {
        ++other;
      }
    }
  }
  EXPECT_GT(alike, 100);
  EXPECT_GT(other, 10) << "uneven shares do go beyond both plans: the bound is not idle";
}

}  // namespace
}  // namespace ringway::planner
