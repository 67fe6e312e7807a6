// Which regions share one overload: everything that can trade room with a source that is stuck.
//
// From the stuck source to each target in its open rings, from a full target to each source that sends there,
// and on. If a target with room turns up, the path to it moves traffic along: each source on it hands its
// place at one target to the one before and takes the next target (an augmenting path of bipartite flow). If
// none does, the set is closed: its sources can be served inside it alone, and only filling its regions
// higher, or refusing requests, relieves the stuck one (the cut of max-flow min-cut).
//
// O(sources in the set x targets, at most n^2); stops early once every target has been seen. Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_CLOSURE_H_
#define RINGWAY_CONTROLLER_PLANNER_CLOSURE_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/tier.h"

namespace ringway::planner {

struct Closure {
  // Non-empty: the way out. step[0].source is the stuck one; step k's source sends to step k's target, and
  // steps after the first hand over what they send to the target of the step before.
  struct Step {
    RegionId source;
    RegionId target;
  };
  std::vector<Step> way_out;
  // When there is no way out: the closed set, in the order found. A region may be in both.
  std::vector<RegionId> sources;
  std::vector<RegionId> targets;
};

Closure Explore(const Reach& reach, const Tier& tier, const Draft& draft, RegionId stuck);

// Moves as much as the way out and the excess of the stuck source allow; returns the requests/s moved.
double MoveAlong(const std::vector<Closure::Step>& way_out, Draft& draft);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_CLOSURE_H_
