// The slot ledger of a pool that this very router holds: the same machine that a holder for many routers
// runs.
//
// What the router's machine tells the holder of the pool's tier is stepped through the ledger at once, and
// the answers go back to the machine; no message leaves the process. The pool announces nothing, so slots are
// known by the leases alone, and the appointment is fresh: nobody else has held this ledger before, or had
// better not.
//
// Threads: the loop's. Invariant: the ledger is stepped from here only.
#ifndef RINGWAY_ROUTER_HTTP_LOCAL_HOLDER_H_
#define RINGWAY_ROUTER_HTTP_LOCAL_HOLDER_H_

#include <vector>

#include "core/http_pool.h"
#include "router/dispatch/ledger/slot_ledger.h"
#include "router/http/http_proxy.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class LocalHolder {
 public:
  LocalHolder(runtime::EventLoop& loop, const HttpPoolSpec& spec, TierId tier, ProxyHost& host);

  // Takes the seat. On the loop, once.
  void Sit();
  void List(WorkerId worker);
  void Unlist(WorkerId worker);
  void Perform(const ledger::LedgerEvent& event) { Step(event); }
  const ledger::SlotLedger& ledger() const { return ledger_; }

 private:
  void Step(const ledger::LedgerEvent& event);
  void Beat();

  const TierId tier_;
  ProxyHost& host_;
  ledger::SlotLedger ledger_;
  std::vector<ledger::LedgerAction> actions_;
  runtime::Alarm wake_;
  runtime::Alarm beat_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_LOCAL_HOLDER_H_
