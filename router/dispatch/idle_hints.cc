#include "router/dispatch/idle_hints.h"

#include <algorithm>

namespace ringway::dispatch {

std::uint8_t& IdleHints::Place(WorkerId worker) {
  static_assert(kHintsMax < 255);
  if (!places_.contains(worker)) places_.resize(worker.index() + 1);
  return places_[worker];
}

void IdleHints::Drop(std::size_t i) {
  places_[workers_[i]] = 0;
  const std::size_t last = workers_.size() - 1;
  if (i != last) {
    workers_[i] = workers_[last];
    at_[i] = at_[last];
    places_[workers_[i]] = static_cast<std::uint8_t>(i + 1);
  }
  workers_.pop_back();
  at_.pop_back();
}

std::size_t IdleHints::Oldest() const {
  return static_cast<std::size_t>(std::min_element(at_.begin(), at_.end()) - at_.begin());
}

void IdleHints::Add(WorkerId worker, absl::Time now) {
  if (const std::uint8_t place = Place(worker); place != 0) {
    at_[place - 1u] = now;
    return;
  }
  if (workers_.size() >= kHintsMax) Drop(Oldest());
  workers_.push_back(worker);
  at_.push_back(now);
  places_[worker] = static_cast<std::uint8_t>(workers_.size());
}

void IdleHints::Forget(WorkerId worker) {
  if (const std::uint8_t place = Place(worker); place != 0) Drop(place - 1u);
}

WorkerId IdleHints::Take(absl::Time now, Rng& rng) {
  while (!workers_.empty()) {
    const std::size_t i = rng.Below(workers_.size());
    const WorkerId worker = workers_[i];
    const absl::Time at = at_[i];
    Drop(i);
    if (now - at <= kAgeMax) return worker;
  }
  return WorkerId();
}

}  // namespace ringway::dispatch
