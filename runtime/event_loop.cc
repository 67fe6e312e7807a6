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

struct Alarm::State {
  State(boost::asio::io_context& context, absl::AnyInvocable<void()> ring_in)
      : timer(context), ring(std::move(ring_in)) {}
  boost::asio::steady_timer timer;
  absl::AnyInvocable<void()> ring;
  absl::Time armed = absl::InfiniteFuture();
  bool alive = true;
};

Alarm::Alarm(EventLoop& loop, absl::AnyInvocable<void()> ring)
    : state_(std::make_shared<State>(loop.context(), std::move(ring))) {}

Alarm::~Alarm() {
  state_->alive = false;
  state_->timer.cancel();
}

void Alarm::Arm(absl::Time at) {
  if (at == state_->armed) return;
  state_->armed = at;
  if (at == absl::InfiniteFuture()) {
    state_->timer.cancel();
    return;
  }
  // Rounded up to a microsecond, so that the machine finds its deadline passed when it is woken.
  const absl::Duration wait = std::max(absl::ZeroDuration(), at - MonotonicNow());
  state_->timer.expires_after(absl::ToChronoMicroseconds(absl::Ceil(wait, absl::Microseconds(1))));
  state_->timer.async_wait([state = state_, at](const boost::system::error_code& cancelled) {
    if (cancelled || !state->alive || state->armed != at) return;
    state->armed = absl::InfiniteFuture();
    state->ring();
  });
}

}  // namespace ringway::runtime
