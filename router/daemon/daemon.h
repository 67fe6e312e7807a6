// Wires a router together and runs it until SIGTERM or SIGINT.
//
// Order matters. Up: signals, pages, agent, loop, gRPC, then disk, workers and controller, then the port
// file, so that whoever finds the port file finds a router that serves. Down: drain (jobs here finish,
// nothing new is admitted, /readyz and gRPC health say so), then gRPC while the loop still answers it, then
// our own calls, then the loop.
//
// Threads: RunRouter blocks the calling thread.
#ifndef RINGWAY_ROUTER_DAEMON_DAEMON_H_
#define RINGWAY_ROUTER_DAEMON_DAEMON_H_

#include <optional>

#include "absl/status/status.h"
#include "core/fleet.h"
#include "router/daemon/settings.h"

namespace ringway::router {

// `topology`: the fleet of a topology file, if one was given. Errors: what kept it from starting.
absl::Status RunRouter(const Settings& settings, const std::optional<Fleet>& topology);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_DAEMON_H_
