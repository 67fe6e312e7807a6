#include "router/dispatch/retry_budget.h"

#include <algorithm>
#include <cmath>

namespace ringway::dispatch {

double RetryBudget::FloorMax() const {
  return spec_.floor_per_second > 0 ? std::max(kSearch, spec_.floor_per_second * kFadeS) : 0;
}

void RetryBudget::Advance(Time now) {
  if (now <= at_) return;
  if (at_ != InfinitePast()) {
    const double passed_s = static_cast<double>(ToInt64Nanoseconds(now - at_)) * 1e-9;
    earned_ *= std::exp(-passed_s / kFadeS);
    floor_ = std::min(floor_ + spec_.floor_per_second * passed_s, FloorMax());
  }
  at_ = now;
}

void RetryBudget::OnArrival(Time now) {
  Advance(now);
  earned_ += spec_.share;
}

int RetryBudget::Reserve(int wanted, Time now) {
  Advance(now);
  const double whole = std::floor(earned_ + floor_);
  const int granted = static_cast<int>(std::clamp(whole, 0.0, static_cast<double>(wanted)));
  const double of_earned = std::min<double>(granted, earned_);
  earned_ -= of_earned;
  floor_ -= granted - of_earned;
  return granted;
}

// The floor first: it keeps.
void RetryBudget::Return(int unused) {
  const double to_floor = std::clamp(FloorMax() - floor_, 0.0, static_cast<double>(unused));
  floor_ += to_floor;
  earned_ += unused - to_floor;
}

}  // namespace ringway::dispatch
