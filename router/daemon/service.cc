#include "router/daemon/service.h"

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "proto/job_codec.h"
#include "router/daemon/jobs/call_stream.h"
#include "router/daemon/ledgers/framed_ledger_stream.h"

namespace ringway::router {
namespace {

using Reactor = grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>;

// As which a stream of frames is admitted.
constexpr std::string_view kConnectPath = "/ringway.v1.Ledger/Connect";

class Refusal final : public Reactor {
 public:
  Refusal() {
    Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "this router serves its maximum of calls"));
  }
  void OnDone() override { delete this; }
};

class NoPlace final : public grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown> {
 public:
  NoPlace() { Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many routers stand here")); }
  void OnDone() override { delete this; }
};

// The stream deletes itself when its call is over.
Reactor* Take(grpc::CallbackServerContext* context, bool forwarded, runtime::EventLoop& loop, JobCalls& calls,
              int streams_max) {
  if (calls.streams.fetch_add(1) >= streams_max) {
    calls.streams.fetch_sub(1);
    return new Refusal();
  }
  return new CallStream(context, forwarded, loop, calls);
}

}  // namespace

Reactor* IngressService::Submit(grpc::CallbackServerContext* context) {
  return Take(context, false, loop_, calls_, streams_max_);
}

Reactor* PeerService::Forward(grpc::CallbackServerContext* context) {
  return Take(context, true, loop_, calls_, streams_max_);
}

grpc::ServerUnaryReactor* PeerService::Withdraw(grpc::CallbackServerContext* context,
                                                const v1::WithdrawRequest* request,
                                                v1::WithdrawReply* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (absl::Status fits = wire::CheckWithdraw(*request); !fits.ok()) {
    reactor->Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, std::string(fits.message())));
    return reactor;
  }
  const bool posted = loop_.Post([this, reactor, request, reply] {
    reply->set_known(calls_.WithdrawForwarded(request->offer()));
    reactor->Finish(grpc::Status::OK);
  });
  if (!posted) {
    reactor->Finish(
        grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "the router is busy or is shutting down"));
  }
  return reactor;
}

bool LedgerService::Count() {
  if (sessions_.streams.fetch_add(1) < streams_max_) return true;
  sessions_.streams.fetch_sub(1);
  return false;
}

grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown>* LedgerService::Connect(grpc::CallbackServerContext*) {
  if (!Count()) return new NoPlace();
  return new GrpcLedgerStream(loop_, sessions_);
}

runtime::SecondProtocol LedgerService::Frames() {
  return {.first_byte = FramedConnection::kFirstByte, .take = [this](int fd) { TakeFramed(fd); }};
}

void LedgerService::TakeFramed(int fd) {
  greetings_->fetch_add(1);
  FramedLedgerStream::Greeting greeting(nullptr, [count = greetings_](void*) { count->fetch_sub(1); });
  const auto admits = [this](std::string_view token) {
    const std::string bearer = absl::StrCat("Bearer ", AbslView(token));
    const auto presented = token.empty() ? std::nullopt : std::optional<std::string_view>(bearer);
    return (guard_ == nullptr || guard_->Admit(kConnectPath, presented).ok()) && Count();
  };
  const bool room = greetings_->load() <= kGreetingsMax;
  if (room && loop_.Post([this, fd, admits, greeting = std::move(greeting)]() mutable {
        FramedLedgerStream::Take(fd, loop_, sessions_, admits, std::move(greeting));
      })) {
    return;
  }
  ::close(fd);
}

}  // namespace ringway::router
