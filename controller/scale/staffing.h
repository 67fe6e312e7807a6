// How many workers carry a given amount of work, and how they are shared out over regions that help each
// other.
//
// The least n at which a job of a pool of n workers waits `wait` service times on average with the most work
// that is provided for (Erlang's C with the correction for service times, planner/ceiling.h), and which are
// no busier than `busy_max` with the work that is expected. Not with the most: that would be two margins for
// one surprise. A region is not staffed as if it stood alone: a job that finds no idle worker at home starts
// in one of the nearest regions that has one (docs/dispatch.md, spill), so the reserve against scatter is
// that of the region's whole pool, shared out in proportion to the work. Five regions of six busy workers
// need 7 each instead of 9.
//
// What a region may not run (its maximum) goes to the nearest regions that may take its jobs and have room.
//
// Monotone: more work of a region never means fewer workers of it, nor fewer in all. Pure; O(log n) sizes a
// call, each of O(n) once.
#ifndef RINGWAY_CONTROLLER_SCALE_STAFFING_H_
#define RINGWAY_CONTROLLER_SCALE_STAFFING_H_

#include <vector>

#include "controller/planner/ceiling.h"
#include "controller/planner/reach.h"
#include "core/ids.h"
#include "core/tier.h"

namespace ringway::scale {

class Staffing {
 public:
  // Mean wait in service times, > 0; share of the workers that may be busy, in (0, 1].
  Staffing(double wait, double busy_max) : ceilings_(wait), busy_max_(busy_max) {}

  // The least workers for work that is `expected` and may be `at_most`, not less, both in busy workers; 0 for
  // none.
  int WorkersFor(double expected, double at_most);

 private:
  planner::Ceilings ceilings_;
  double busy_max_;
};

// The region itself, and the nearest others that take its jobs when its own workers are busy.
std::vector<RegionId> PoolOf(RegionId region, const Tier& tier, const planner::Reach& reach);

// Moves what exceeds `room` to the nearest reachable regions with room left; returns what nobody can carry.
// Both in workers.
double Overflow(const planner::Reach& reach, const IdVector<RegionId, double>& room,
                IdVector<RegionId, double>& workers);

// The number of standard deviations that a normal variable exceeds with this probability, in (0, 0.5].
double Sigmas(double risk);

}  // namespace ringway::scale

#endif  // RINGWAY_CONTROLLER_SCALE_STAFFING_H_
