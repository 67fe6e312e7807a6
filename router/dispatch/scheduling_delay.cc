#include "router/dispatch/scheduling_delay.h"

#include <algorithm>

namespace ringway::dispatch {

double DelayedShare(const SchedulingDelaySpec& spec, double busy_share) {
  if (!(busy_share > spec.busy_min)) return 0;
  const double pressure = (busy_share - spec.busy_min) / (1 - spec.busy_min);
  return spec.share_max * std::min(pressure, 1.0);
}

Duration DelaySpan(const SchedulingDelaySpec& spec, Duration service_mean) {
  return std::min(spec.span, service_mean * kSpanOfService);
}

Duration SchedulingDelay(const SchedulingDelaySpec& spec, double busy_share, Duration service_mean,
                         Rng& rng) {
  const double share = DelayedShare(spec, busy_share);
  const Duration span = DelaySpan(spec, service_mean);
  if (share <= 0 || span <= ZeroDuration()) return ZeroDuration();
  if (!rng.Chance(share)) return ZeroDuration();
  return span * rng.Uniform();
}

}  // namespace ringway::dispatch
