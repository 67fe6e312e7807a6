// Wires a worker together and runs it until SIGTERM or SIGINT.
//
// Order matters. Up: signals, pages, agent, loop, gRPC, port file, so that whoever finds the port file finds
// a worker that serves. Down: drain (the job in flight finishes, nothing new is admitted, /readyz and gRPC
// health say so), then gRPC while the loop still answers it, then the loop.
//
// Threads: RunWorker blocks the calling thread.
#ifndef RINGWAY_WORKER_DAEMON_H_
#define RINGWAY_WORKER_DAEMON_H_

#include "absl/status/status.h"
#include "worker/settings.h"

namespace ringway::worker {

// Errors: what kept it from starting.
absl::Status RunWorker(Settings settings);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_DAEMON_H_
