#include "tests/sim/wire/wire_of.h"

#include "tests/sim/wire/proto_wire.h"

namespace ringway::sim {

std::unique_ptr<Wire> WireOf(const Scenario& scenario) {
  return scenario.wire ? std::make_unique<ProtoWire>(scenario) : nullptr;
}

bool WiresExist() { return true; }

}  // namespace ringway::sim
