#include "router/daemon/ledger_link.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "core/rng.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::router {
namespace {

constexpr absl::Duration kRetryFirst = absl::Milliseconds(30);
constexpr absl::Duration kRetryMax = absl::Milliseconds(300);

}  // namespace

// Lives as long as the link or a call that is still closing needs it.
struct LedgerLink::Shared {
  runtime::EventLoop& loop;
  StreamCount& streams;
  const v1::LedgerUp hello;
  Rng rng;
  std::unique_ptr<v1::Ledger::Stub> stub;
  Hear hear;  // null: the link has gone
  Lost lost;
  Call* call = nullptr;
  absl::Duration retry_after = kRetryFirst;
  std::unique_ptr<runtime::Alarm> retry = nullptr;
};

class LedgerLink::Call final : public grpc::ClientBidiReactor<v1::LedgerUp, v1::LedgerDown> {
 public:
  explicit Call(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), ticket_(shared_->streams) {
    shared_->stub->async()->Stand(&context_, this);
    AddHold();
    StartRead(&incoming_);
    StartCall();
  }

  void Send(v1::LedgerUp message) {
    if (!held_) return;
    if (queue_.size() >= kQueueMax) return Cancel();
    queue_.push_back(std::move(message));
    Pump();
  }
  // A read is always under way; it fails now.
  void Cancel() { context_.TryCancel(); }

 private:
  void Pump() {
    if (!held_ || writing_ || queue_.empty()) return;
    writing_ = true;
    StartWrite(&queue_.front());
  }

  void OnReadDone(bool ok) override {
    (void)shared_->loop.Post([this, ok] {
      if (!ok) {
        held_ = false;
        RemoveHold();
        return;
      }
      v1::LedgerDown message;
      message.Swap(&incoming_);
      StartRead(&incoming_);
      shared_->retry_after = kRetryFirst;
      const Hear hear = shared_->hear;  // which may end the link
      if (hear) hear(message);
    });
  }

  void OnWriteDone(bool) override {
    (void)shared_->loop.Post([this] {
      writing_ = false;
      queue_.pop_front();
      Pump();
    });
  }

  void OnDone(const grpc::Status&) override {
    (void)shared_->loop.Post([self = std::unique_ptr<Call>(this)] {
      Shared& shared = *self->shared_;
      shared.call = nullptr;
      if (!shared.hear) return;
      shared.retry->Arm(runtime::MonotonicNow() + shared.retry_after * (0.5 + 0.5 * shared.rng.Uniform()));
      shared.retry_after = std::min(shared.retry_after * 2, kRetryMax);
      const Lost lost = shared.lost;
      lost();
    });
  }

  std::shared_ptr<Shared> shared_;
  StreamCount::Ticket ticket_;
  grpc::ClientContext context_;
  v1::LedgerDown incoming_;
  std::deque<v1::LedgerUp> queue_;  // the front is gRPC's while a write is under way
  bool writing_ = false;
  bool held_ = true;
};

LedgerLink::LedgerLink(runtime::EventLoop& loop, StreamCount& streams, const std::string& address,
                       const LedgerGreeting& greeting, std::uint64_t seed, Hear hear, Lost lost)
    : shared_(std::make_shared<Shared>(Shared{loop, streams, EncodeGreeting(greeting), Rng(seed),
                                              v1::Ledger::NewStub(runtime::MakeChannel(address)),
                                              std::move(hear), std::move(lost)})) {
  const auto open = [this, shared = shared_.get()] {
    shared->call = new Call(shared_);  // deletes itself after its OnDone
    shared->call->Send(shared->hello);
  };
  shared_->retry = std::make_unique<runtime::Alarm>(loop, open);
  open();
}

LedgerLink::~LedgerLink() {
  shared_->hear = nullptr;
  shared_->lost = nullptr;
  shared_->retry.reset();
  if (shared_->call != nullptr) shared_->call->Cancel();
}

void LedgerLink::Break() {
  if (shared_->call != nullptr) shared_->call->Cancel();
}

void LedgerLink::Send(v1::LedgerUp message) {
  if (shared_->call != nullptr) shared_->call->Send(std::move(message));
}

}  // namespace ringway::router
