// The recent past of one rate, so that an old load can be held against the traffic that caused it.
//
// A metric that is 15 s old describes the load of 15 s ago; dividing it by the traffic of now would teach a
// wrong load cost whenever traffic moves. At() gives the rate that was in force at a time: the last one
// recorded at or before it, the oldest kept if that is forgotten, zero if there is none.
//
// Bound: kKept entries, one an epoch. Times must not decrease. Pure value.
#ifndef RINGWAY_CONTROLLER_TIERS_RATE_HISTORY_H_
#define RINGWAY_CONTROLLER_TIERS_RATE_HISTORY_H_

#include <algorithm>
#include <cstddef>
#include <deque>

#include "core/time.h"

namespace ringway::controller {

class RateHistory {
 public:
  static constexpr std::size_t kKept = 64;
  struct Entry {
    Time at;
    double rps = 0;
  };

  void Add(Time at, double rps) {
    if (!entries_.empty() && entries_.back().at >= at) return;
    entries_.push_back({at, rps});
    if (entries_.size() > kKept) entries_.pop_front();
  }
  double At(Time time) const {
    if (entries_.empty()) return 0;
    const auto after = std::upper_bound(entries_.begin(), entries_.end(), time,
                                        [](Time t, const Entry& entry) { return t < entry.at; });
    return after == entries_.begin() ? entries_.front().rps : std::prev(after)->rps;
  }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  std::deque<Entry> entries_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_RATE_HISTORY_H_
