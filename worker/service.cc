#include "worker/service.h"

#include <string>
#include <utility>

#include "proto/drain_codec.h"
#include "proto/job_codec.h"

namespace ringway::worker {
namespace {

grpc::Status TooMany(const char* what, int limit) {
  return {grpc::StatusCode::RESOURCE_EXHAUSTED,
          std::string("this worker has ") + std::to_string(limit) + " open " + what + " calls; close some"};
}

class RefusedRun final : public grpc::ServerBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  explicit RefusedRun(const grpc::Status& why) { Finish(why); }
  void OnDone() override { delete this; }
};

class RefusedWatch final : public grpc::ServerWriteReactor<v1::WorkerState> {
 public:
  explicit RefusedWatch(const grpc::Status& why) { Finish(why); }
  void OnDone() override { delete this; }
};

// Counts one stream more unless that would be over the limit.
bool Enter(std::atomic<int>& count, int limit) {
  if (count.fetch_add(1) < limit) return true;
  count.fetch_sub(1);
  return false;
}

}  // namespace

grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>* WorkerService::Run(grpc::CallbackServerContext* context) {
  if (!Enter(listener_.job_streams, kJobStreamsMax)) return new RefusedRun(TooMany("Run", kJobStreamsMax));
  return new JobStream(next_id_.fetch_add(1), context, loop_, listener_);
}

grpc::ServerWriteReactor<v1::WorkerState>* WorkerService::Watch(grpc::CallbackServerContext*,
                                                                const v1::WatchRequest*) {
  if (!Enter(listener_.watch_streams, kWatchStreamsMax)) {
    return new RefusedWatch(TooMany("Watch", kWatchStreamsMax));
  }
  return new WatchStream(next_id_.fetch_add(1), loop_, listener_);
}

grpc::ServerUnaryReactor* WorkerService::Drain(grpc::CallbackServerContext* context,
                                               const v1::DrainRequest* request, v1::WorkerState* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto lasts = wire::DrainTermOf(request->drain(), request->for_s());
  if (!lasts.ok()) {
    reactor->Finish({grpc::StatusCode::INVALID_ARGUMENT, std::string(lasts.status().message())});
    return reactor;
  }
  const bool posted = loop_.Post([this, reactor, reply, drain = request->drain(), lasts = *lasts] {
    *reply = listener_.OnDrain(drain, lasts);
    reactor->Finish(grpc::Status::OK);
  });
  if (!posted) reactor->Finish({grpc::StatusCode::UNAVAILABLE, "the worker is shutting down"});
  return reactor;
}

grpc::ServerUnaryReactor* WorkerService::RaiseFence(grpc::CallbackServerContext* context,
                                                    const v1::FenceRequest* request, v1::WorkerState* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool posted = loop_.Post([this, reactor, request, reply] {
    auto state = listener_.OnFence(*request);
    if (state.ok()) *reply = *std::move(state);
    reactor->Finish(
        state.ok() ? grpc::Status::OK
                   : grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, std::string(state.status().message())));
  });
  if (!posted) reactor->Finish({grpc::StatusCode::UNAVAILABLE, "the worker is shutting down"});
  return reactor;
}

grpc::ServerUnaryReactor* WorkerService::Withdraw(grpc::CallbackServerContext* context,
                                                  const v1::WithdrawRequest* request,
                                                  v1::WithdrawReply* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (absl::Status fits = wire::CheckWithdraw(*request); !fits.ok()) {
    reactor->Finish({grpc::StatusCode::INVALID_ARGUMENT, std::string(fits.message())});
    return reactor;
  }
  const bool posted = loop_.Post([this, reactor, request, reply] {
    reply->set_known(listener_.OnWithdraw(request->offer()));
    reactor->Finish(grpc::Status::OK);
  });
  if (!posted) reactor->Finish({grpc::StatusCode::UNAVAILABLE, "the worker is shutting down"});
  return reactor;
}

}  // namespace ringway::worker
