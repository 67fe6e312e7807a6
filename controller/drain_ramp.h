// How far a region is drained: 0 serves fully, 1 takes nothing, and a change takes time.
//
// Emptying a region at once would throw its whole traffic at its neighbours within one epoch; letting it back
// at once would do the same to a region with cold caches. The share moves linearly, one full swing in
// `pace`, and turning around half way starts from where it stands.
//
// Pure value; time is an argument.
#ifndef RINGWAY_CONTROLLER_DRAIN_RAMP_H_
#define RINGWAY_CONTROLLER_DRAIN_RAMP_H_

#include <algorithm>

#include "absl/time/time.h"

namespace ringway::controller {

struct DrainRamp {
  bool drain = false;  // where it is heading
  double from = 0;     // share at `since`
  absl::Time since = absl::UnixEpoch();

  double Share(absl::Time now, absl::Duration pace) const {
    const double goal = drain ? 1 : 0;
    if (pace <= absl::ZeroDuration()) return goal;
    const double moved = std::max(0.0, absl::FDivDuration(now - since, pace));
    return drain ? std::min(1.0, from + moved) : std::max(0.0, from - moved);
  }
  void Turn(absl::Time now, bool to_drain, absl::Duration pace) {
    if (to_drain == drain) return;
    from = Share(now, pace);
    since = now;
    drain = to_drain;
  }
  friend bool operator==(const DrainRamp&, const DrainRamp&) = default;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DRAIN_RAMP_H_
