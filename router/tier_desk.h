// Everything a router keeps for one tier beside its workers: settings, budget, estimate, counts, line.
//
// A plain gathering without decisions; the machine sequences, the pieces decide. Desks are numbered as the
// tiers of the fleet and live as long as the router: new settings reach a desk, they never replace it, so
// that balances, estimates and sleeping jobs survive an edit of the topology. One owner thread.
#ifndef RINGWAY_ROUTER_TIER_DESK_H_
#define RINGWAY_ROUTER_TIER_DESK_H_

#include <cstddef>

#include "core/tier.h"
#include "router/dispatch/retry_budget.h"
#include "router/dispatch/service_estimate.h"
#include "router/dispatch/traffic_counters.h"
#include "router/job_record.h"

namespace ringway::router {

struct TierDesk {
  explicit TierDesk(const Tier& tier)
      : spec(tier.dispatch), budget(tier.dispatch.budget), service(tier.service_mean) {}
  void Reconfigure(const Tier& tier) {
    spec = tier.dispatch;
    budget.Reconfigure(tier.dispatch.budget);
    service.Reconfigure(tier.service_mean);
  }

  DispatchSpec spec;
  dispatch::RetryBudget budget;
  dispatch::ServiceEstimate service;
  dispatch::TrafficCounters counters;
  WaitingLine line;
  std::size_t held = 0;  // jobs that no worker has started yet; at most spec.waiting_max
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_TIER_DESK_H_
