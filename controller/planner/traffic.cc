#include "controller/planner/traffic.h"

namespace ringway::planner {

Traffic TrafficUnder(const TierTable& table, const IdVector<RegionId, Site>& sites, const Reach& reach) {
  Traffic traffic;
  traffic.served_rps.resize(sites.size());
  traffic.imported_rps.resize(sites.size());
  ForEachRegion(sites.size(), [&](RegionId source) {
    for (std::size_t p = 0; p < table.priorities(); ++p) {
      const double demand_rps = sites[source].demand_rps[p];
      const Row& row = table.at(static_cast<Priority>(p), source);
      traffic.shed_rps += demand_rps * row.shed_fraction;
      for (const Route& route : row.routes) {
        const double rps = demand_rps * route.fraction;
        traffic.served_rps[route.target] += rps;
        if (route.target == source) continue;
        traffic.imported_rps[route.target] += rps;
        traffic.away_rps += rps;
        traffic.rtt_cost += rps * reach.rtt_ms(source, route.target);
      }
    }
  });
  return traffic;
}

}  // namespace ringway::planner
