#include "router/daemon/control_link.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "proto/table_codec.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::router {
namespace {

constexpr absl::Duration kRetryFirst = absl::Milliseconds(100);
// Short, because a restarted controller is to be obeyed within two seconds, whatever the wait had grown to.
constexpr absl::Duration kRetryMax = absl::Milliseconds(500);

}  // namespace

// Lives as long as the link or a call that is still closing needs it.
struct ControlLink::Shared {
  runtime::EventLoop& loop;
  StreamCount& streams;
  const std::string address;
  const std::string token;
  const runtime::Logger& log;
  ControlSink* sink;  // null: the link has gone
  Rng rng;
  std::unique_ptr<v1::Control::Stub> stub;
  Call* call = nullptr;
  bool welcomed = false;
  bool complained = false;  // about this outage
  absl::Duration retry_after = kRetryFirst;
  std::unique_ptr<runtime::Alarm> retry;
};

class ControlLink::Call final : public grpc::ClientBidiReactor<v1::RouterMessage, v1::ControllerMessage> {
 public:
  explicit Call(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), ticket_(shared_->streams) {
    runtime::PresentToken(context_, shared_->token);
    shared_->stub->async()->Connect(&context_, this);
    AddHold();
    StartRead(&incoming_);
    StartCall();
  }

  void Send(v1::RouterMessage message) {
    if (!held_ || queue_.size() >= kQueueMax) return;
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
      v1::ControllerMessage message;
      message.Swap(&incoming_);
      StartRead(&incoming_);
      if (shared_->sink != nullptr) Receive(message);
    });
  }

  void OnWriteDone(bool) override {
    (void)shared_->loop.Post([this] {
      writing_ = false;
      queue_.pop_front();
      Pump();
    });
  }

  void OnDone(const grpc::Status& status) override;
  void Receive(const v1::ControllerMessage& message);

  std::shared_ptr<Shared> shared_;
  StreamCount::Ticket ticket_;
  grpc::ClientContext context_;
  v1::ControllerMessage incoming_;
  std::deque<v1::RouterMessage> queue_;
  bool writing_ = false;
  bool held_ = true;
};

void ControlLink::Call::Receive(const v1::ControllerMessage& message) {
  ControlSink& sink = *shared_->sink;
  if (message.has_welcome()) {
    const absl::Status version = wire::CheckWireVersion(message.welcome().wire_version(), "Welcome");
    if (!version.ok()) {
      shared_->log.Error(absl::StrCat("controller at ", shared_->address, ": ", version.message()));
      return Cancel();
    }
    shared_->welcomed = true;
    shared_->complained = false;
    shared_->retry_after = kRetryFirst;
    sink.OnWelcome(message.welcome());
  } else if (!shared_->welcomed) {
    shared_->log.Error(absl::StrCat("controller at ", shared_->address, ": spoke before its Welcome"));
    Cancel();
  } else if (message.has_fleet_map()) {
    sink.OnFleetMap(message.fleet_map());
  } else if (message.has_directory()) {
    sink.OnDirectory(message.directory());
  } else if (message.has_table()) {
    sink.OnTable(message.table());
  }
}

void ControlLink::Call::OnDone(const grpc::Status& status) {
  (void)shared_->loop.Post([self = std::unique_ptr<Call>(this), status] {
    Shared& shared = *self->shared_;
    shared.call = nullptr;
    const bool was_welcomed = std::exchange(shared.welcomed, false);
    if (shared.sink == nullptr) return;
    if (was_welcomed || !shared.complained) {
      shared.complained = true;
      shared.log.Warning(absl::StrCat("no controller at ", shared.address, ": ",
                                      status.ok() ? "it closed the stream" : status.error_message(),
                                      "; the last table stands"));
    }
    if (was_welcomed) shared.sink->OnControllerLost();
    // Jitter over half of the wait: spread, but never at once.
    shared.retry->Arm(runtime::MonotonicNow() + shared.retry_after * (0.5 + 0.5 * shared.rng.Uniform()));
    shared.retry_after = std::min(shared.retry_after * 2, kRetryMax);
  });
}

ControlLink::ControlLink(runtime::EventLoop& loop, StreamCount& streams, const std::string& address,
                         const std::string& token, std::uint64_t seed, const runtime::Logger& log,
                         ControlSink& sink)
    : shared_(std::make_shared<Shared>(Shared{loop,
                                              streams,
                                              address,
                                              token,
                                              log,
                                              &sink,
                                              Rng(seed),
                                              nullptr,
                                              nullptr,
                                              false,
                                              false,
                                              kRetryFirst,
                                              {}})) {
  shared_->stub = v1::Control::NewStub(runtime::MakeChannel(address, runtime::kFleetBytesMax));
  const auto open = [this, shared = shared_.get()] {
    shared->call = new Call(shared_);  // deletes itself after its OnDone
    v1::RouterMessage hello;
    *hello.mutable_hello() = shared->sink->MakeHello();
    shared->call->Send(std::move(hello));
  };
  shared_->retry = std::make_unique<runtime::Alarm>(loop, open);
  shared_->retry->Arm(runtime::MonotonicNow());
}

ControlLink::~ControlLink() {
  shared_->sink = nullptr;
  shared_->retry.reset();
  if (shared_->call != nullptr) shared_->call->Cancel();
}

bool ControlLink::connected() const { return shared_->welcomed; }

void ControlLink::Send(v1::RouterMessage message) {
  if (shared_->welcomed && shared_->call != nullptr) shared_->call->Send(std::move(message));
}

}  // namespace ringway::router
