// The router's agent, towards its clients: what they must know of the fleet.
#include "router/daemon/router_agent.h"

namespace ringway::router {

videos::FleetSummary RouterAgent::Summary() const {
  videos::FleetSummary summary;
  const Fleet& fleet = *fleet_.fleet;
  IdVector<RegionId, bool> reached(fleet.world.regions.size(), false);
  for (RouterId id(0); id != addresses_.routers().end_id(); id = RouterId(id.index() + 1)) {
    const KnownRouter& router = *addresses_.routers()[id];
    if (!router.listed) continue;
    summary.peers.push_back({router.name, router.region, router.address});
    if (const auto region = fleet.world.FindRegion(router.region)) reached[*region] = true;
  }
  for (TierId t(0); t != fleet.tiers.end_id(); t = TierId(t.index() + 1)) {
    if (fleet_.retired.contains(t) && fleet_.retired[t]) continue;
    const Tier& tier = fleet.tiers[t];
    bool has_backend = driver_.machine().workers().listed_workers(t) > 0;
    for (RegionId r(0); r != fleet.world.regions.end_id(); r = RegionId(r.index() + 1)) {
      if (reached[r] && tier.regions.contains(r) && tier.regions[r].workers > 0) has_backend = true;
    }
    summary.tiers.push_back({tier.name, has_backend, fleet_.models[t]});
  }
  return summary;
}

// Workers that are known but have not spoken yet say nothing.
void RouterAgent::HearModels() {
  fleet_.models = IdVector<TierId, ModelSet>(fleet_.fleet->tiers.size(), ModelSet());
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) {
    const KnownWorker& worker = *addresses_.workers()[id];
    const bool known = registry_.local(id) || registry_.in_region(id);
    if (!known || worker.state.wire_version() == 0) continue;
    if (const auto tier = fleet_.fleet->FindTier(worker.tier)) fleet_.models[*tier].Add(worker.state.model());
  }
}

void RouterAgent::ShowFleet() {
  if (!show_fleet_) return;
  videos::FleetSummary summary = Summary();
  if (shown_ && *shown_ == summary) return;
  show_fleet_(summary);
  shown_ = std::move(summary);
}

}  // namespace ringway::router
