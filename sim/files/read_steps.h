// The `steps` part of a scenario file: what goes wrong, when, and for how long.
//
// What a trouble is named in the file is one table in read_steps.cc; a new trouble is a line there, a struct
// in sim/scenario.h and a verb in sim/faults.cc. Regions left out mean all of them, except where losing
// everything by accident would be too easy.
//
// Each item is a mapping with `at`, optionally `for` and `every`, and exactly one trouble by its name. See
// docs/simulating.md. Bounds: kStepsMax steps.
#ifndef RINGWAY_SIM_FILES_READ_STEPS_H_
#define RINGWAY_SIM_FILES_READ_STEPS_H_

#include "sim/files/scenario_file.h"
#include "sim/scenario.h"
#include "topology/mapping.h"
#include "topology/read_world.h"

namespace ringway::sim {

// `read`: for topology files that steps load.
void ReadSteps(Mapping& spec, const RegionNames& names, const ReadFile& read, Scenario& scenario,
               Problems& problems);

// A list of region names under `key`; empty when absent, which means all.
RegionSet ReadRegions(Mapping& mapping, std::string_view key, const RegionNames& names, Problems& problems);

// The tier named under "tier"; the only one when absent. Invalid after a problem.
TierId ReadTierName(Mapping& mapping, const Fleet& fleet, Problems& problems);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FILES_READ_STEPS_H_
