#include "runtime/event_loop.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "core/check.h"
#include "runtime/clock.h"

namespace ringway::runtime {

EventLoop::EventLoop(std::string name, std::size_t inbox_max)
    : name_(std::move(name)), inbox_max_(inbox_max), guard_(boost::asio::make_work_guard(context_)) {}

EventLoop::~EventLoop() { Stop(); }

void EventLoop::Start() {
  RINGWAY_CHECK(!thread_.joinable());
  thread_ = std::thread([this] {
    runs_on_.store(std::this_thread::get_id());
    pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
    context_.run();
  });
}

void EventLoop::Stop() {
  stopped_.store(true);
  context_.stop();
  if (thread_.joinable()) {
    RINGWAY_CHECK(!OnLoopThread());
    thread_.join();
  }
}

bool EventLoop::Post(absl::AnyInvocable<void()> task) {
  if (stopped_.load(std::memory_order_relaxed)) return false;
  if (depth_.fetch_add(1, std::memory_order_relaxed) >= inbox_max_) {
    depth_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  boost::asio::post(context_, [this, task = std::move(task)]() mutable {
    depth_.fetch_sub(1, std::memory_order_relaxed);
    task();
  });
  return true;
}

// Setting a timer is a system call, and a machine's next wake moves with every job. So a timer that is set
// for an earlier time stays: when it rings too soon it is set again, once for many moves.
struct Alarm::State : std::enable_shared_from_this<Alarm::State> {
  State(boost::asio::io_context& context, absl::AnyInvocable<void()> ring_in)
      : timer(context), ring(std::move(ring_in)) {}

  void Set() {
    set_for = armed;
    // Rounded up to a microsecond, so that the machine finds its deadline passed when it is woken.
    const Duration wait = std::max(ZeroDuration(), armed - MonotonicNow());
    timer.expires_after(absl::ToChronoMicroseconds(Ceil(wait, Microseconds(1))));
    timer.async_wait([state = shared_from_this(), at = set_for](const boost::system::error_code& cancelled) {
      if (cancelled || !state->alive || state->set_for != at) return;
      state->set_for = InfiniteFuture();
      if (state->armed == InfiniteFuture()) return;
      if (state->armed > at) return state->Set();
      state->armed = InfiniteFuture();
      state->ring();
    });
  }

  boost::asio::steady_timer timer;
  absl::AnyInvocable<void()> ring;
  Time armed = InfiniteFuture();
  Time set_for = InfiniteFuture();  // at most `armed`
  bool alive = true;
};

Alarm::Alarm(EventLoop& loop, absl::AnyInvocable<void()> ring)
    : state_(std::make_shared<State>(loop.context(), std::move(ring))) {}

Alarm::~Alarm() {
  state_->alive = false;
  state_->timer.cancel();
}

void Alarm::Arm(Time at) {
  state_->armed = at;
  if (at < state_->set_for) state_->Set();
}

}  // namespace ringway::runtime
