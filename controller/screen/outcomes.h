// What became of jobs lately, over the whole fleet: how many were done, refused, lost; how long they waited
// and ran.
//
// Sums over the last kWindow of what routers report, by tier, in steps of a second: enough that a figure on a
// screen does not jump with every job, and little enough that trouble shows while it happens. A job counts
// where it entered first (that is what routers report); offers count where they were made. Who leaves by
// himself (cancelled) is neither a success nor a failure. Means only: routers report sums, so no percentile
// can be told from here.
//
// Bounds: kWindow seconds of sums for each tier. Pure: time is an argument, it must not decrease. One owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_OUTCOMES_H_
#define RINGWAY_CONTROLLER_SCREEN_OUTCOMES_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "controller/fleet/report.h"
#include "core/time.h"

namespace ringway::controller {

struct OutcomeSums {
  double done = 0, failed = 0, timeouts = 0, cancelled = 0, shed = 0;
  double ran = 0, offers = 0;        // jobs that left a worker, and offers made to workers
  double wait_s = 0, service_s = 0;  // of the done ones
  double judged() const { return done + failed + timeouts + shed; }
  void Add(const TierCounts& counts);
  void Add(const OutcomeSums& other);
};

class Outcomes {
 public:
  static constexpr Duration kWindow = Seconds(30);

  void Take(Time now, const std::vector<TierCounts>& counts);
  // Of the tier, over the last kWindow.
  OutcomeSums Of(TierId tier, Time now) const;

 private:
  struct Step {
    Time start;
    std::vector<OutcomeSums> tiers;  // by TierId, as far as any was told of
  };
  std::deque<Step> steps_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_OUTCOMES_H_
