#include "runtime/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace ringway::runtime {

Time MonotonicNow() {
  using Steady = std::chrono::steady_clock;
  struct Origin {
    Time wall;
    Steady::time_point steady;
  };
  static const Origin origin{absl::Now(), Steady::now()};
  return origin.wall + absl::FromChrono(Steady::now() - origin.steady);
}

Time WallNow() { return absl::Now(); }

}  // namespace ringway::runtime
