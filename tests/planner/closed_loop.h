// The planner and its estimates against a fleet in virtual time, with old and noisy metrics.
//
// Thirty regions, one control round a second. The load of a region follows its requests with the job duration
// as time constant; what the controller sees of load, rates and demand is `metric_age` old and noisy. At
// kStepAt the demand of the biggest region jumps by the factor 1.8 and stays. The same fleet can be driven by
// a naive controller that feeds back measured load, to show that the run can tell good from bad.
#ifndef RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_
#define RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_

#include <cstdint>

namespace ringway::planner {

struct LoopConditions {
  int metric_age_s = 15;
  double load_noise = 0.02;   // of measured load; rates and demand are counted, so a fifth of it
  double cost_error_max = 0;  // true load cost against the prior, uniform within this either way
  std::uint64_t seed = 1;
};

struct LoopOutcome {
  int settled_s = 0;     // after the step: the last second with a region above 1.02 x threshold
  double overshoot = 0;  // worst load of any region above the threshold once all should have settled
  double churn = 0;      // share of all traffic sent elsewhere than a round before, mean over the steady end
  double swing = 0;      // peak to peak of the stepped region's load over the steady end
  double hot_seconds = 0;  // share of the steady end in which some region was above 1.02 x threshold
};

LoopOutcome RunPlanner(const LoopConditions& conditions);
LoopOutcome RunNaive(const LoopConditions& conditions);

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_CLOSED_LOOP_H_
