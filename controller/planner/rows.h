// Pass 7, explain: from the draft to rows of a table, each entry with its ring, its unlocking load and
// reason.
//
// A source's requests are one stream in the passes; here they are split by priority: the most important ones
// take the nearest places (home first, then by RTT), what the fair share shed of each priority is its shed
// fraction. A priority without demand gets the source's mean row, so that its first requests go somewhere
// sensible.
//
// Reasons: drain and no-workers speak of the source, one without provisioned or without living workers; level
// of a region filled above the threshold; displaced of a target that only the refine pass chose; else
// overload. `unlock_load` is the source's home load over its usable share: the load that opened the ring, or,
// where the nearer rings were full, the load that would not fit. Where no load did it, it is 0 and says
// nothing (OpenedByLoad). O(flows log flows); pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_ROWS_H_
#define RINGWAY_CONTROLLER_PLANNER_ROWS_H_

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/table.h"
#include "core/tier.h"

namespace ringway::planner {

// Whether Route::unlock_load means anything for a route of this reason.
constexpr bool OpenedByLoad(RouteReason reason) {
  return reason == RouteReason::kOverload || reason == RouteReason::kDisplaced ||
         reason == RouteReason::kLevel;
}

// `loop` holds the flows before refining; they tell which targets refine chose.
TierTable MakeTable(TierId tier_id, const Tier& tier, const Reach& reach, const Draft& draft,
                    const IdVector<RegionId, std::vector<Flow>>& loop);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_ROWS_H_
