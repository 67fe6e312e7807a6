#include "worker/service_history.h"

#include <algorithm>

namespace ringway {

void ServiceHistory::Add(Duration service) {
  if (service <= ZeroDuration() || service == InfiniteDuration()) return;
  const auto off_ns = static_cast<double>(ToInt64Nanoseconds(service) - mean_ns_);
  mean_ns_ += static_cast<std::int64_t>(kNewestWeight * off_ns);
}

Duration ServiceHistory::Remaining(Duration elapsed, std::uint32_t step, std::uint32_t steps) const {
  const Duration floor = kFloorShare * mean();
  if (step > 0 && step <= steps) {
    return std::max(floor, elapsed * (static_cast<double>(steps - step) / step));
  }
  return std::max(floor, mean() - elapsed);
}

}  // namespace ringway
