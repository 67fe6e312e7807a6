#include "controller/planner/planner.h"

#include <algorithm>
#include <utility>

#include "controller/planner/check.h"
#include "controller/planner/draft.h"
#include "controller/planner/fair_share.h"
#include "controller/planner/guard.h"
#include "controller/planner/home.h"
#include "controller/planner/offload.h"
#include "controller/planner/reach.h"
#include "controller/planner/refine.h"
#include "controller/planner/rows.h"
#include "controller/planner/traffic.h"
#include "core/check.h"

namespace ringway::planner {

struct Planner::Prepared {
  std::shared_ptr<const World> world;
  std::shared_ptr<const Tier> tier;
  Reach reach;
  std::vector<RegionId> everybody;
};

namespace {

// The table in force, if it speaks of this world and tier at all.
const TierTable* InForce(const TierSnapshot& snapshot, const Tier& tier, std::size_t regions,
                         std::vector<Finding>& findings) {
  const TierTable* table = snapshot.previous.get();
  if (table == nullptr) return nullptr;
  if (table->regions() == regions && table->priorities() == tier.priorities.size()) return table;
  findings.push_back({Finding::Kind::kBadInput, RegionId(),
                      "the table in force has another shape than the tier: planned as if there were none"});
  return nullptr;
}

void NoteHome(const Draft& draft, PlanFacts& facts) {
  facts.home_load.resize(draft.size());
  ForEachRegion(draft.size(), [&](RegionId region) {
    const Site& site = draft.sites[region];
    facts.home_load[region] = site.Load(site.demand_total_rps);
    facts.demand_rps += site.demand_total_rps;
    facts.away_min_rps += std::max(0.0, site.demand_total_rps - site.CapacityRps(site.hot_level));
  });
}

double RefineFlows(const Reach& reach, const Tier& tier, Draft& draft) {
  switch (tier.route.refine) {
    case RefineMode::kOff:
      return 0;
    case RefineMode::kSwap:
      RefineBySwaps(reach, tier, draft);
      return 0;
    case RefineMode::kOptimal:
      return RefineOptimal(reach, tier, draft);
  }
  return 0;
}

void NoteOutcome(const TierTable& table, const Draft& draft, const Reach& reach, PlanFacts& facts) {
  const Traffic traffic = TrafficUnder(table, draft.sites, reach);
  facts.away_rps = traffic.away_rps;
  facts.shed_rps = traffic.shed_rps;
  facts.planned_load.resize(draft.size());
  ForEachRegion(draft.size(), [&](RegionId region) {
    facts.planned_load[region] = draft.sites[region].Load(traffic.served_rps[region]);
  });
}

}  // namespace

Planner::Planner(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier) {
  RINGWAY_CHECK(!tier->priorities.empty() && tier->priorities.size() <= kMaxPriorities);
  std::vector<RegionId> everybody;
  ForEachRegion(world->regions.size(), [&](RegionId region) { everybody.push_back(region); });
  Reach reach(world, *tier);
  prepared_ = std::unique_ptr<const Prepared>(
      new Prepared{std::move(world), std::move(tier), std::move(reach), std::move(everybody)});
}

Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

Plan Planner::Solve(const TierSnapshot& snapshot) const {
  const auto& [world, tier, reach, everybody] = *prepared_;
  Plan plan;
  const TierTable* in_force = InForce(snapshot, *tier, everybody.size(), plan.findings);

  // Check: no plan stands on a number that cannot be true.
  IdVector<RegionId, Site> sites = CheckInputs(*tier, everybody.size(), snapshot, plan.findings);

  // Home: all traffic back to where it entered, on paper.
  Draft draft = BringHome(std::move(sites), reach, in_force);
  NoteHome(draft, plan.facts);

  // Offload: the hottest region first, a piece at a time, to the nearest region with room.
  plan.facts.moves = Offload(reach, *tier, everybody, draft);

  // Fair share: level what is above everything reachable; shed what is above everything.
  ShareFairly(reach, *tier, draft, plan.findings);

  // Refine: the same requests leave, over less distance.
  plan.facts.rtt_cost_loop = RttCost(reach, draft);
  const IdVector<RegionId, std::vector<Flow>> loop = draft.away;
  plan.facts.rtt_cost_optimal = RefineFlows(reach, *tier, draft);
  plan.facts.rtt_cost = RttCost(reach, draft);

  // Explain: rows with a ring, an unlocking load and a reason on every entry.
  TierTable planned = MakeTable(snapshot.tier, *tier, reach, draft, loop);

  // Guard: how far the table in force may move towards that now.
  plan.table = Guard(*tier, reach, draft, std::move(planned), in_force, plan.findings);
  NoteOutcome(plan.table, draft, reach, plan.facts);
  plan.changed = snapshot.previous == nullptr || plan.table != *snapshot.previous;
  return plan;
}

}  // namespace ringway::planner
