// The certificate of the refine pass over random worlds with everything that restricts a plan: residency,
// rings, caps, drains, overload, strict rings. The passes before it are run as the planner runs them; what it
// was given is then solved again by a plain solver (cheapest_placement.h).
#include <algorithm>
#include <limits>
#include <vector>

#include "controller/planner/check.h"
#include "controller/planner/fair_share.h"
#include "controller/planner/home.h"
#include "controller/planner/offload.h"
#include "controller/planner/refine.h"
#include "gtest/gtest.h"
#include "tests/planner/cheapest_placement.h"
#include "tests/planner/random_case.h"

namespace ringway::planner {
namespace {

constexpr std::uint64_t kPlans = 10'000;
constexpr double kForbidden = std::numeric_limits<double>::infinity();

Draft BeforeRefine(const Case& c, const Reach& reach) {
  const std::size_t regions = c.world->regions.size();
  std::vector<RegionId> everybody;
  ForEachRegion(regions, [&](RegionId region) { everybody.push_back(region); });
  std::vector<Finding> findings;
  Draft draft = BringHome(CheckInputs(*c.tier, regions, c.snapshot, findings), reach, nullptr);
  Offload(reach, *c.tier, everybody, draft);
  ShareFairly(reach, *c.tier, draft, findings);
  return draft;
}

// What refine may choose: where the requests that leave each region go.
double Truth(const Case& c, const Reach& reach, const Draft& draft) {
  std::vector<double> supply, room;
  std::vector<std::vector<double>> cost;
  IdVector<RegionId, double> used(draft.size());
  ForEachRegion(draft.size(), [&](RegionId source) {
    for (const Flow& flow : draft.away[source]) used[flow.target] += flow.rps;
  });
  ForEachRegion(draft.size(), [&](RegionId target) {
    room.push_back(std::max(0.0, draft.RoomRps(target)) + used[target]);
  });
  ForEachRegion(draft.size(), [&](RegionId source) {
    double leaves = 0;
    for (const Flow& flow : draft.away[source]) leaves += flow.rps;
    if (leaves <= 0) return;
    supply.push_back(leaves);
    std::vector<double>& row = cost.emplace_back(draft.size(), kForbidden);
    const Site& site = draft.sites[source];
    ForEachRegion(draft.size(), [&](RegionId target) {
      const auto ring = reach.RingOf(source, target);
      const bool strict = c.tier->route.escalation == Escalation::kByLoad;
      if (!ring || (strict && *ring >= reach.RingsUnlocked(site.Level(site.demand_total_rps)))) return;
      row[target.index()] = c.world->rtt.ms(source, target);
    });
    for (const Flow& flow : draft.away[source]) {
      if (flow.rps > 0) row[flow.target.index()] = c.world->rtt.ms(source, flow.target);
    }
  });
  return supply.empty() ? 0 : CheapestPlacement(supply, room, cost);
}

TEST(Certificate, IsNeverFalseAndNeverLooseOverManyWorlds) {
  int away = 0, overloaded = 0;
  double loosest = 1;
  for (std::uint64_t seed = 1; seed <= kPlans && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed, {.load_min = 0.3, .load_max = 1.5});
    const Reach reach(c.world, *c.tier);
    Draft draft = BeforeRefine(c, reach);
    const double truth = Truth(c, reach, draft);
    const double loop = RttCost(reach, draft);
    const double bound = RefineOptimal(reach, *c.tier, draft);
    const double cost = RttCost(reach, draft);
    if (truth <= 0) {
      EXPECT_LE(cost, 1e-6) << "nothing leaves home";
      continue;
    }
    ++away;
    overloaded += std::any_of(draft.sites.begin(), draft.sites.end(),
                              [&](const Site& site) { return site.limit_level > site.hot_level; });
    ASSERT_GT(bound, 0) << "no certificate";
    EXPECT_LE(bound, truth * (1 + 1e-6)) << "certifies what is not so";
    EXPECT_GE(cost, truth * (1 - 1e-6)) << "cheaper than possible";
    EXPECT_LE(cost, loop * (1 + 1e-6));
    EXPECT_LE(cost / bound, 1.002) << "the truth is " << cost / truth;
    loosest = std::max(loosest, cost / bound);
  }
  std::printf("%d plans sent traffic away, %d of them overloaded; widest gap %.6f\n", away, overloaded,
              loosest);
  EXPECT_GT(away, 5000);
  EXPECT_GT(overloaded, 1000);
}

}  // namespace
}  // namespace ringway::planner
