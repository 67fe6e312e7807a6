// What a table does to the fleet: the requests that each region serves, imports and refuses at a given
// demand.
//
// One multiplication for each entry: traffic never passes through a third region, so a row speaks only of the
// requests that entered at its source. Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_TRAFFIC_H_
#define RINGWAY_CONTROLLER_PLANNER_TRAFFIC_H_

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/table.h"

namespace ringway::planner {

struct Traffic {
  IdVector<RegionId, double> served_rps;
  IdVector<RegionId, double> imported_rps;  // of the served
  double away_rps = 0;
  double shed_rps = 0;
  double rtt_cost = 0;  // RPS x ms
};

Traffic TrafficUnder(const TierTable& table, const IdVector<RegionId, Site>& sites, const Reach& reach);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_TRAFFIC_H_
