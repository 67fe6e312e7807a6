// Load cost: how much a region's load rises for one more request per second, learnt while it runs.
//
// The model is load = background + cost x lagged RPS. The prior follows from the fleet: a request keeps one
// of `workers` GPUs busy for the mean service time, so cost = service_mean / workers. Each sample is the load
// above the background divided by the RPS that caused it, that is the RPS passed through the job-duration lag
// with the load's own timestamps (core/estimators.h). A sample moves the estimate by GuardSpec::cost_ewma,
// less when there was too little traffic to tell, and less where samples scatter: the gain falls with their
// standard deviation, as the steady gain of a Kalman filter for a slowly drifting value does. Samples and
// estimate stay within [cost_clamp_low, cost_clamp_high] x prior, because a drained region would otherwise
// show an unbounded cost. A busy share near 1 cannot rise with traffic: such samples do not teach.
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

  // `started_rps`: requests per second that went to this region's workers, from all sources, over the time
  // that ended at `at`. `alive_share`: of the provisioned workers; load can rise no higher. Call in the order
  // of `at`.
  void Add(absl::Time at, double load, double background_load, double started_rps, double alive_share = 1);

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

  double prior_;
  GuardSpec guard_;
  double telling_rps_;  // traffic from which a sample counts fully
  FirstOrderLag lagged_rps_;
  double value_;
  double variance_;
  Ewma scatter_;  // half the squared difference of successive samples: their variance, whatever the mean does
  double last_sample_ = 0;
  double prior_weight_ = 1;  // what is not yet forgotten of it
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_
