// The one stream to the controller: reports and acknowledgements up, maps, directories and tables down.
//
// Keeps trying: after a break it waits, twice as long each time up to half a second and with jitter, so that
// a fleet of routers does not fall upon a controller that comes back. A new stream begins with Hello and must
// be answered by Welcome before anything else counts. What cannot be sent now is not kept: a report is of its
// period, an acknowledgement of its stream.
//
// Bounds: kQueueMax messages to be sent; beyond it reports are dropped. Threads: gRPC's threads post to the
// loop, where the sink is called. Destroy on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_LINK_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_LINK_H_

#include <memory>
#include <string>

#include "ringway/v1/control.grpc.pb.h"
#include "router/daemon/stream_count.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

// Called on the loop.
class ControlSink {
 public:
  virtual ~ControlSink() = default;
  virtual v1::Hello MakeHello() = 0;
  virtual void OnWelcome(const v1::Welcome& welcome) = 0;
  virtual void OnFleetMap(const v1::FleetMap& message) = 0;
  virtual void OnDirectory(const v1::Directory& message) = 0;
  virtual void OnTable(const v1::RoutingTable& message) = 0;
  virtual void OnControllerLost() = 0;
};

class ControlLink {
 public:
  static constexpr std::size_t kQueueMax = 64;

  // `token` is presented to the controller, if there is one; `seed` is for the jitter.
  ControlLink(runtime::EventLoop& loop, StreamCount& streams, const std::string& address,
              const std::string& token, std::uint64_t seed, const runtime::Logger& log, ControlSink& sink);
  ~ControlLink();

  bool connected() const;  // and welcomed
  void Send(v1::RouterMessage message);

 private:
  class Call;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_LINK_H_
