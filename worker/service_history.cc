#include "worker/service_history.h"

#include <algorithm>

namespace ringway {

void ServiceHistory::Add(absl::Duration service) {
  if (service <= absl::ZeroDuration() || service == absl::InfiniteDuration()) return;
  mean_ += kNewestWeight * (service - mean_);
}

absl::Duration ServiceHistory::Remaining(absl::Duration elapsed, std::uint32_t step,
                                         std::uint32_t steps) const {
  const absl::Duration floor = kFloorShare * mean_;
  if (step > 0 && step <= steps) {
    return std::max(floor, elapsed * (static_cast<double>(steps - step) / step));
  }
  return std::max(floor, mean_ - elapsed);
}

}  // namespace ringway
