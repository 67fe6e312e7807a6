// How far a region is drained: 0 serves fully, 1 takes nothing, and a change takes time. What is drained is
// capacity: at 0.25 a region is planned as if a quarter of its GPUs were gone.
//
// Emptying a region at once would throw its whole traffic at its neighbours within one epoch; letting it back
// at once would do the same to a region with cold caches. The share moves linearly, one full swing in
// `pace`, and turning around half way starts from where it stands.
//
// Pure value; time is an argument.
#ifndef RINGWAY_CONTROLLER_TIERS_DRAIN_RAMP_H_
#define RINGWAY_CONTROLLER_TIERS_DRAIN_RAMP_H_

#include <algorithm>

#include "core/time.h"

namespace ringway::controller {

struct DrainRamp {
  double goal = 0;  // where it is heading
  double from = 0;  // share at `since`
  Time since = UnixEpoch();

  double Share(Time now, Duration pace) const {
    if (pace <= ZeroDuration()) return goal;
    const double moved = std::max(0.0, FDivDuration(now - since, pace));
    return goal > from ? std::min(goal, from + moved) : std::max(goal, from - moved);
  }
  void Turn(Time now, double to_goal, Duration pace) {
    if (to_goal == goal) return;
    from = Share(now, pace);
    since = now;
    goal = to_goal;
  }
  friend bool operator==(const DrainRamp&, const DrainRamp&) = default;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_DRAIN_RAMP_H_
