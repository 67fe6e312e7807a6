// Demand of one region and priority, smoothed, with sudden absurdities doubted before they are believed.
//
// A report above jump_max times the smoothed value (a counter that wrapped, a unit that changed, a router
// that double-counts) is not believed at once; after jump_confirmations such reports in a row it is the new
// truth. Small regions may really jump, so a floor applies: below `floor_rps` nothing is absurd.
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
        jump_max_(guard.jump_max),
        confirmations_(guard.jump_confirmations),
        floor_rps_(floor_rps) {}

  Verdict Add(double rps);
  double rps() const { return smoothed_.value(); }

 private:
  Ewma smoothed_;
  double jump_max_;
  int confirmations_;
  double floor_rps_;
  int doubted_ = 0;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_DEMAND_H_
