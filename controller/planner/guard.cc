#include "controller/planner/guard.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/planner/soundness.h"
#include "controller/planner/step.h"
#include "controller/planner/traffic.h"

namespace ringway::planner {
namespace {

// Refusals and costs below these shares are rounding.
constexpr double kRounding = 1e-6;

// Is the table in force good enough to stay?
bool WithinHysteresis(const Tier& tier, const Reach& reach, const Draft& draft, const TierTable& in_force,
                      const TierTable& planned) {
  const Traffic now = TrafficUnder(in_force, draft.sites, reach);
  const Traffic then = TrafficUnder(planned, draft.sites, reach);
  double demand_rps = 0;
  bool all_cool = true;
  ForEachRegion(draft.size(), [&](RegionId region) {
    const Site& site = draft.sites[region];
    demand_rps += site.demand_total_rps;
    const double ceiling = CeilingRps(site, tier);
    const double slack_rps = tier.guard.hysteresis * ceiling + kRounding;
    const double served = now.served_rps[region];
    if (served > ceiling && served > then.served_rps[region] + slack_rps) all_cool = false;
  });
  const double slack_rps = tier.guard.hysteresis * demand_rps;
  return all_cool && LiftedReceivers(now, tier, draft.sites).empty() &&
         now.shed_rps <= then.shed_rps + kRounding * demand_rps &&
         now.away_rps + now.shed_rps <= then.away_rps + then.shed_rps + slack_rps &&
         now.rtt_cost <= then.rtt_cost * (1 + tier.guard.cost_hysteresis) + kRounding * demand_rps;
}

// Rows that must change at once may not be held.
bool AnyImpossible(const Reach& reach, const Draft& draft, const TierTable& in_force) {
  bool impossible = false;
  for (std::size_t p = 0; p < in_force.priorities(); ++p) {
    ForEachRegion(draft.size(), [&](RegionId source) {
      const Row& row = in_force.at(static_cast<Priority>(p), source);
      const bool dead_home =
          draft.sites[source].headroom <= 0 && !row.routes.empty() && row.routes.front().target == source;
      impossible = impossible || dead_home || !RowSound(row, source, draft.sites, reach);
    });
  }
  return impossible;
}

// To a tenth: more would not be true.
double Percent(double share) { return std::round(1000 * share) / 10; }

TierTable MoveTowards(const Tier& tier, const Reach& reach, const Draft& draft, const TierTable& planned,
                      const TierTable& in_force, std::vector<Finding>& findings) {
  StepSearch search(tier, reach, draft, in_force, planned);
  search.MakeSound();
  TierTable table = in_force;
  for (const RowStep& step : search.steps()) {
    Row& row = table.at(step.priority, step.source);
    const Row& goal = planned.at(step.priority, step.source);
    if (step.progress <= 0) continue;
    row = step.progress >= 1 ? goal : Blend(row, goal, step.progress, step.source, reach);
    if (step.progress < 1) {
      findings.push_back({Finding::Kind::kStepLimited, step.source,
                          absl::StrCat("priority ", tier.priorities[step.priority], " moves ",
                                       Percent(step.progress * step.distance), " % of its requests now, ",
                                       Percent((1 - step.progress) * step.distance), " % later")});
    }
  }
  return table;
}

// Frozen rows were committed as they are; the split by priority must not change them either.
void KeepFrozenRows(const Draft& draft, const TierTable& in_force, TierTable& planned) {
  ForEachRegion(draft.size(), [&](RegionId source) {
    if (!draft.sites[source].frozen) return;
    for (std::size_t p = 0; p < planned.priorities(); ++p) {
      planned.at(static_cast<Priority>(p), source) = in_force.at(static_cast<Priority>(p), source);
    }
  });
}

bool Sound(const TierTable& table, const Tier& tier, const Reach& reach, const Draft& draft) {
  return RowsSound(table, tier, draft.sites, reach) &&
         LiftedReceivers(TrafficUnder(table, draft.sites, reach), tier, draft.sites).empty();
}

}  // namespace

TierTable Guard(const Tier& tier, const Reach& reach, const Draft& draft, TierTable planned,
                const TierTable* in_force, std::vector<Finding>& findings) {
  if (in_force != nullptr) KeepFrozenRows(draft, *in_force, planned);
  if (!Sound(planned, tier, reach, draft)) {
    const bool keep = in_force != nullptr && RowsSound(*in_force, tier, draft.sites, reach);
    findings.push_back({Finding::Kind::kKeptPrevious, RegionId(),
                        keep ? "no sound table could be planned: the table in force stays"
                             : "no sound table could be planned: every request stays where it enters"});
    return keep ? *in_force : HomeTable(planned.tier(), planned.regions(), planned.priorities());
  }
  if (in_force == nullptr || *in_force == planned) return planned;
  if (!AnyImpossible(reach, draft, *in_force) && WithinHysteresis(tier, reach, draft, *in_force, planned)) {
    findings.push_back(
        {Finding::Kind::kHeld, RegionId(), "the table in force is within the hysteresis of good"});
    return *in_force;
  }
  TierTable table = MoveTowards(tier, reach, draft, planned, *in_force, findings);
  return Sound(table, tier, reach, draft) ? table : planned;
}

}  // namespace ringway::planner
