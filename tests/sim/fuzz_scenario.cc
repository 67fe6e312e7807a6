// What people give the simulator: a scenario (s) or a trace (c), by the first byte. Reading never crashes,
// and what it lets through can be simulated: bounds hold, and a trace ascends from zero.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "sim/demand/trace.h"
#include "sim/files/scenario_file.h"
#include "tests/sim/fuzz_world.h"

namespace ringway::sim {
namespace {

void ReadScenario(std::string_view text) {
  const auto scenario = ParseScenario(text, "fuzz.yaml", ReadFuzzFile);
  if (!scenario.ok()) {
    RINGWAY_CHECK(!scenario.status().message().empty());
    return;
  }
  RINGWAY_CHECK(scenario->fleet != nullptr && scenario->duration_s > scenario->warmup_s);
  RINGWAY_CHECK(scenario->demand.size() <= kDemandsMax && scenario->steps.size() <= kStepsMax);
  for (const auto& demand : scenario->demand) {
    RINGWAY_CHECK(scenario->fleet->world.regions.contains(demand.region));
    RINGWAY_CHECK(scenario->fleet->tiers.contains(demand.tier));
  }
}

void ReadTrace(std::string_view text) {
  const auto trace = ParseTraceJobs(text, "fuzz.csv");
  if (!trace.ok()) {
    RINGWAY_CHECK(!trace.status().message().empty());
    return;
  }
  RINGWAY_CHECK(!trace->offsets_s.empty() && trace->offsets_s.front() == 0);
  double last = 0;
  for (const double at : trace->offsets_s) {
    RINGWAY_CHECK(std::isfinite(at) && at >= last);
    last = at;
  }
  for (const auto* words : {&trace->tier, &trace->tenant, &trace->priority, &trace->region}) {
    RINGWAY_CHECK(words->of.empty() || words->of.size() == trace->offsets_s.size());
    for (const std::uint32_t name : words->of) RINGWAY_CHECK(name < words->names.size());
  }
}

}  // namespace
}  // namespace ringway::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  if (bytes[0] == 's') ringway::sim::ReadScenario(text);
  if (bytes[0] == 'c') ringway::sim::ReadTrace(text);
  return 0;
}
