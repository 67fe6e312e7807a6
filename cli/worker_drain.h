// An order to single workers, or to those of a host, on its way through their routers.
//
// Prints a line for each worker: what it does now, or why it did not take the order. Exit codes: 0 when every
// worker took it, 1 when one did not or there is none. Threads: one owner; blocks for at most the client's
// limit.
#ifndef RINGWAY_CLI_WORKER_DRAIN_H_
#define RINGWAY_CLI_WORKER_DRAIN_H_

#include "cli/session.h"
#include "ringway/v1/operations.pb.h"

namespace ringway::cli {

// `request` names a worker or a host; who gives the order is filled in here.
int DrainWorkers(Session& session, v1::DrainWorkersRequest request);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_WORKER_DRAIN_H_
