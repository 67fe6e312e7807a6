// The requests that a leader knows, by the names their routers gave them: where each stands, and how it
// ended.
//
// For each router an array over its job slots keeps the highest generation seen and what became of it; an ask
// that waits also has a ticket, its place in the waiting line. Because the last generation is remembered, a
// repeated, late or reordered ask is recognised and never granted a second time, and a withdrawal that
// overtakes its ask still counts.
//
// Bounds: `routers_max` routers, `slots_per_router_max` requests of each. Complexity O(1). Memory grows to
// the highest slot number seen and is reused. Pure. One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_REQUEST_TABLE_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_REQUEST_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/ledger/waiting_line.h"

namespace ringway::ledger {

// kGranted stands until the slot's next ask; whether the lease still lives is for the slot table to say.
enum class RequestState : std::uint8_t { kNone, kWaiting, kGranted, kEnded };

struct RequestEntry {
  std::uint64_t generation = 0;
  RequestState state = RequestState::kNone;
  Ticket ticket = 0;  // while kWaiting
  WorkerId worker;    // if kGranted
};

struct WaitingRequest {
  RequestKey key;
  Priority priority = 0;
  Time joined;
  Time start_by;  // latest start that still meets the deadline
};

class RequestTable {
 public:
  RequestTable(std::size_t routers_max, std::size_t slots_per_router_max)
      : routers_max_(routers_max), slots_max_(slots_per_router_max) {}

  bool InRange(const RequestKey& key) const {
    return key.router.index() < routers_max_ && key.slot < slots_max_;
  }
  // The entry of the ask's slot, whatever its generation; the key must be InRange.
  RequestEntry& At(const RequestKey& key);

  Ticket AddTicket(const WaitingRequest& acquire);
  const WaitingRequest& At(Ticket ticket) const { return tickets_[ticket]; }
  void FreeTicket(Ticket ticket) { free_tickets_.push_back(ticket); }

  // None of the router's requests may be waiting.
  void Forget(RouterId router) {
    if (routers_.contains(router)) routers_[router] = {};
  }

  // All entries of one router, by slot; empty if it never asked.
  const std::vector<RequestEntry>& Of(RouterId router) const;

 private:
  IdVector<RouterId, std::vector<RequestEntry>> routers_;
  std::vector<WaitingRequest> tickets_;
  std::vector<Ticket> free_tickets_;
  std::size_t routers_max_;
  std::size_t slots_max_;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_REQUEST_TABLE_H_
