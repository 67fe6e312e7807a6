// One thread with an inbox and timers: the owner of a state machine.
//
// gRPC callbacks, sockets and signals run on threads of their own and post to the loop; what they post runs
// in order, one at a time, so the machine behind needs no lock. The inbox is bounded: when it is full Post
// refuses, and the caller must answer its peer "busy" rather than wait, because a blocked gRPC thread would
// stop everything else that thread serves.
//
// Invariants: everything posted before Stop runs or is dropped by Stop; nothing runs after Stop returned.
// Tasks must not throw. Threads: Post from any; context() for asio objects that live on the loop. Stop from
// any thread but the loop's own.
#ifndef RINGWAY_RUNTIME_EVENT_LOOP_H_
#define RINGWAY_RUNTIME_EVENT_LOOP_H_

#include <utility>  // before asio 1.74, whose awaitable.hpp uses std::exchange

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "absl/functional/any_invocable.h"

#include "core/time.h"

namespace ringway::runtime {

class EventLoop {
 public:
  static constexpr std::size_t kInboxMax = 65536;

  explicit EventLoop(std::string name, std::size_t inbox_max = kInboxMax);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Start();
  // Ends the thread; what is still in the inbox is dropped. Idempotent.
  void Stop();

  // False when the inbox is full or the loop has stopped: the task will not run.
  [[nodiscard]] bool Post(absl::AnyInvocable<void()> task);
  bool OnLoopThread() const { return std::this_thread::get_id() == runs_on_.load(); }
  std::size_t inbox_depth() const { return depth_.load(std::memory_order_relaxed); }
  boost::asio::io_context& context() { return context_; }

 private:
  const std::string name_;
  const std::size_t inbox_max_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::atomic<std::size_t> depth_{0};
  std::atomic<bool> stopped_{false};
  // Written by the loop's own thread before its first task: thread_ may not be assigned yet by then.
  std::atomic<std::thread::id> runs_on_{};
  std::thread thread_;
};

// One re-armable alarm on the loop: calls `ring` on the loop's thread at or after the armed time, once per
// Arm. Arming again replaces the earlier time. For a machine's NextWake. Use on the loop's thread only;
// destroy there or after Stop.
class Alarm {
 public:
  Alarm(EventLoop& loop, absl::AnyInvocable<void()> ring);
  ~Alarm();
  // InfiniteFuture disarms.
  void Arm(Time at);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_EVENT_LOOP_H_
