#include "router/daemon/control/worker_watch.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "runtime/clock.h"

namespace ringway::router {
namespace {

constexpr Duration kReopenFirst = Milliseconds(100);
constexpr Duration kReopenMax = Seconds(2);

}  // namespace

// Lives as long as the watch or a call that is still closing needs it.
struct WorkerWatch::Shared {
  runtime::EventLoop& loop;
  StreamCount& streams;
  v1::Worker::Stub& worker;
  v1::WatchRequest request;
  Hear hear;  // null: the watch has gone
  Ended ended;
  Call* call = nullptr;
  Duration reopen_after = kReopenFirst;
  std::unique_ptr<runtime::Alarm> reopen = nullptr;
};

class WorkerWatch::Call final : public grpc::ClientReadReactor<v1::WorkerState> {
 public:
  explicit Call(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), ticket_(shared_->streams) {
    shared_->worker.async()->Watch(&context_, &shared_->request, this);
    StartRead(&incoming_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    v1::WorkerState state;
    state.Swap(&incoming_);
    (void)shared_->loop.Post([shared = shared_, state = std::move(state)] {
      shared->reopen_after = kReopenFirst;
      // Copied: what it does may end the watch.
      if (const Hear hear = shared->hear) hear(state);
    });
    StartRead(&incoming_);
  }

  void OnDone(const grpc::Status& status) override {
    (void)shared_->loop.Post([self = std::unique_ptr<Call>(this), code = status.error_code()] {
      Shared& shared = *self->shared_;
      shared.call = nullptr;
      if (!shared.hear) return;
      const Ended ended = shared.ended;  // copied: what it does may end the watch
      ended(code == grpc::StatusCode::UNAVAILABLE);
      if (!shared.hear) return;
      shared.reopen->Arm(runtime::MonotonicNow() + shared.reopen_after);
      shared.reopen_after = std::min(shared.reopen_after * 2, kReopenMax);
    });
  }

  std::shared_ptr<Shared> shared_;
  StreamCount::Ticket ticket_;
  grpc::ClientContext context_;
  v1::WorkerState incoming_;
};

WorkerWatch::WorkerWatch(runtime::EventLoop& loop, StreamCount& streams, v1::Worker::Stub& worker,
                         std::string router, Hear hear, Ended ended)
    : shared_(
          std::make_shared<Shared>(Shared{loop, streams, worker, {}, std::move(hear), std::move(ended)})) {
  shared_->request.set_router(std::move(router));
  shared_->reopen = std::make_unique<runtime::Alarm>(loop, [this] { Open(); });
  Open();
}

// The call deletes itself after its OnDone.
void WorkerWatch::Open() { shared_->call = new Call(shared_); }

WorkerWatch::~WorkerWatch() {
  shared_->hear = nullptr;
  shared_->reopen.reset();
  if (shared_->call != nullptr) shared_->call->Cancel();
}

}  // namespace ringway::router
