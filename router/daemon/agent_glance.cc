// The router's agent, towards the videos front: what it must know of the fleet.
#include "router/daemon/router_agent.h"

namespace ringway::router {

videos::FleetGlance RouterAgent::Glance() const {
  videos::FleetGlance glance;
  const Fleet& fleet = *fleet_.fleet;
  IdVector<RegionId, bool> reached(fleet.world.regions.size(), false);
  for (RouterId id(0); id != book_.routers().end_id(); id = RouterId(id.index() + 1)) {
    const KnownRouter& router = *book_.routers()[id];
    if (!router.listed) continue;
    glance.peers.push_back({router.name, router.region, router.address});
    if (const auto region = fleet.world.FindRegion(router.region)) reached[*region] = true;
  }
  for (TierId t(0); t != fleet.tiers.end_id(); t = TierId(t.index() + 1)) {
    if (fleet_.retired.contains(t) && fleet_.retired[t]) continue;
    const Tier& tier = fleet.tiers[t];
    bool has_backend = driver_.machine().workers().listed_workers(t) > 0;
    for (RegionId r(0); r != fleet.world.regions.end_id(); r = RegionId(r.index() + 1)) {
      if (reached[r] && tier.regions.contains(r) && tier.regions[r].workers > 0) has_backend = true;
    }
    glance.tiers.push_back({tier.name, has_backend});
  }
  return glance;
}

void RouterAgent::ShowFleet() {
  if (!show_fleet_) return;
  videos::FleetGlance glance = Glance();
  if (shown_ && *shown_ == glance) return;
  show_fleet_(glance);
  shown_ = std::move(glance);
}

}  // namespace ringway::router
