#include "router/dispatch/idle_hints.h"

namespace ringway::dispatch {

void IdleHints::MakePlace(WorkerId worker) { places_.resize(worker.index() + 1); }

void IdleHints::Drop(Place place) {
  Unlink(At(place));
  places_[At(place).worker] = 0;
  const auto last = static_cast<Place>(hints_.size());
  if (place != last) {
    // The last one moves into the gap; its neighbours in age follow it.
    Hint& moved = At(place) = At(last);
    (moved.older != 0 ? At(moved.older).newer : oldest_) = place;
    (moved.newer != 0 ? At(moved.newer).older : newest_) = place;
    places_[moved.worker] = place;
  }
  hints_.pop_back();
}

void IdleHints::Add(WorkerId worker, Time now) {
  Place place = PlaceOf(worker);
  if (place != 0) {
    Unlink(At(place));
  } else {
    if (hints_.size() >= kHintsMax) Drop(oldest_);
    hints_.push_back({.worker = worker});
    place = static_cast<Place>(hints_.size());
    places_[worker] = place;
  }
  At(place).at = now;
  LinkNewest(place);
}

WorkerId IdleHints::Take(Time now, Rng& rng) {
  while (!hints_.empty()) {
    const auto place = static_cast<Place>(rng.Below(hints_.size()) + 1);
    const Hint hint = At(place);
    Drop(place);
    if (now - hint.at <= kAgeMax) return hint.worker;
  }
  return WorkerId();
}

}  // namespace ringway::dispatch
