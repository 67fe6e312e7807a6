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
  TierTable table = MoveTowards(tier, reach, draft, planned, *in_force, findings);
  return Sound(table, tier, reach, draft) ? table : planned;
}

}  // namespace ringway::planner
