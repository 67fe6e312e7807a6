// A stream to one peer that is opened again whenever it broke: what the ways to the controller and to the
// leader of a ledger have in common.
//
// Says the greeting, then whatever it is given; hands on what the peer says. The wait between two tries
// doubles up to a limit and is jittered over its half, so that many do not fall upon a peer that comes back;
// the owner says when all is well (Settle) and the wait is short again. Nothing is kept while the way is
// broken: whoever needs a thing said says it again in the next stream.
//
// Bounds: terms.queue_max messages to be sent; beyond it a message is dropped, or the stream is broken off
// and begun anew, as the terms say. Threads: gRPC's post to the loop, where `hear` and `lost` are called,
// never from within Send; either may destroy the stream. Destroy on the loop: calls that are still closing
// live on by themselves, and speak to nobody.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_KEPT_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_KEPT_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "core/rng.h"
#include "core/time.h"
#include "router/daemon/control/stream_count.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"

namespace ringway::router {

struct StreamTerms {
  Duration retry_first;
  Duration retry_max;
  std::size_t queue_max = 0;
  bool break_when_full = false;  // else what does not fit is dropped
};

template <class Up, class Down>
class KeptStream {
 public:
  using Reactor = grpc::ClientBidiReactor<Up, Down>;
  struct Peer {
    std::function<void(grpc::ClientContext&, Reactor&)> dial;  // prepares the context, begins the call
    std::function<Up()> greet;
    std::function<void(const Down&)> hear;
    std::function<void(const grpc::Status&)> lost;  // the stream ended; another will be tried
  };

  // `seed` is for the jitter. Nothing is tried before Open or OpenSoon.
  KeptStream(runtime::EventLoop& loop, StreamCount& streams, const StreamTerms& terms, std::uint64_t seed,
             Peer peer)
      : shared_(std::make_shared<Shared>(Shared{loop, streams, terms, Rng(seed), std::move(peer)})) {
    shared_->retry_after = terms.retry_first;
    shared_->retry = std::make_unique<runtime::Alarm>(loop, [this] { Open(); });
  }
  ~KeptStream() {
    shared_->alive = false;
    shared_->retry.reset();
    Break();
  }
  KeptStream(const KeptStream&) = delete;
  KeptStream& operator=(const KeptStream&) = delete;

  // The first try, now: what is sent from here on follows the greeting.
  void Open() {
    shared_->call = new Call(shared_);  // deletes itself after its OnDone
    shared_->call->Send(shared_->peer.greet());
  }
  // The same in the loop's next turn.
  void OpenSoon() { shared_->retry->Arm(runtime::MonotonicNow()); }

  void Send(Up message) {
    if (shared_->call != nullptr) shared_->call->Send(std::move(message));
  }
  // Ends the stream under way; the next one is tried after the wait.
  void Break() {
    if (shared_->call != nullptr) shared_->call->Cancel();
  }
  // From `lost`: there is no other try until Open.
  void Rest() { shared_->retry->Arm(InfiniteFuture()); }
  void Settle() { shared_->retry_after = shared_->terms.retry_first; }

 private:
  class Call;
  // Lives as long as the stream or a call that is still closing needs it.
  struct Shared {
    runtime::EventLoop& loop;
    StreamCount& streams;
    const StreamTerms terms;
    Rng rng;
    const Peer peer;
    bool alive = true;
    Call* call = nullptr;
    Duration retry_after = ZeroDuration();
    std::unique_ptr<runtime::Alarm> retry = nullptr;
  };

  std::shared_ptr<Shared> shared_;
};

template <class Up, class Down>
class KeptStream<Up, Down>::Call final : public Reactor {
 public:
  explicit Call(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), ticket_(shared_->streams) {
    shared_->peer.dial(context_, *this);
    this->AddHold();
    this->StartRead(&incoming_);
    this->StartCall();
  }

  void Send(Up message) {
    if (!held_) return;
    if (queue_.size() >= shared_->terms.queue_max) {
      if (shared_->terms.break_when_full) Cancel();
      return;
    }
    queue_.push_back(std::move(message));
    Pump();
  }
  // A read is always under way; it fails now.
  void Cancel() { context_.TryCancel(); }

 private:
  void Pump() {
    if (!held_ || writing_ || queue_.empty()) return;
    writing_ = true;
    this->StartWrite(&queue_.front());
  }

  void OnReadDone(bool ok) override {
    (void)shared_->loop.Post([this, ok] {
      if (!ok) {
        held_ = false;
        this->RemoveHold();
        return;
      }
      Down message;
      message.Swap(&incoming_);
      this->StartRead(&incoming_);
      if (shared_->alive) shared_->peer.hear(message);
    });
  }

  void OnWriteDone(bool) override {
    (void)shared_->loop.Post([this] {
      writing_ = false;
      queue_.pop_front();
      Pump();
    });
  }

  void OnDone(const grpc::Status& status) override {
    (void)shared_->loop.Post([self = std::unique_ptr<Call>(this), status] {
      Shared& shared = *self->shared_;
      shared.call = nullptr;
      if (!shared.alive) return;
      shared.retry->Arm(runtime::MonotonicNow() + shared.retry_after * (0.5 + 0.5 * shared.rng.Uniform()));
      shared.retry_after = std::min(shared.retry_after * 2, shared.terms.retry_max);
      shared.peer.lost(status);
    });
  }

  std::shared_ptr<Shared> shared_;
  StreamCount::Ticket ticket_;
  grpc::ClientContext context_;
  Down incoming_;
  std::deque<Up> queue_;  // the front is gRPC's while a write is under way
  bool writing_ = false;
  bool held_ = true;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_KEPT_STREAM_H_
