// The measurements of the benchmark: one plan against its yardsticks.
//
// The loop is timed by itself, on the draft that the passes before it make; Solve is timed whole, with check,
// home, loop, refine, explain and guard. Each time is the quickest of three runs. Costs are compared with the
// full optimum of the same snapshot (optimum.h), made in the same run. Building a Planner, which happens once
// a topology, is not timed.
#ifndef RINGWAY_BENCH_PLANNER_MEASURE_H_
#define RINGWAY_BENCH_PLANNER_MEASURE_H_

#include <memory>

#include "bench/planner/fleet_generator.h"
#include "bench/planner/sample.h"

namespace ringway::planner {

// Figures of one world size and load, over the seeds.
struct Figures {
  Sample loop_ms;            // the offload loop alone
  Sample solve_ms;           // Planner::Solve with the optimal refine
  Sample optimum_ms;         // LEMON over all arcs
  Sample loop_cost;          // RTT cost after the loop, over the optimum
  Sample refined_cost;       // after refine, over the optimum
  Sample away_share;         // of all requests
  Sample away_excess_share;  // above the least possible, either way
};

// Plans one snapshot and adds to the figures.
void Measure(const SyntheticFleet& fleet, const TierSnapshot& snapshot, Figures& figures);

// Demand above the threshold of everything, levelled: the hottest region's planned load over the water level.
double HottestOverWater(const SyntheticFleet& fleet, const TierSnapshot& snapshot);
// CPU time of one plan, in ms, under the policy.
double SolveMs(const SyntheticFleet& fleet, const TierSnapshot& snapshot, Isolation isolation);

// Seconds to plan `tiers` tiers of one world, each with fleets and demand of its own, one after the other.
double TiersSeconds(std::size_t tiers, std::size_t regions);

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_MEASURE_H_
