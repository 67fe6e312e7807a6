// The last hour of each tier in steps of five seconds: demand, where it was served, each region's load.
//
// An epoch's picture counts for the step in which it was taken; a step's numbers are the means of its
// pictures. A step without one (the controller was busy, the clock jumped) is a gap, kept as such, so that
// time runs evenly. A new fleet starts anew: its regions are others. What a former life of the controller saw
// can be put before (timeline_codec.h); the time in between is a gap.
//
// Bounds: kSteps steps; regions are left out beyond kRegionSeriesMax (tier, region) pairs, the tiers stay.
// Pure: time is an argument, monotonic; wall-clock time is the reader's affair. One owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_TIMELINE_H_
#define RINGWAY_CONTROLLER_SCREEN_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "controller/screen/picture.h"
#include "core/fleet.h"
#include "core/time.h"

namespace ringway::controller {

class Timeline {
 public:
  static constexpr Duration kStep = Seconds(5);
  static constexpr std::size_t kSteps = 720;
  static constexpr std::size_t kRegionSeriesMax = 2000;

  struct RegionPoint {
    float load = 0;
    float demand_rps = 0;
  };
  struct TierPoint {
    float demand_rps = 0;
    float away_rps = 0;
    float shed_rps = 0;
    std::vector<RegionPoint> regions;  // empty beyond the bound
  };
  struct Step {
    Time start;
    bool seen = false;  // false: a gap, `tiers` is empty
    std::vector<TierPoint> tiers;
  };

  // The start of the step that holds `time`.
  static Time StepOf(Time time) { return UnixEpoch() + Floor(time - UnixEpoch(), kStep); }

  // Before the first Add: what was seen of `fleet` earlier, on the grid of StepOf and without holes.
  void Restore(std::shared_ptr<const Fleet> fleet, std::deque<Step> steps);
  // Times must not decrease.
  void Add(Time now, const std::shared_ptr<const Fleet>& fleet, const FleetPicture& picture);

  // Steps that are over, oldest first, without holes in `start`.
  const std::deque<Step>& steps() const { return steps_; }
  // Counts up with each step that ends; for readers who ask whether there is more.
  std::uint64_t ended() const { return ended_; }

 private:
  void Count(const FleetPicture& picture);
  void End();

  std::shared_ptr<const Fleet> fleet_;
  std::deque<Step> steps_;
  Step open_;
  int pictures_ = 0;  // in open_, as sums
  std::uint64_t ended_ = 0;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_TIMELINE_H_
