// Load cost: how much of a region's workers one more request per second keeps busy, told from how many jobs
// end.
//
// load = cost x requests served per second, and cost = 1 / (workers x jobs that a busy worker ends in a
// second). That speed is a held rate (held.h): completions over busy worker-seconds. It is unbiased whatever
// the traffic does, needs no lag, and shows slow workers before their slow jobs end: they are busy and
// nothing ends. The prior is the tier's mean service time, worth kPriorEvents completions. A completion
// scatters less than Poisson's law, because service times vary less than exponential ones, so no dispersion
// is measured.
//
// The cost stays within [cost_clamp_low, cost_clamp_high] x prior. Workers whose busy time repeats to the
// last bit, while jobs end and not all are busy, are not being measured any more: a frozen pipeline would
// make traffic that rises look like workers that became fast, so such reports teach nothing.
//
// State: that of Held. Threads: one owner.
#ifndef RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_
#define RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_

#include "controller/planner/held.h"
#include "core/tier.h"

namespace ringway::planner {

// Load per request per second that the fleet's size and service time imply; 0 where there are no workers.
double LoadCostPrior(const Tier& tier, RegionId region);

class LoadCost {
 public:
  // prior > 0.
  LoadCost(double prior, const Tier& tier);

  // What the workers of a region did in `seconds`.
  struct Worked {
    double seconds = 0;
    double ended = 0;   // jobs that left a worker, however they ended
    double busy_s = 0;  // of all workers
    double alive = 0;   // workers
  };
  void Add(const Worked& worked);

  double value() const { return Allowed(CostOf(speed_.rate())); }
  double low() const;
  double high() const;
  // The last reports repeat each other.
  bool frozen() const { return repeats_ >= kRepeatsMax; }

  // All that was learnt, for a checkpoint, or for the same region under edited settings: what these do not
  // allow is clamped.
  struct Learnt {
    Held::State speed;  // jobs ended in a busy worker-second
    double busy_s = 0;  // of the last report
    int repeats = 0;
  };
  // Every member that Add changes is in it; a replay of the controller's journal depends on that.
  Learnt learnt() const { return {speed_.state(), busy_s_, repeats_}; }
  void Restore(const Learnt& learnt);

 private:
  static constexpr int kRepeatsMax = 2;
  double CostOf(double speed) const;
  double Allowed(double cost) const;  // within the clamps

  double prior_;
  double service_mean_s_;  // that the prior is made of
  double clamp_low_;
  double clamp_high_;
  Held speed_;
  double busy_s_ = 0;
  int repeats_ = 0;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_LOAD_COST_H_
