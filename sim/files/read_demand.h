// The `demand` part of a scenario file: arrival laws, and how they are spread over source regions.
//
// A rate is shared out over the regions of the item, by population, by capacity or equally; a trace keeps its
// shape in every region and is thinned or repeated to the region's rate, so the bursts of all regions
// coincide.
//
// Bounds: kDemandsMax streams. See sim/files/scenario_file.h for the rules, docs/simulating.md for the
// fields.
#ifndef RINGWAY_SIM_FILES_READ_DEMAND_H_
#define RINGWAY_SIM_FILES_READ_DEMAND_H_

#include "sim/files/scenario_file.h"
#include "sim/scenario.h"
#include "topology/mapping.h"
#include "topology/read_world.h"

namespace ringway::sim {

// Needs scenario.fleet and scenario.service; appends to scenario.demand and scenario.remarks.
void ReadDemand(Mapping& spec, const RegionNames& names, const ReadFile& read, Scenario& scenario,
                Problems& problems);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FILES_READ_DEMAND_H_
