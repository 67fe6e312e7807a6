// Demand of one region and priority: a held rate of what enters, with sudden absurdities doubted before they
// are believed.
//
// The rate stands until the counts refute it (held.h); steps are answered as fast as counts can tell them.
//
// A report of more than jump_max times what is held (a counter that wrapped, a unit that changed, a router
// that counts twice) is not believed at once; after jump_confirmations such reports in a row it is the new
// truth. A region without much demand may really jump, so a floor applies, and a few events more than
// expected are never absurd: below jump_max x `floor_rps`, or by fewer than kFewEvents, nothing is doubted.
#ifndef RINGWAY_CONTROLLER_PLANNER_DEMAND_H_
#define RINGWAY_CONTROLLER_PLANNER_DEMAND_H_

#include "controller/planner/held.h"
#include "core/tier.h"

namespace ringway::planner {

class Demand {
 public:
  enum class Verdict {
    kTaken,
    kDoubted,    // far above what is held: not counted yet
    kBelieved,   // doubted before, now confirmed: the past is forgotten
    kNotNumber,  // NaN, infinite or negative: dropped
  };

  Demand(const GuardSpec& guard, double floor_rps)
      : held_({.refuted_at = guard.refuted_at}),
        jump_max_(guard.jump_max),
        confirmations_(guard.jump_confirmations),
        floor_rps_(floor_rps) {}

  // All that was learnt, for a checkpoint.
  struct Learnt {
    Held::State held;
    int doubted = 0;
  };

  // `count` requests entered in `seconds`.
  Verdict Add(double seconds, double count);
  double rps() const { return held_.rate(); }
  // For whoever would refuse requests because there are so many: a burst is judged over `seconds`.
  double AtMostRps(double seconds) const { return held_.AtMost(seconds); }
  Learnt learnt() const { return {held_.state(), doubted_}; }
  void Restore(const Learnt& learnt) {
    held_.Restore(learnt.held);
    doubted_ = learnt.doubted;
  }

 private:
  Held held_;
  double jump_max_;
  int confirmations_;
  double floor_rps_;
  int doubted_ = 0;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_DEMAND_H_
