// How fast the small messages of one attempt are taken and passed on: a token bucket (burst, then one each
// period).
//
// A worker says "accepted" once and progress at each step of its solver; a broken one says it as fast as the
// network goes, and each message costs every hop to the client. Two buckets stand against that, in
// attempts.cc. Of progress, kPassedBurst messages and then ten a second go on; in between the newest replaces
// the older ones, so a client is never told less than a tenth of a second too late. And of messages that are
// no part of a result no more than kReadPeriod allows are read: the rest waits at the worker, which flow
// control stops.
//
// Pure, the time is an argument. O(1). One owner.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_PROGRESS_PACE_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_PROGRESS_PACE_H_

#include <algorithm>

#include "core/time.h"

namespace ringway::router {

class Pace {
 public:
  Pace(int burst, Duration period) : burst_(burst), period_(period) {}

  // One token, if there is one.
  bool Take(Time now) {
    if (Next(now) > now) return false;
    // What has not been used for long is worth a burst, not more.
    full_at_ = std::max(full_at_, now) + period_;
    return true;
  }
  // When there is a token: `now` or later.
  Time Next(Time now) const { return std::max(now, full_at_ - period_ * (burst_ - 1)); }

 private:
  int burst_;
  Duration period_;
  Time full_at_ = InfinitePast();  // when the bucket is full again (GCRA)
};

// More than the steps of a distilled model, which are over in a moment.
inline constexpr int kPassedBurst = 16;
inline constexpr Duration kPassedPeriod = Milliseconds(100);
// Two thousand a second: no solver is so fast. A worker that is faster is broken, and what its own job loses
// is time. Reading pauses for many messages at once.
inline constexpr int kReadBurst = 256;
inline constexpr Duration kReadPeriod = Microseconds(500);
inline constexpr Duration kReadPause = Milliseconds(50);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_PROGRESS_PACE_H_
