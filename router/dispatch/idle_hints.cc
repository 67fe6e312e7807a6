#include "router/dispatch/idle_hints.h"

#include <algorithm>

namespace ringway::dispatch {

void IdleHints::Drop(std::size_t i) {
  hints_[i] = hints_.back();
  hints_.pop_back();
}

void IdleHints::Add(WorkerId worker, absl::Time now) {
  for (Hint& hint : hints_) {
    if (hint.worker == worker) {
      hint.at = now;
      return;
    }
  }
  if (hints_.size() >= kHintsMax) {
    const auto oldest = std::min_element(hints_.begin(), hints_.end(),
                                         [](const Hint& a, const Hint& b) { return a.at < b.at; });
    Drop(static_cast<std::size_t>(oldest - hints_.begin()));
  }
  hints_.push_back({worker, now});
}

void IdleHints::Forget(WorkerId worker) {
  for (std::size_t i = 0; i < hints_.size(); ++i) {
    if (hints_[i].worker == worker) {
      Drop(i);
      return;
    }
  }
}

WorkerId IdleHints::Take(absl::Time now, Rng& rng) {
  while (!hints_.empty()) {
    const std::size_t i = rng.Below(hints_.size());
    const Hint hint = hints_[i];
    Drop(i);
    if (now - hint.at <= kAgeMax) return hint.worker;
  }
  return WorkerId();
}

}  // namespace ringway::dispatch
