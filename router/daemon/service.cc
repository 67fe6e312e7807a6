#include "router/daemon/service.h"

#include "router/daemon/call_stream.h"

namespace ringway::router {
namespace {

using Reactor = grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>;

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

grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown>* LedgerService::Connect(grpc::CallbackServerContext*) {
  if (sessions_.streams.fetch_add(1) >= streams_max_) {
    sessions_.streams.fetch_sub(1);
    return new NoPlace();
  }
  return new LedgerStream(loop_, sessions_);
}

}  // namespace ringway::router
