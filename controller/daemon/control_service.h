// The Control service: numbers the streams of routers and hands them to the listener.
//
// Bound: kStreamsMax open at a time, counted here, so that a flood of connections costs nothing; the rest is
// refused with RESOURCE_EXHAUSTED. A router without the token never gets here (runtime/call_guard.h). Numbers
// are never used again in a process, so a late word about an old stream cannot be taken for one about a new.
// Threads: gRPC's.
#ifndef RINGWAY_CONTROLLER_DAEMON_CONTROL_SERVICE_H_
#define RINGWAY_CONTROLLER_DAEMON_CONTROL_SERVICE_H_

#include <atomic>

#include "controller/daemon/router_stream.h"
#include "controller/fleet/report.h"

namespace ringway::controller {

class ControlService final : public v1::Control::CallbackService {
 public:
  static constexpr int kStreamsMax = static_cast<int>(kRoutersMax) + 1000;

  ControlService(runtime::EventLoop& loop, RouterStreamListener& listener)
      : loop_(loop), listener_(listener) {}
  // The listener says when a stream is gone.
  void StreamClosed() { open_.fetch_sub(1); }

 private:
  grpc::ServerBidiReactor<v1::RouterMessage, v1::ControllerMessage>* Connect(
      grpc::CallbackServerContext* context) override;

  runtime::EventLoop& loop_;
  RouterStreamListener& listener_;
  std::atomic<StreamId> next_{1};
  std::atomic<int> open_{0};
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_CONTROL_SERVICE_H_
