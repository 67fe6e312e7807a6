#include "tests/sim/wire/wire_of.h"

namespace ringway::sim {

std::unique_ptr<Wire> WireOf(const Scenario&) { return nullptr; }

bool WiresExist() { return false; }

}  // namespace ringway::sim
