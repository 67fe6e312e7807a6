#include "router/daemon/once/once_link.h"

#include <chrono>
#include <memory>
#include <utility>

#include "router/wire/once_codec.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Longer than any round trip; shorter than a person waits.
constexpr Duration kAskLimit = Seconds(1);

Duration LimitOf(const once::Request& ask) {
  const auto* attach = std::get_if<once::AttachRequest>(&ask.what);
  return attach != nullptr ? attach->patience + kAskLimit : kAskLimit;
}

}  // namespace

// Lives until gRPC is done with the call; owned by its callback.
class OnceLink::Outgoing {
 public:
  Outgoing(OnceLink& link, std::uint64_t number, RouterId to, once::Request ask)
      : link_(link), number_(number), ticket_(link.streams_), to_(to), ask_(std::move(ask)) {}
  void Cancel() { context_.TryCancel(); }

  static void Start(std::shared_ptr<Outgoing> self, v1::Once::Stub& stub) {
    self->request_ = EncodeAsk(self->ask_, runtime::MonotonicNow());
    self->context_.set_deadline(std::chrono::system_clock::now() +
                                absl::ToChronoMicroseconds(LimitOf(self->ask_)));
    stub.async()->Ask(&self->context_, &self->request_, &self->reply_, [self](const grpc::Status& status) {
      // The loop lets go of the last share, so that nothing of gRPC's is destroyed in its own callback.
      (void)self->link_.loop_.Post([self, status] {
        self->link_.OnReply(self->number_, self->to_, self->ask_, status, self->reply_);
      });
    });
  }

 private:
  OnceLink& link_;
  const std::uint64_t number_;
  StreamCount::Ticket ticket_;
  const RouterId to_;
  const once::Request ask_;
  grpc::ClientContext context_;
  v1::OnceRequest request_;
  v1::OnceReply reply_;
};

class OnceLink::Incoming final : public grpc::ServerUnaryReactor {
 public:
  Incoming(OnceLink& link, const v1::OnceRequest* ask, v1::OnceReply* reply) : link_(link), reply_(reply) {
    (void)link_.loop_.Post([this, copy = *ask] { link_.OnAsk(*this, copy); });
  }

  // On the loop, once.
  void Answer(const v1::OnceReply& reply) {
    *reply_ = reply;
    Finish(grpc::Status::OK);
  }
  void Refuse(const std::string& why) { Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, why)); }
  void GiveUp() { Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the caller has gone")); }
  void SetId(once::CallId id) { id_ = id; }
  bool cancelled() const { return cancelled_; }

 private:
  // OnCancel comes before OnDone, if at all, and the loop keeps their order.
  void OnCancel() override {
    (void)link_.loop_.Post([this] {
      cancelled_ = true;
      if (id_ != 0) link_.OnCancelled(id_);
    });
  }
  void OnDone() override {
    (void)link_.loop_.Post([self = std::unique_ptr<Incoming>(this)] { self->link_.open_.fetch_sub(1); });
  }

  OnceLink& link_;
  v1::OnceReply* reply_;
  once::CallId id_ = 0;
  bool cancelled_ = false;  // perhaps before the ask was looked at
};

void OnceLink::Perform(const AskReplica& ask) {
  const auto call = std::make_shared<Outgoing>(*this, ++last_ask_, ask.to, ask.request);
  asks_[last_ask_] = call.get();
  Outgoing::Start(call, addresses_.OnceStub(ask.to));
}

void OnceLink::CancelAsks() {
  for (const auto& [number, call] : asks_) call->Cancel();
}

void OnceLink::OnReply(std::uint64_t number, RouterId from, const once::Request& ask,
                       const grpc::Status& status, const v1::OnceReply& message) {
  asks_.erase(number);
  OnceReplied event{.from = from, .request = ask};
  if (status.ok()) {
    auto reply = DecodeReply(message, runtime::MonotonicNow());
    if (reply.ok()) event.reply = *std::move(reply);
  }
  tell_(event);
}

void OnceLink::OnAsk(Incoming& call, const v1::OnceRequest& message) {
  if (call.cancelled()) return call.GiveUp();
  auto ask = DecodeAsk(message, runtime::MonotonicNow());
  if (!ask.ok()) return call.Refuse(std::string(ask.status().message()));
  const once::CallId id = ++last_call_;
  call.SetId(id);
  calls_[id] = &call;
  tell_(OnceAsked{.call = id, .request = *std::move(ask)});
}

void OnceLink::OnCancelled(once::CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Incoming* call = found->second;
  calls_.erase(found);
  call->GiveUp();
}

void OnceLink::Perform(const AnswerOnce& answer) {
  const auto found = calls_.find(answer.call);
  if (found == calls_.end()) return;
  Incoming* call = found->second;
  calls_.erase(found);
  call->Answer(EncodeReply(answer.reply, runtime::MonotonicNow()));
}

grpc::ServerUnaryReactor* OnceService::Ask(grpc::CallbackServerContext* context, const v1::OnceRequest* ask,
                                           v1::OnceReply* reply) {
  if (link_.open_.fetch_add(1) >= OnceLink::kCallsMax) {
    link_.open_.fetch_sub(1);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(
        grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many requests about keys are open"));
    return reactor;
  }
  return new OnceLink::Incoming(link_, ask, reply);
}

}  // namespace ringway::router
