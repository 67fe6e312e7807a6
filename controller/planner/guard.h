// Pass 6, guard: how far the table in force moves towards the plan in one epoch.
//
//   step    a row moves at most step_max of its requests in one epoch, and those that it refuses no more
//   sound   no receiver may be lifted above its ceiling on the way: rows that send more there are slowed
//           down, rows that are to leave go at once; if neither suffices, the whole plan is taken, which is
//           sound
//
// Nothing is held here for being near enough: the inputs are held (held.h), so a plan that differs differs
// for a reason, and a row that stays for the sake of calm can keep a receiver from being relieved.
//
// A row that has become impossible (its target is gone, forbidden, or home serves nothing any more) moves at
// once. If the plan itself were unsound, the table in force stays, or home if that is unsound too, and a
// finding says so. Soundness goes before damping. O(entries x rounds), rounds bounded; pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_GUARD_H_
#define RINGWAY_CONTROLLER_PLANNER_GUARD_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/finding.h"
#include "controller/planner/reach.h"
#include "core/table.h"
#include "core/tier.h"

namespace ringway::planner {

// `in_force` may be null; otherwise its shape fits the tier. The draft is the one that `planned` was made of.
TierTable Guard(const Tier& tier, const Reach& reach, const Draft& draft, TierTable planned,
                const TierTable* in_force, std::vector<Finding>& findings);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_GUARD_H_
