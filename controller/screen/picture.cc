#include "controller/screen/picture.h"

namespace ringway::controller {

FleetPicture PictureOf(const ControllerMachine& machine, Time now) {
  FleetPicture fleet;
  for (const TierLoop& loop : machine.tiers()) {
    TierPicture& tier = fleet.emplace_back();
    const TierSnapshot snapshot = loop.Unpinned(now);
    for (RegionId id(0); id != loop.fleet().world.regions.end_id(); id = RegionId(id.index() + 1)) {
      const RegionStatus status =
          StatusUnder(loop, snapshot, loop.plan().get(), loop.in_force().get(), id, now);
      tier.demand_rps += status.demand_rps;
      tier.away_rps += status.demand_rps * status.exported_share;
      tier.shed_rps += status.demand_rps * status.shed_share;
      tier.regions.push_back(status);
    }
    tier.home_rps = tier.demand_rps - tier.away_rps - tier.shed_rps;
    if (tier.home_rps < 0) tier.home_rps = 0;
  }
  return fleet;
}

}  // namespace ringway::controller
