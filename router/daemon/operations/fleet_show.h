// What the router tells its front for clients of the fleet: which tiers are served with which models, and who
// the other routers are.
//
// Looked at on each beat of the agent and told only when it has changed. Complexity: linear in what is known.
// Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_FLEET_SHOW_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_FLEET_SHOW_H_

#include <functional>
#include <optional>

#include "gateway/fleet_summary.h"
#include "router/daemon/control/address_table.h"
#include "router/dispatch/worker_view.h"
#include "router/wire/job_header.h"
#include "router/worker_registry.h"

namespace ringway::router {

// The models of each tier, as the workers of this region have said. Workers that are known but have not
// spoken yet say nothing.
IdVector<TierId, ModelSet> ModelsHeard(const KnownFleet& fleet, const AddressTable& addresses,
                                       const WorkerRegistry& registry);
// What their workers say of pictures, joined; of no use to anybody is a tier of which nobody has spoken.
IdVector<TierId, PictureTerms> PicturesHeard(const KnownFleet& fleet, const AddressTable& addresses,
                                             const WorkerRegistry& registry);

class FleetShow {
 public:
  using Show = std::function<void(const gateway::FleetSummary&)>;
  void To(Show show) { show_ = std::move(show); }
  // Tells what is known now, if somebody listens and it is news.
  void Tell(const KnownFleet& fleet, const AddressTable& addresses, const dispatch::WorkerView& workers);

 private:
  Show show_;
  std::optional<gateway::FleetSummary> shown_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_FLEET_SHOW_H_
