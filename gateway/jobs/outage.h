// When to ask a server that does not answer again.
//
// While it answers, everybody may. After a failure one call at a time may, after 1, 2, 4, ... seconds, at
// most kPauseMax apart, until one succeeds: a server that comes back is not met by all that has waited for
// it. Says when people should hear of it: when it begins, every kReminder, and when it is over.
//
// Pure. Threads: one owner. O(1).
#ifndef RINGWAY_GATEWAY_JOBS_OUTAGE_H_
#define RINGWAY_GATEWAY_JOBS_OUTAGE_H_

#include "core/time.h"

namespace ringway::gateway {

class Outage {
 public:
  static constexpr Duration kPauseMax = Seconds(16);
  static constexpr Duration kReminder = Minutes(1);

  // `under_way`: calls that have not ended.
  bool MayTry(Time now, std::size_t under_way) const {
    return failures_ == 0 || (under_way == 0 && now >= next_);
  }
  // True: tell people.
  bool OnFailure(Time now) {
    const Duration pause = Seconds(1) * (failures_ < 4 ? 1 << failures_ : 16);
    next_ = now + (pause < kPauseMax ? pause : kPauseMax);
    if (failures_++ == 0) since_ = now, told_ = InfinitePast();
    if (now - told_ < kReminder) return false;
    told_ = now;
    return true;
  }
  // True: an outage has ended.
  bool OnSuccess() {
    const bool ended = failures_ > 0;
    failures_ = 0;
    return ended;
  }
  bool lasts() const { return failures_ > 0; }
  Time since() const { return since_; }

 private:
  int failures_ = 0;
  Time next_ = InfinitePast();
  Time since_ = InfinitePast();
  Time told_ = InfinitePast();
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_OUTAGE_H_
