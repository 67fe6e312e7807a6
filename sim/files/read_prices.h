// The `prices` part of a scenario file: what a worker and hour costs, and what leaves a region.
//
// One price for every region, and regions that differ from it:
//   prices: {gpuHour: 2.5, egressGb: 0.02, resultBytes: 3e6, regions: [{region: us-east-1, gpuHour: 2.1}]}
// A price of egress needs the bytes of a result, and these mean nothing without it: both mistakes are told.
//
// Bounds: as many regions as the topology has. See docs/simulating.md for the fields.
#ifndef RINGWAY_SIM_FILES_READ_PRICES_H_
#define RINGWAY_SIM_FILES_READ_PRICES_H_

#include "sim/scenario.h"
#include "topology/mapping.h"
#include "topology/read_world.h"

namespace ringway::sim {

// Needs scenario.fleet; sets scenario.prices if the file has any.
void ReadPrices(Mapping& spec, const RegionNames& names, Scenario& scenario, Problems& problems);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FILES_READ_PRICES_H_
