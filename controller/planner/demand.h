// Demand of one region and priority, smoothed, with sudden absurdities doubted before they are believed.
//
// A change by more than demand_step that two reports in a row show is a step, not noise, and is believed
// whole: smoothing would only delay the answer. What counts as noise is at least three standard deviations of
// a count over one second, so that a small region's scatter is not mistaken for steps.
//
// A report above jump_max times the smoothed value (a counter that wrapped, a unit that changed, a router
// that double-counts) is not believed at once; after jump_confirmations such reports in a row it is the new
// truth. Small regions may really jump, so a floor applies: below jump_max x `floor_rps` nothing is absurd.
#ifndef RINGWAY_CONTROLLER_PLANNER_DEMAND_H_
#define RINGWAY_CONTROLLER_PLANNER_DEMAND_H_

#include "core/estimators.h"
#include "core/tier.h"

namespace ringway::planner {

class Demand {
 public:
  enum class Verdict {
    kTaken,
    kDoubted,    // far above the smoothed value: not counted yet
    kBelieved,   // doubted before, now confirmed: the past is forgotten
    kNotNumber,  // NaN, infinite or negative: dropped
  };

  Demand(const GuardSpec& guard, double floor_rps)
      : smoothed_(guard.demand_ewma),
        step_(guard.demand_step),
        jump_max_(guard.jump_max),
        confirmations_(guard.jump_confirmations),
        floor_rps_(floor_rps) {}

  // All that was learnt, for a checkpoint.
  struct Learnt {
    double rps = 0;
    bool primed = false;
    int doubted = 0;
  };

  Verdict Add(double rps);
  double rps() const { return smoothed_.value(); }
  Learnt learnt() const { return {smoothed_.value(), smoothed_.primed(), doubted_}; }
  void Restore(const Learnt& learnt) {
    if (learnt.primed) smoothed_.Reset(learnt.rps);
    doubted_ = learnt.doubted;
  }

 private:
  void Take(double rps);

  Ewma smoothed_;
  double step_;
  double jump_max_;
  int confirmations_;
  double floor_rps_;
  int doubted_ = 0;
  double before_step_ = 0;
  int stepped_ = 0;  // +1 or -1 when the last report was that far off
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_DEMAND_H_
