#include "router/dispatch/backoff.h"

#include <algorithm>
#include <cmath>

namespace ringway::dispatch {

Duration BackoffCeiling(const BackoffSpec& spec, Duration service_mean, int round) {
  // The cap never undercuts the base: an operator who asks for a base means it.
  const Duration cap = std::max(spec.base, service_mean * spec.cap_of_service);
  const double growth = std::pow(std::max(spec.multiplier, 1.0), std::min(round, 1000));
  const double base_s = ToDoubleSeconds(spec.base);
  const double ceiling_s = std::min(base_s * growth, ToDoubleSeconds(cap));
  return base_s > 0 ? Seconds(ceiling_s) : ZeroDuration();
}

Duration Backoff(const BackoffSpec& spec, Duration service_mean, int round, Rng& rng) {
  const Duration ceiling = BackoffCeiling(spec, service_mean, round);
  return spec.full_jitter ? ceiling * rng.Uniform() : ceiling;
}

}  // namespace ringway::dispatch
