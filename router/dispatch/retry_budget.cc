#include "router/dispatch/retry_budget.h"

#include <algorithm>
#include <cmath>

namespace ringway::dispatch {

void RetryBudget::Advance(absl::Time now) {
  if (now <= at_) return;
  if (at_ != absl::InfinitePast()) {
    const double passed_s = static_cast<double>(absl::ToInt64Nanoseconds(now - at_)) * 1e-9;
    constexpr double fade_s = kFadeS;
    const double kept = std::exp(-passed_s / fade_s);
    // The exact solution of tokens' = floor - tokens / fade: never deposits more than floor x time.
    tokens_ = tokens_ * kept + spec_.floor_per_second * fade_s * (1 - kept);
  }
  at_ = now;
}

void RetryBudget::OnArrival(absl::Time now) {
  Advance(now);
  tokens_ += spec_.share;
}

int RetryBudget::Reserve(int wanted, absl::Time now) {
  Advance(now);
  const double whole = std::floor(tokens_);
  const int granted = static_cast<int>(std::clamp(whole, 0.0, static_cast<double>(wanted)));
  tokens_ -= granted;
  return granted;
}

}  // namespace ringway::dispatch
