// Pass 5, refine: the same requests leave the same regions, but each goes where the sum of RPS x RTT is
// least.
//
// What the loop lacks against the optimum is displacement: a source that could go a little further to make
// room for one that must otherwise go much further. `optimal` solves the transport problem over each source's
// nearest arcs with room and the loop's own, so it is always feasible and never worse than the loop; then
// prices certify the result over all arcs, and where the certificate leaves a gap above kGapMax the arcs that
// the prices call for are added and the solver goes on. `swap` exchanges targets pairwise: cheaper at a few
// regions, no certificate.
//
// In `by-load` escalation a source uses only the rings that its home load unlocks. Frozen rows do not move.
// Changes nothing where nothing leaves home. Pure. Sources: transport.h, LP duality.
#ifndef RINGWAY_CONTROLLER_PLANNER_REFINE_H_
#define RINGWAY_CONTROLLER_PLANNER_REFINE_H_

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/tier.h"

namespace ringway::planner {

// Sum of RPS x RTT in ms over all that the draft sends away.
double RttCost(const Reach& reach, const Draft& draft);

// Returns a lower bound on the RTT cost of any placement of what leaves home, 0 when it did not run.
double RefineOptimal(const Reach& reach, const Tier& tier, Draft& draft);
void RefineBySwaps(const Reach& reach, const Tier& tier, Draft& draft);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_REFINE_H_
