// Holds messages back for a fixed time, in order: the distance between two regions, emulated.
//
// For demos on one machine: a message pushed now is delivered `delay` later, so a forwarded job pays the
// round trip of its regions, once in each direction. Bounded by whoever pushes (the windows of the streams).
//
// Threads: the loop's. `deliver` may destroy the line only by posting to the loop.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_DELAY_LINE_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_DELAY_LINE_H_

#include <deque>
#include <functional>
#include <utility>

#include "core/time.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"

namespace ringway::router {

template <class Message>
class DelayLine {
 public:
  DelayLine(runtime::EventLoop& loop, Duration delay, std::function<void(Message&)> deliver)
      : delay_(delay), deliver_(std::move(deliver)), alarm_(loop, [this] { Ring(); }) {}

  void Push(Message message) {
    held_.push_back({runtime::MonotonicNow() + delay_, std::move(message)});
    if (held_.size() == 1) alarm_.Arm(held_.front().first);
  }

 private:
  void Ring() {
    const Time now = runtime::MonotonicNow();
    while (!held_.empty() && held_.front().first <= now) {
      Message message = std::move(held_.front().second);
      held_.pop_front();
      deliver_(message);
    }
    if (!held_.empty()) alarm_.Arm(held_.front().first);
  }

  const Duration delay_;
  const std::function<void(Message&)> deliver_;
  std::deque<std::pair<Time, Message>> held_;
  runtime::Alarm alarm_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_DELAY_LINE_H_
