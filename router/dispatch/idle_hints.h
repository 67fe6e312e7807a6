// A small pool of workers that were idle a moment ago, to be tried before blind probing.
//
// Hints come for free: a worker's watch stream says "idle", or this router's own job on it just ended. Each
// is used once (the worker that took our job is idle no more) and dies of age, because a fleet near capacity
// gives an idle worker away within milliseconds. Hints are taken at random, not newest first: every router of
// the region heard of the same newest one.
//
// Source: the probe pool of Prequal (Wydrowski et al., NSDI 2024) with its reuse budget of one, which is what
// its formula gives for workers that can hold one job.
// Bound: kHintsMax; the oldest makes room. A list through the hints keeps them by age, so everything is O(1).
// One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_IDLE_HINTS_H_
#define RINGWAY_ROUTER_DISPATCH_IDLE_HINTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway::dispatch {

class IdleHints {
 public:
  static constexpr std::size_t kHintsMax = 64;
  static constexpr Duration kAgeMax = Seconds(1);

  // A worker that is hinted already gets the newer time.
  void Add(WorkerId worker, Time now);
  void Forget(WorkerId worker) {
    if (const Place place = PlaceOf(worker); place != 0) Drop(place);
  }
  // A random hint that is young enough, removed; invalid id if there is none.
  WorkerId Take(Time now, Rng& rng);
  std::size_t size() const { return hints_.size(); }

  RINGWAY_STATE(hints_, oldest_, newest_, places_)

 private:
  // Position of a hint, plus one; 0: none.
  using Place = std::uint8_t;
  static_assert(kHintsMax < 255);
  struct Hint {
    WorkerId worker;
    Place older = 0;
    Place newer = 0;
    Time at = {};
    RINGWAY_STATE(worker, older, newer, at)
  };
  Place& PlaceOf(WorkerId worker) {
    if (!places_.contains(worker)) MakePlace(worker);
    return places_[worker];
  }
  void MakePlace(WorkerId worker);
  Hint& At(Place place) { return hints_[place - 1u]; }
  void Drop(Place place);
  void Unlink(const Hint& hint) {
    (hint.older != 0 ? At(hint.older).newer : oldest_) = hint.newer;
    (hint.newer != 0 ? At(hint.newer).older : newest_) = hint.older;
  }
  void LinkNewest(Place place) {
    Hint& hint = At(place);
    hint.older = newest_;
    hint.newer = 0;
    (newest_ != 0 ? At(newest_).newer : oldest_) = place;
    newest_ = place;
  }

  std::vector<Hint> hints_;
  Place oldest_ = 0;
  Place newest_ = 0;
  IdVector<WorkerId, Place> places_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_IDLE_HINTS_H_
