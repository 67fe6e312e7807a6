// What a router says to the controller and hears from it, besides maps, tables and directories.
//
// The shell has the names: its own, the workers', those of regions and tiers in the fleet that it knows. Here
// they are joined with what the machine and the registry said. What the controller makes of it stands in
// controller/wire/report_codec.h. A welcome of a release that this one does not read is an error; a period
// that makes no sense is taken for the usual one.
//
// Threads: pure functions. Complexity: linear in what is said.
#ifndef RINGWAY_ROUTER_WIRE_CONTROL_CODEC_H_
#define RINGWAY_ROUTER_WIRE_CONTROL_CODEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/table.h"
#include "ringway/v1/control.pb.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/session/round_trips.h"
#include "router/worker_registry.h"

namespace ringway::router {

// Who this router is.
struct Introduction {
  std::string router;
  std::string region;
  std::string address;  // where other routers reach it
  TableVersion table;   // that it holds
  std::string build;
  std::uint64_t incarnation = 0;
};
v1::Hello EncodeHello(const Introduction& own);

// Without workers and round trips. Tiers that are retired are not told of.
v1::Report EncodeReport(const SendReport& report, const Fleet& fleet, const IdVector<TierId, bool>& retired);
// What its address and its own word are for a worker.
struct WorkerTold {
  std::string name;
  std::string tier;
  std::string address;
};
v1::WorkerReport EncodeWorker(const WorkerReported& seen, const WorkerTold& told);
v1::RoundTrip EncodeRoundTrip(const RoundTrip& trip, const World& world);

v1::Ack EncodeAck(const TableDecided& decided);

// Errors: InvalidArgument.
absl::StatusOr<ControllerWelcomed> DecodeWelcome(const v1::Welcome& message);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_CONTROL_CODEC_H_
