// One Watch call: sends the newest state of the worker to a router, as fast as that router reads.
//
// A state that has not left yet is replaced by a newer one, so a slow watcher costs one message and always
// hears the truth last. Lifetime and threads as in job_stream.h: public calls on the loop only, deletes
// itself there.
#ifndef RINGWAY_WORKER_WATCH_STREAM_H_
#define RINGWAY_WORKER_WATCH_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <optional>

#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::worker {

class WatchStream;

class WatchListener {
 public:
  virtual ~WatchListener() = default;
  virtual void OnWatch(WatchStream& stream) = 0;
  // The stream is about to disappear.
  virtual void OnWatchClosed(WatchStream& stream) = 0;
};

class WatchStream final : public grpc::ServerWriteReactor<v1::WorkerState> {
 public:
  WatchStream(std::uint64_t id, runtime::EventLoop& loop, WatchListener& listener);

  std::uint64_t id() const { return id_; }
  void Send(const v1::WorkerState& state);
  void Close(grpc::Status status);

 private:
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Pump();

  const std::uint64_t id_;
  runtime::EventLoop& loop_;
  WatchListener& listener_;
  v1::WorkerState outgoing_;  // gRPC's while a write is under way
  std::optional<v1::WorkerState> next_;
  std::optional<grpc::Status> closing_;
  bool writing_ = false;
  bool finished_ = false;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_WATCH_STREAM_H_
