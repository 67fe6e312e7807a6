// Pass 4, fair share: what to do with demand above everything reachable.
//
// A source that the loop left hot is first helped by displacement (closure.h). If its closure has no way out,
// the regions of the closure are levelled: all of them may be filled up to the same level, the lowest that
// holds their demand (water-filling), so that no region is hotter than it must be. A closed set inside it
// that needs more is then raised further, so the hottest level is that of the tightest set, which no plan can
// beat. Above level 1 nothing can be served: requests are shed, the least important priority first, across
// the whole closure in proportion to each region's demand of that priority. A finding names each closure.
//
// With `by-load` escalation there is no levelling: what the rings do not let out stays where it entered, hot,
// and above level 1 it is refused.
//
// Regions below the threshold keep their own traffic at home; they only make room as far as their level
// rises. Does nothing when the loop relieved everybody. Rounds are bounded; what is left then is shed where
// it entered. Complexity: a closure and a partial loop a round, typically one round. Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_FAIR_SHARE_H_
#define RINGWAY_CONTROLLER_PLANNER_FAIR_SHARE_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/finding.h"
#include "controller/planner/reach.h"
#include "core/tier.h"

namespace ringway::planner {

void ShareFairly(const Reach& reach, const Tier& tier, Draft& draft, std::vector<Finding>& findings);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_FAIR_SHARE_H_
