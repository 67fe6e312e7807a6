// What two runs have to have in common to be one and the same.
#ifndef RINGWAY_TESTS_SIM_RUN_FINGERPRINT_H_
#define RINGWAY_TESTS_SIM_RUN_FINGERPRINT_H_

#include <string>

#include "sim/simulation.h"

namespace ringway::sim {

// Everything that a run counted, to the last bit, as text whose first difference tells where two part.
std::string Fingerprint(const Simulation& simulation);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_RUN_FINGERPRINT_H_
