// The one stream to the controller: reports and acknowledgements up, maps, directories and tables down.
//
// Keeps trying (kept_stream.h), and waits at most half a second. A new stream begins with Hello and must
// be answered by Welcome before anything else counts. What cannot be sent now is not kept: a report is of its
// period, an acknowledgement of its stream.
//
// Bounds: kQueueMax messages to be sent; beyond it reports are dropped. Threads: gRPC's threads post to the
// loop, where the sink is called. Destroy on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_CONTROL_LINK_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_CONTROL_LINK_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ringway/v1/control.grpc.pb.h"
#include "router/daemon/control/kept_stream.h"
#include "router/order_records.h"
#include "router/router_event.h"
#include "runtime/log.h"

namespace ringway::router {

// Called on the loop.
class ControlSink {
 public:
  virtual ~ControlSink() = default;
  virtual v1::Hello MakeHello() = 0;
  virtual void OnWelcome(const std::string& controller, const ControllerWelcomed& welcomed) = 0;
  virtual void OnFleetMap(const v1::FleetMap& message) = 0;
  virtual void OnDirectory(const v1::Directory& message) = 0;
  virtual void OnTable(const v1::RoutingTable& message) = 0;
  virtual void OnControllerLost() = 0;
};

class ControlLink {
 public:
  static constexpr std::size_t kQueueMax = 64;

  // `token` is presented to the controller, if there is one; `seed` is for the jitter. The sink is asked for
  // its Hello in the loop's next turn at the earliest. `orders` are told in the sink's reports, and are done
  // with here when the controller has them.
  ControlLink(runtime::EventLoop& loop, StreamCount& streams, const std::string& address,
              const std::string& token, std::uint64_t seed, const runtime::Logger& log, ControlSink& sink,
              OrderRecords& orders);

  bool connected() const { return welcomed_; }
  // Dropped unless connected.
  void Send(v1::RouterMessage message);

 private:
  void Hear(const v1::ControllerMessage& message);
  void Lost(const grpc::Status& status);

  const std::string address_;
  const runtime::Logger& log_;
  ControlSink& sink_;
  OrderRecords& orders_;
  bool welcomed_ = false;
  bool complained_ = false;  // about this outage
  KeptStream<v1::RouterMessage, v1::ControllerMessage> stream_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_CONTROL_LINK_H_
