// What one metric of a region does with traffic: load = background + slope x requests per second, both
// learnt.
//
// For metrics other than how busy the workers are (memory, queue, temperature), which may have a base line of
// their own. Two numbers cannot be told apart while traffic stands still, so a Kalman filter carries how they
// may be wrong together: a load above what was expected is blamed on both in proportion to what is uncertain,
// and the traffic that the plan then takes away tells them apart. So a metric above the threshold sheds at
// once and the next readings correct how much. Traffic passes through the job-duration lag with the
// timestamps of the load (core/estimators.h), because an old load belongs to old traffic.
//
// What the planner is told is held: the line moves when the traffic that it allows differs by more than
// kHeldShare, so that noise moves no table.
//
// A value that repeats to the last bit although traffic has grown by kGrown of the region is taken to be
// frozen: it teaches nothing and invites nothing until it moves. 0 is never frozen: an empty queue is empty.
// Pure; one owner; O(1) a reading.
#ifndef RINGWAY_CONTROLLER_PLANNER_METRIC_LINE_H_
#define RINGWAY_CONTROLLER_PLANNER_METRIC_LINE_H_

#include "core/estimators.h"
#include "core/time.h"

namespace ringway::planner {

class MetricLine {
 public:
  // `prior`: load per request per second if the metric were the workers' busy share; > 0.
  MetricLine(double prior, Duration service_mean);

  // A reading of `at` in the order of time; older ones are dropped. `rps`: requests that went to the region's
  // workers over the time that ended then.
  void Add(Time at, double load, double rps, double threshold);

  // As held.
  double background() const { return state_.held_background; }
  double slope() const { return state_.held_slope * prior_; }
  // Requests per second at which the metric stands at `load`; 0 where the background alone is above.
  double RpsAt(double load) const;
  double last() const { return state_.last; }
  Time at() const { return state_.at; }  // of the last reading; InfinitePast: none
  bool frozen() const;

  struct State {
    double background = 0;  // the filter's
    double slope = 1;       // in multiples of the prior
    double var_background = 0, var_slope = 0, covariance = 0;
    double noise = 0;  // variance of readings
    double held_background = 0;
    double held_slope = 1;
    double last = 0;
    Time at = InfinitePast();
    double lagged = 0;  // traffic, in multiples of what makes every worker busy
    int repeats = 0;
    double lagged_at_first = 0;  // of the repeats
  };
  const State& state() const { return state_; }
  void Restore(const State& state);

 private:
  void Learn(double load, double seconds);
  void Hold(double threshold);

  double prior_;
  FirstOrderLag lag_;
  State state_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_METRIC_LINE_H_
