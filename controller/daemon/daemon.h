// A whole controller: state, journal, control loop, gRPC, pages, and a Prometheus source if one is asked for.
//
// Order matters. Up: topology and state folder (nothing starts on a broken file), the epoch claimed on disk,
// the loop, gRPC, pages, port file; whoever finds the port file finds a controller that serves. Down: streams
// end, gRPC stops while the loop still answers it, the loop, then state and journal are written out.
//
// Threads: made and destroyed by one owner; Reload and the addresses from any.
#ifndef RINGWAY_CONTROLLER_DAEMON_DAEMON_H_
#define RINGWAY_CONTROLLER_DAEMON_DAEMON_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "controller/daemon/settings.h"

namespace ringway::controller {

class ControllerDaemon {
 public:
  // Errors: what kept it from starting, for a person.
  static absl::StatusOr<std::unique_ptr<ControllerDaemon>> Start(DaemonSettings settings);
  ~ControllerDaemon();

  const std::string& grpc_address() const;
  const std::string& http_address() const;
  // Of the port for autoscalers; empty: there is none.
  std::string scaler_address() const;
  // Reads the topology file again; a broken one is logged and changes nothing.
  void Reload();

 private:
  struct Parts;
  explicit ControllerDaemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Runs until SIGTERM or SIGINT; SIGHUP reloads. Errors: as Start.
absl::Status RunController(const DaemonSettings& settings);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_DAEMON_H_
