// Watches one worker: its state on every change, and a new call whenever the old one broke.
//
// The watch is where idle hints, pressure, drain and health come from. When it cannot be opened because
// nobody listens, the worker is taken for dead until it can; when it ends for another reason (the worker
// serves enough watchers already), nothing is known and the worker is probed like any other.
//
// Bound: one call for each watched worker. Threads: gRPC's threads post to the loop, where `hear` and `ended`
// are called. The watch may be destroyed on the loop at any time; a call that is still closing cleans up
// after itself.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_WORKER_WATCH_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_WORKER_WATCH_H_

#include <functional>
#include <memory>
#include <string>

#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/control/stream_count.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class WorkerWatch {
 public:
  using Hear = std::function<void(const v1::WorkerState& state)>;
  // `dead`: nobody listens there; else nothing is known.
  using Ended = std::function<void(bool dead)>;

  // `worker` outlives the watch. `router` is this router's name.
  WorkerWatch(runtime::EventLoop& loop, StreamCount& streams, v1::Worker::Stub& worker, std::string router,
              Hear hear, Ended ended);
  ~WorkerWatch();

 private:
  class Call;
  struct Shared;
  void Open();
  std::shared_ptr<Shared> shared_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_WORKER_WATCH_H_
