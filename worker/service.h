// The worker's gRPC service: makes a stream object for each call and counts them.
//
// No decision is made here except the bounds: more than kJobStreamsMax or kWatchStreamsMax open calls are
// refused with RESOURCE_EXHAUSTED, which keeps the loop's inbox from ever filling up.
//
// Threads: gRPC's. The listeners are called on the loop.
#ifndef RINGWAY_WORKER_SERVICE_H_
#define RINGWAY_WORKER_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/time.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/event_loop.h"
#include "worker/job_stream.h"
#include "worker/watch_stream.h"

namespace ringway::worker {

// Answers Drain, RaiseFence and Withdraw calls, and is told when a stream has gone, through the same
// listener.
class WorkerListener : public JobListener, public WatchListener {
 public:
  // `lasts`: a drain ends by itself after that; infinite: it does not.
  virtual v1::WorkerState OnDrain(bool drain, Duration lasts) = 0;
  // Errors: InvalidArgument.
  virtual absl::StatusOr<v1::WorkerState> OnFence(const v1::FenceRequest& request) = 0;
  // The attempt with this name is wanted no more. False: it is not in the slot.
  virtual bool OnWithdraw(const std::string& attempt) = 0;
  // Streams that exist; the service adds, the listener subtracts when they close.
  std::atomic<int> job_streams{0};
  std::atomic<int> watch_streams{0};
};

class WorkerService final : public v1::Worker::CallbackService {
 public:
  static constexpr int kJobStreamsMax = 4096;
  static constexpr int kWatchStreamsMax = 256;

  WorkerService(runtime::EventLoop& loop, WorkerListener& listener) : loop_(loop), listener_(listener) {}

  grpc::ServerBidiReactor<v1::JobUp, v1::JobDown>* Run(grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<v1::WorkerState>* Watch(grpc::CallbackServerContext* context,
                                                   const v1::WatchRequest* request) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* context, const v1::DrainRequest* request,
                                  v1::WorkerState* reply) override;
  grpc::ServerUnaryReactor* RaiseFence(grpc::CallbackServerContext* context, const v1::FenceRequest* request,
                                       v1::WorkerState* reply) override;
  grpc::ServerUnaryReactor* Withdraw(grpc::CallbackServerContext* context, const v1::WithdrawRequest* request,
                                     v1::WithdrawReply* reply) override;

 private:
  runtime::EventLoop& loop_;
  WorkerListener& listener_;
  std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_SERVICE_H_
