#include "proto/drain_codec.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace ringway::wire {

absl::StatusOr<Duration> DrainTermOf(bool drain, double for_s) {
  if (for_s == 0) return InfiniteDuration();
  if (!drain) {
    return absl::InvalidArgumentError(
        absl::StrCat("for_s is ", for_s, ", but what takes a drain back counts for good; 0 is allowed"));
  }
  if (!std::isfinite(for_s) || for_s < 0 || for_s > kDrainSecondsMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("for_s is ", for_s, "; allowed are seconds above 0, at most ", kDrainSecondsMax,
                     " (30 days), or 0: until it is taken back"));
  }
  return Seconds(for_s);
}

}  // namespace ringway::wire
