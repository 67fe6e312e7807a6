#include "bench/planner/measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/planner/cpu_clock.h"
#include "bench/planner/optimum.h"
#include "controller/planner/check.h"
#include "controller/planner/home.h"
#include "controller/planner/offload.h"
#include "controller/planner/planner.h"

namespace ringway::planner {
namespace {

constexpr int kRuns = 3;
constexpr std::uint64_t kSeedOfTiers = 1;

double LoopMs(const SyntheticFleet& fleet, const TierSnapshot& snapshot) {
  const std::size_t n = fleet.world->regions.size();
  const Reach reach(fleet.world, *fleet.tier);
  std::vector<RegionId> everybody;
  ForEachRegion(n, [&](RegionId region) { everybody.push_back(region); });
  std::vector<Finding> findings;
  const Draft home = BringHome(CheckInputs(*fleet.tier, n, snapshot, findings), reach, nullptr);
  double best = 1e9;
  for (int k = 0; k < kRuns; ++k) {
    Draft draft = home;
    best = std::min(best, QuickestMs(1, [&] { Offload(reach, *fleet.tier, everybody, draft); }));
  }
  return best;
}

}  // namespace

void Measure(const SyntheticFleet& fleet, const TierSnapshot& snapshot, Figures& figures) {
  const Planner planner(fleet.world, fleet.tier);
  Plan plan;
  figures.solve_ms.Add(QuickestMs(kRuns, [&] { plan = planner.Solve(snapshot); }));
  figures.loop_ms.Add(LoopMs(fleet, snapshot));
  const Optimum optimum = FullOptimum(*fleet.world, *fleet.tier, snapshot);
  figures.optimum_ms.Add(optimum.solve_ms);
  // A yardstick that placed less than all would flatter nobody but itself.
  const double complete = optimum.placed_rps > 0 ? optimum.away_rps / optimum.placed_rps : 1;
  figures.loop_cost.Add(plan.facts.rtt_cost_loop / (optimum.rtt_cost * complete));
  figures.refined_cost.Add(plan.facts.rtt_cost / (optimum.rtt_cost * complete));
  const double gone_rps = plan.facts.away_rps + plan.facts.shed_rps;
  figures.away_share.Add(gone_rps / plan.facts.demand_rps);
  figures.away_excess_share.Add(std::abs(gone_rps - optimum.away_rps) / plan.facts.demand_rps);
}

double HottestOverWater(const SyntheticFleet& fleet, const TierSnapshot& snapshot) {
  fleet.tier->route.isolation = Isolation::kLevel;
  const Plan plan = Planner(fleet.world, fleet.tier).Solve(snapshot);
  const double hottest = *std::max_element(plan.facts.planned_load.begin(), plan.facts.planned_load.end());
  return hottest / WaterLevel(*fleet.tier, snapshot);
}

double SolveMs(const SyntheticFleet& fleet, const TierSnapshot& snapshot, Isolation isolation) {
  fleet.tier->route.isolation = isolation;
  const Planner planner(fleet.world, fleet.tier);
  return QuickestMs(kRuns, [&] { (void)planner.Solve(snapshot); });
}

double TiersSeconds(std::size_t tiers, std::size_t regions) {
  const SyntheticFleet fleet = MakeFleet(regions, kSeedOfTiers);
  std::vector<Planner> planners;
  std::vector<TierSnapshot> snapshots;
  for (std::size_t t = 0; t < tiers; ++t) {
    const std::shared_ptr<Tier> tier = MakeTier(regions, 100 + t);
    planners.emplace_back(fleet.world, tier);
    snapshots.push_back(MakeSnapshot(*tier, 0.7 + 0.2 * static_cast<double>(t % 2), 100 + t));
  }
  const double start = CpuMs();
  std::size_t changed = 0;
  for (std::size_t t = 0; t < tiers; ++t) changed += planners[t].Solve(snapshots[t]).changed ? 1 : 0;
  return changed == tiers ? (CpuMs() - start) / 1000 : 1e9;
}

}  // namespace ringway::planner
