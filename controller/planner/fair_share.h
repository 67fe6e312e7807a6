// Pass 4, fair share: what to do with demand above everything reachable.
//
// A source that the loop left hot is first helped by displacement (closure.h). If its closure has no way out,
// the tier's isolation decides (docs/decisions/0007). Local first: what does not fit stays where it entered,
// if it can: the requests of a region without workers, or of one that is drained, are levelled. Fill: the
// other regions of the closure may be filled up, to 1 at most. Level: all of them may be filled up to the
// same level, the lowest that holds their demand (water-filling), so that no region is hotter than it must
// be; a closed set inside it that needs more is raised further, so the hottest level is that of the tightest
// set, which no plan can beat. Above their shed level requests are refused by the table, the least important
// priority first: of the regions that are in the overload, or, levelled, across the whole closure in
// proportion to each region's demand of that priority. A finding names each closure.
//
// The shed level lies above 1 (GuardSpec::shed_above) although nobody is served above 1. A shed share is 1 -
// level x capacity / demand, and all that the table knows of demand is a second or more old. Users who try
// again make it shrink by a tenth a second once the overload is over; a table that sheds down to exactly full
// is then always late, and its refused users are the next seconds' demand: at 20 times the capacity it
// idled a quarter of the GPUs for half a minute. An error in a region that is filled to twice its capacity
// costs refusals in its line, which knows each deadline; in one that is filled to 1 it costs GPU time.
//
// With `by-load` escalation there is no levelling: what the rings do not let out stays where it entered, hot,
// and above the shed level it is refused.
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
