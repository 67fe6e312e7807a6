// What every table must fulfil before it leaves the planner, whatever made it.
//
// Row by row: fractions are positive, finite, and sum to 1 with the shed fraction within 1e-9; no target
// twice; no remote target that the source's residency or rings forbid, that has no usable capacity, or is
// missing. Together: no region that imports is filled above its ceiling, nor above its import cap. The
// ceiling is the limit of the plan (threshold, or the level of a fair share) plus the hysteresis, but never
// above the true threshold while demand fits below it. O(entries); pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_SOUNDNESS_H_
#define RINGWAY_CONTROLLER_PLANNER_SOUNDNESS_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "controller/planner/traffic.h"
#include "core/table.h"
#include "core/tier.h"

namespace ringway::planner {

bool RowSound(const Row& row, RegionId source, const IdVector<RegionId, Site>& sites, const Reach& reach);

// Shape and every row; not the receivers.
bool RowsSound(const TierTable& table, const Tier& tier, const IdVector<RegionId, Site>& sites,
               const Reach& reach);

// Requests per second that a region which imports may serve, and import, at most.
double CeilingRps(const Site& site, const Tier& tier);
double ImportCeilingRps(const Site& site, const Tier& tier);

// Receivers above their ceiling, by rising id.
std::vector<RegionId> LiftedReceivers(const Traffic& traffic, const Tier& tier,
                                      const IdVector<RegionId, Site>& sites);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_SOUNDNESS_H_
