// At whose session a worker is listed, and what it announced last.
//
// What was announced is kept for a session that comes to list the worker while its watch stream still stands,
// because the worker does not say it again until something changes. One cache line, because a router's node
// comes by with every job of every worker that it watches. Pure; owned by the node.
#ifndef RINGWAY_ROUTER_SESSION_SESSION_PLACE_H_
#define RINGWAY_ROUTER_SESSION_SESSION_PLACE_H_

#include <cstdint>

#include "core/cache_line.h"
#include "core/ids.h"
#include "core/lease.h"
#include "router/dispatch/ledger/messages.h"

namespace ringway::router {

struct alignas(kCacheLine) SessionPlace {
  TierId tier;  // at whose session it is listed, or was last
  bool listed = false;
  bool announced = false;  // over the watch stream that stands: the rest
  ledger::WorkerStatus status = ledger::WorkerStatus::kIdle;
  std::uint64_t sequence = 0;
  Lease fence;
  Lease running;

  void Remember(const ledger::Announce& announce) {
    announced = true;
    status = announce.status;
    sequence = announce.sequence;
    fence = announce.fence;
    running = announce.running;
  }
  ledger::Announce Announced(WorkerId worker) const { return {worker, sequence, status, fence, running}; }
};
static_assert(sizeof(SessionPlace) == kCacheLine);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_SESSION_SESSION_PLACE_H_
