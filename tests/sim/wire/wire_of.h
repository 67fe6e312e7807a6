// The wire that a scenario asks for, for whoever plays it.
//
// Where only pure code is built there are no messages: there a fleet that should talk over a wire hands
// values from one process to the other (no_wire.cc).
//
// One wire belongs to one simulation.
#ifndef RINGWAY_TESTS_SIM_WIRE_WIRE_OF_H_
#define RINGWAY_TESTS_SIM_WIRE_WIRE_OF_H_

#include <memory>

#include "sim/fleet/wire.h"
#include "sim/scenario.h"

namespace ringway::sim {

// Null: it asks for none, or there is none.
std::unique_ptr<Wire> WireOf(const Scenario& scenario);
// Whether there are wires.
bool WiresExist();

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_WIRE_WIRE_OF_H_
