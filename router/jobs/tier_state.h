// Everything a router keeps for one tier: settings, estimate, where slots and spills come from, counts.
//
// A plain gathering without decisions; the machine sequences, the pieces decide. States are numbered as the
// tiers of the fleet and live as long as the router: new settings reach a state, they never replace it, so
// that balances, estimates and waiting jobs survive an edit of the topology. One owner thread.
#ifndef RINGWAY_ROUTER_JOBS_TIER_STATE_H_
#define RINGWAY_ROUTER_JOBS_TIER_STATE_H_

#include <cstddef>
#include <vector>

#include "core/state.h"
#include "core/tier.h"
#include "router/dispatch/service_estimate.h"
#include "router/dispatch/traffic_counters.h"
#include "router/jobs/slot_source.h"
#include "router/jobs/spill_line.h"
#include "router/routes/imports.h"

namespace ringway::router {

struct TierState {
  TierState(TierId tier, const Tier& spec_of, Time started)
      : spec(spec_of.dispatch),
        service(spec_of.service_mean),
        slots(tier, spec_of.dispatch, started),
        spill(spec_of.dispatch.spill) {}
  void Reconfigure(const Tier& tier) {
    spec = tier.dispatch;
    service.Reconfigure(tier.service_mean);
    slots.Reconfigure(tier.dispatch);
    spill.Reconfigure(tier.dispatch.spill);
  }
  // Else a job without a free worker is refused.
  bool may_wait() const { return spec.waiting_max > 0; }

  DispatchSpec spec;
  dispatch::ServiceEstimate service;
  SlotSource slots;
  SpillLine spill;
  std::vector<ledger::AwayTarget> aimed;  // where the ledger was last told that jobs may go
  Imports imports;
  dispatch::TrafficCounters counters;
  std::size_t held = 0;  // jobs that no worker has started yet; at most spec.waiting_max
  RINGWAY_STATE(spec, service, slots, spill, aimed, imports, counters, held)
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_TIER_STATE_H_
