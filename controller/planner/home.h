// Pass 2, home: all traffic back to the region where it entered, on paper. Capacity is not yet looked at.
//
// This model-based step is what makes the loop stable: the plan follows from demand and cost alone, never
// from the load that the last plan caused.
//
// Exceptions: a region without fresh numbers is not acted on. Its row stays as in the table in force as far
// as the receivers can still take it and it lets anybody in, and what it imports may not exceed what that
// table already sends there. A region that can serve nothing but reports no demand gets a trace of it, so
// that its row leads somewhere for the request that comes after all. O(n + routes of the table in force);
// pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_HOME_H_
#define RINGWAY_CONTROLLER_PLANNER_HOME_H_

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/table.h"

namespace ringway::planner {

inline constexpr double kTraceRps = 1e-6;

// `in_force` may be null; otherwise its shape fits the tier.
Draft BringHome(IdVector<RegionId, Site> sites, const Reach& reach, const TierTable* in_force);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_HOME_H_
