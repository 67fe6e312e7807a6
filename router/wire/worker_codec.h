// What a worker says of itself, as the parts of a router take it, and what a ledger's leader asks of one.
//
// A lease or fence that is none is taken for none: the worker is believed in what else it says. The worker's
// own side of these messages is worker/messages.h.
//
// Threads: pure functions. O(1).
#ifndef RINGWAY_ROUTER_WIRE_WORKER_CODEC_H_
#define RINGWAY_ROUTER_WIRE_WORKER_CODEC_H_

#include "core/ids.h"
#include "ringway/v1/worker.pb.h"
#include "router/dispatch/ledger/messages.h"
#include "router/session/ledger_session.h"
#include "router/worker_registry.h"

namespace ringway::router {

// `tier`: that it says to serve, in the fleet that this router knows.
WorkerSaid SaidBy(WorkerId worker, TierId tier, const v1::WorkerState& state);
// For the leader of its tier's ledger.
ledger::Announce AnnouncementOf(WorkerId worker, const v1::WorkerState& state);

v1::FenceRequest EncodeFence(const FenceOff& fence);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_WORKER_CODEC_H_
