// The yardstick: the least RTT cost of placing every hot region's surplus, by LEMON's network simplex over
// all arcs within the last ring, written apart from the planner's own refine pass.
//
// With RTTs that obey the triangle inequality a region below the threshold never gains by sending, so the
// problem is surplus -> room. At 5000 regions it has some six million arcs and takes seconds.
#ifndef RINGWAY_BENCH_PLANNER_OPTIMUM_H_
#define RINGWAY_BENCH_PLANNER_OPTIMUM_H_

#include "core/snapshot.h"
#include "core/tier.h"
#include "core/world.h"

namespace ringway::planner {

struct Optimum {
  double rtt_cost = 0;  // RPS x ms
  double away_rps = 0;  // the least that must leave home
  double placed_rps = 0;
  double solve_ms = 0;
};

Optimum FullOptimum(const World& world, const Tier& tier, const TierSnapshot& snapshot);

// The lowest level to which all regions must be filled to serve everything, were all in reach of each other
// (water-filling), as a load; the overload threshold if that suffices.
double WaterLevel(const Tier& tier, const TierSnapshot& snapshot);

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_OPTIMUM_H_
