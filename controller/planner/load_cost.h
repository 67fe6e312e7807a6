// Load cost: how much a region's load rises for one more request per second, learnt while it runs.
//
// The model is load = background + cost x lagged RPS. The prior follows from the fleet: a request keeps one
// of `workers` GPUs busy for the mean service time, so cost = service_mean / workers. Each sample is the load
// above the background divided by the RPS that caused it, that is the RPS passed through the job-duration lag
// with the load's own timestamps (core/estimators.h). A sample moves the estimate by GuardSpec::cost_ewma,
// less when there was too little traffic to tell, and less where samples scatter: the gain falls with their
// standard deviation, as the steady gain of a Kalman filter for a slowly drifting value does. Samples and
// estimate stay within [cost_clamp_low, cost_clamp_high] x prior, because a drained region would otherwise
// show an unbounded cost. A busy share near 1 cannot rise with traffic, and requests that wait or were
// refused are in the traffic: such a sample does not teach. What every worker is busy with does: then the
// prior's own formula, with the time that requests held their workers, is the sample. It is the only way to
// learn of workers that became slow while they cannot be less than busy.
//
// The interval is two standard errors of the forgetting mean, with the prior counted as a wide sample until
// it is forgotten. State: a few numbers. Threads: one owner.
#ifndef RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_
#define RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_

#include "absl/time/time.h"
#include "core/estimators.h"
#include "core/tier.h"

namespace ringway::planner {

// Load per request per second that the fleet's size and service time imply; 0 where there are no workers.
double LoadCostPrior(const Tier& tier, RegionId region);

class LoadCost {
 public:
  // prior > 0.
  LoadCost(double prior, const Tier& tier);

  struct Sample {
    double load = 0;
    double background_load = 0;
    double started_rps = 0;  // to this region, from all sources, over the time that ended at `at`
    double alive_share = 1;  // of the provisioned workers; a busy share can rise no higher
    double held_mean_s = 0;  // how long a request held a worker; 0: not known
  };
  // Call in the order of `at`.
  void Add(absl::Time at, const Sample& seen);

  double value() const { return value_; }
  double low() const;
  double high() const;

  // All that was learnt, for a checkpoint, or for the same region under edited settings: what these do not
  // allow is clamped.
  struct Learnt {
    double value = 0;
    double variance = 0;
    double prior_weight = 1;
    double lagged_rps = 0;
    absl::Time lagged_at = absl::InfinitePast();  // InfinitePast: no traffic seen
    double scatter = 0;
    bool scatter_primed = false;
    double last_sample = 0;
  };
  // Every member that Add changes is in it; a replay of the controller's journal depends on that.
  Learnt learnt() const;
  void Restore(const Learnt& learnt);

 private:
  double StandardError() const;
  double Calmness(double sample);
  void Learn(double cost, double weight);
  double Allowed(double cost) const;  // within the clamps

  double prior_;
  GuardSpec guard_;
  double service_mean_s_;  // that the prior is made of
  double telling_rps_;     // traffic from which a sample counts fully
  FirstOrderLag lagged_rps_;
  double value_;
  double variance_;
  Ewma scatter_;  // half the squared difference of successive samples: their variance, whatever the mean does
  double last_sample_ = 0;
  double prior_weight_ = 1;  // what is not yet forgotten of it
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_
