#include "router/dispatch/scheduling_delay.h"

#include <algorithm>

namespace ringway::dispatch {

double DelayedShare(const SchedulingDelaySpec& spec, double busy_share) {
  if (!(busy_share > spec.busy_min)) return 0;
  const double pressure = (busy_share - spec.busy_min) / (1 - spec.busy_min);
  return spec.share_max * std::min(pressure, 1.0);
}

absl::Duration DelaySpan(const SchedulingDelaySpec& spec, absl::Duration service_mean) {
  return std::min(spec.span, service_mean * kSpanOfService);
}

absl::Duration SchedulingDelay(const SchedulingDelaySpec& spec, double busy_share,
                               absl::Duration service_mean, Rng& rng) {
  const double share = DelayedShare(spec, busy_share);
  const absl::Duration span = DelaySpan(spec, service_mean);
  if (share <= 0 || span <= absl::ZeroDuration()) return absl::ZeroDuration();
  if (!rng.Chance(share)) return absl::ZeroDuration();
  return span * rng.Uniform();
}

}  // namespace ringway::dispatch
