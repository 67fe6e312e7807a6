// Everything a router keeps for one tier beside its workers: settings, budget, estimate, counts, line.
//
// A plain gathering without decisions; the machine sequences, the pieces decide. States are numbered as the
// tiers of the fleet and live as long as the router: new settings reach a state, they never replace it, so
// that balances, estimates and sleeping jobs survive an edit of the topology. One owner thread.
#ifndef RINGWAY_ROUTER_TIER_STATE_H_
#define RINGWAY_ROUTER_TIER_STATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tier.h"
#include "router/dispatch/freed_turn.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/retry_budget.h"
#include "router/dispatch/service_estimate.h"
#include "router/dispatch/spill.h"
#include "router/dispatch/traffic_counters.h"
#include "router/job_record.h"

namespace ringway::router {

struct TierState {
  TierState(const Tier& tier, absl::Time started)
      : spec(tier.dispatch),
        budget(tier.dispatch.budget),
        service(tier.service_mean),
        spill(tier.dispatch.spill),
        client(RouterId(0), started, ledger::ClientSettings{}) {}
  void Reconfigure(const Tier& tier) {
    spec = tier.dispatch;
    budget.Reconfigure(tier.dispatch.budget);
    service.Reconfigure(tier.service_mean);
    spill.Reconfigure(tier.dispatch.spill);
  }

  DispatchSpec spec;
  dispatch::RetryBudget budget;
  dispatch::ServiceEstimate service;
  dispatch::SpillGate spill;
  dispatch::TrafficCounters counters;
  WaitingLine line;
  dispatch::FreedTurn freed;
  WorkerId freed_worker;  // that a job of the line is put off for, until
  absl::Time freed_at = absl::InfiniteFuture();
  WaitingLine may_spill;                          // jobs in the leader's line that have not been considered
  absl::Time spill_at = absl::InfiniteFuture();   // when the first of them is to be
  ledger::LedgerClient client;                    // its own number means nothing: the shell names the router
  std::vector<ledger::AskAction> client_actions;  // what the client wants done; emptied in every turn
  absl::Time none_idle_until = absl::InfinitePast();  // the ledger has just said so
  int import_part = 0;                // of the region's import cap, what this router may take in
  int imports = 0;                    // jobs of other regions that are here
  std::uint64_t imports_refused = 0;  // since the start
  std::size_t held = 0;               // jobs that no worker has started yet; at most spec.waiting_max
  bool may_wait() const { return spec.waiting_max > 0; }  // else a job without a free worker is refused
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_TIER_STATE_H_
