#include "router/daemon/fleet_show.h"

#include <utility>

namespace ringway::router {
namespace {

gateway::FleetSummary SummaryOf(const KnownFleet& known, const AddressTable& addresses,
                                const dispatch::WorkerView& workers) {
  gateway::FleetSummary summary;
  const Fleet& fleet = *known.fleet;
  IdVector<RegionId, bool> reached(fleet.world.regions.size(), false);
  for (RouterId id(0); id != addresses.routers().end_id(); id = RouterId(id.index() + 1)) {
    const KnownRouter& router = *addresses.routers()[id];
    if (!router.listed) continue;
    summary.peers.push_back({router.name, router.region, router.address});
    if (const auto region = fleet.world.FindRegion(router.region)) reached[*region] = true;
  }
  for (TierId t(0); t != fleet.tiers.end_id(); t = TierId(t.index() + 1)) {
    if (known.retired.contains(t) && known.retired[t]) continue;
    const Tier& tier = fleet.tiers[t];
    bool has_backend = workers.listed_workers(t) > 0;
    for (RegionId r(0); r != fleet.world.regions.end_id(); r = RegionId(r.index() + 1)) {
      if (reached[r] && tier.regions.contains(r) && tier.regions[r].workers > 0) has_backend = true;
    }
    summary.tiers.push_back({tier.name, has_backend, known.models[t]});
  }
  return summary;
}

}  // namespace

IdVector<TierId, ModelSet> ModelsHeard(const KnownFleet& fleet, const AddressTable& addresses,
                                       const WorkerRegistry& registry) {
  IdVector<TierId, ModelSet> models(fleet.fleet->tiers.size(), ModelSet());
  for (WorkerId id(0); id != addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    const KnownWorker& worker = *addresses.workers()[id];
    const bool known = registry.local(id) || registry.in_region(id);
    if (!known || worker.state.wire_version() == 0) continue;
    if (const auto tier = fleet.fleet->FindTier(worker.tier)) models[*tier].Add(worker.state.model());
  }
  return models;
}

void FleetShow::Tell(const KnownFleet& fleet, const AddressTable& addresses,
                     const dispatch::WorkerView& workers) {
  if (!show_) return;
  gateway::FleetSummary summary = SummaryOf(fleet, addresses, workers);
  if (shown_ && *shown_ == summary) return;
  show_(summary);
  shown_ = std::move(summary);
}

}  // namespace ringway::router
