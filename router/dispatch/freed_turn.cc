#include "router/dispatch/freed_turn.h"

#include <algorithm>

namespace ringway::dispatch {

Duration FreedTurn::Wait(Rng& rng) const { return contended() ? window_ * rng.Uniform() : ZeroDuration(); }

void FreedTurn::Taken() {
  window_ *= kDecay;
  if (window_ < kWindowMin) window_ = ZeroDuration();
}

void FreedTurn::Refused() { window_ = std::clamp(2 * window_, kWindowMin, kWindowMax); }

}  // namespace ringway::dispatch
