// The planner and its estimates against a fleet in virtual time, with counts that scatter and come late.
//
// Thirty regions, one control round a second. The mean load of a region follows the mean of its requests with
// the job duration as time constant; what the controller sees are counts of requests that enter (Poisson, or
// with gaps of a higher variation), of jobs that end, and busy seconds, over `report_s`, `age_s` late. What
// is judged are the means: what the table makes of the fleet, not what chance does to a small region in a
// second. At kStepAt the demand of the biggest region jumps by the factor 1.8 and stays, or its workers
// become half as fast. The same fleet can be driven by a naive controller that feeds back measured load, to
// show that the run can tell good from bad.
#ifndef RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_
#define RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_

#include <cstdint>

namespace ringway::planner {

struct LoopConditions {
  int report_s = 1;
  int age_s = 1;               // of a report when it is read
  double cv = 1;               // of the gaps between requests
  double cost_error_max = 0;   // true load cost against the prior, uniform within this either way
  double demand_factor = 1.8;  // of the biggest region, from kStepAt on
  double slowness = 1;         // of its workers, likewise
  std::uint64_t seed = 1;
};

struct LoopOutcome {
  int settled_s = 0;     // after the step: the last second with a region above 1.02 x threshold
  double overshoot = 0;  // worst load of any region above the threshold once all should have settled
  double churn = 0;      // share of all traffic sent elsewhere than a round before, mean over the steady end
  double tables = 0;     // new ones a minute over the steady end
  double swing = 0;      // peak to peak of the stepped region's load over the steady end
  double hot_seconds = 0;  // share of the steady end in which some region was above 1.02 x threshold
};

LoopOutcome RunPlanner(const LoopConditions& conditions);
LoopOutcome RunNaive(const LoopConditions& conditions);

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_
