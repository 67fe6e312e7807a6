// Whether a region serves: up, gone, or back and still on trial; told from lost streams and dead workers
// within seconds, where the age of reports takes a minute.
//
// A region is up while one of its routers is connected and speaks, and one of its workers lives. When it
// falls it is no target from the next epoch on. When it comes back it serves its own users at once, and takes
// those of others after a trial: kTrial, twice as long for each fall within kForgiven of the one before,
// kTrialMax at most. So a region that goes down and up does not drag its neighbours' traffic along each time.
//
// A controller that sees more than half of the regions fall is more likely cut off than alone: CutOff, and
// its tables stand until half are back, or until the fallen have been gone for kCutOffMax. Falls while it is
// cut off count for nothing. Pure values; time is an argument.
#ifndef RINGWAY_CONTROLLER_FLEET_STANDING_H_
#define RINGWAY_CONTROLLER_FLEET_STANDING_H_

#include <algorithm>

#include "core/ids.h"
#include "core/time.h"

namespace ringway::controller {

class Standing {
 public:
  static constexpr Duration kTrial = Seconds(5);
  static constexpr Duration kTrialMax = Seconds(120);
  static constexpr Duration kForgiven = Minutes(5);

  // Once an epoch. `cut_off`: what is seen says nothing.
  void See(Time now, bool up, bool cut_off) {
    if (up == state_.up) return;
    if (!up) {
      state_.falls = now - state_.fell_at < kForgiven ? state_.falls + 1 : 1;
      if (cut_off) state_.falls = 0;
      state_.fell_at = now;
    } else {
      if (cut_off) state_.falls = 0;
      state_.rose_at = now;
    }
    state_.up = up;
  }
  // It was up, and is not.
  bool gone() const { return !state_.up && state_.fell_at != InfinitePast(); }
  bool OnTrial(Time now) const {
    if (!state_.up || state_.falls == 0) return false;
    return now - state_.rose_at < std::min(kTrialMax, kTrial * (1 << std::min(state_.falls - 1, 8)));
  }

  struct State {
    bool up = false;
    int falls = 0;  // each within kForgiven of the one before
    Time fell_at = InfinitePast();
    Time rose_at = InfinitePast();
  };
  const State& state() const { return state_; }
  void Restore(const State& state) { state_ = state; }

 private:
  State state_;
};

// Over the regions whose routers have been heard of: true for those that cannot be reached now.
class Horizon {
 public:
  static constexpr Duration kCutOffMax = Seconds(60);

  explicit Horizon(std::size_t regions) : lost_at_(regions, InfinitePast()), known_(regions, 0) {}

  void See(Time now, RegionId region, bool reachable) {
    if (reachable) {
      known_[region] = 1;
      lost_at_[region] = InfinitePast();
    } else if (known_[region] && lost_at_[region] == InfinitePast()) {
      lost_at_[region] = now;
    }
  }
  bool CutOff(Time now) const {
    std::size_t known = 0, lost = 0, lost_just_now = 0;
    for (RegionId id(0); id != known_.end_id(); id = RegionId(id.index() + 1)) {
      known += static_cast<std::size_t>(known_[id]);
      if (lost_at_[id] == InfinitePast()) continue;
      ++lost;
      lost_just_now += now - lost_at_[id] < kCutOffMax ? 1 : 0;
    }
    // Nobody left to speak to: whatever is planned, nobody hears of it.
    return known > 0 && (lost == known || 2 * lost_just_now > known);
  }
  const IdVector<RegionId, Time>& lost_at() const { return lost_at_; }
  const IdVector<RegionId, char>& known() const { return known_; }
  void Restore(RegionId region, bool known, Time lost_at) {
    known_[region] = known;
    lost_at_[region] = lost_at;
  }

 private:
  IdVector<RegionId, Time> lost_at_;  // InfinitePast: reachable, or never heard of
  IdVector<RegionId, char> known_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_STANDING_H_
