#include "runtime/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace ringway::runtime {

absl::Time MonotonicNow() {
  using Steady = std::chrono::steady_clock;
  struct Origin {
    absl::Time wall;
    Steady::time_point steady;
  };
  static const Origin origin{absl::Now(), Steady::now()};
  return origin.wall + absl::FromChrono(Steady::now() - origin.steady);
}

absl::Time WallNow() { return absl::Now(); }

}  // namespace ringway::runtime
