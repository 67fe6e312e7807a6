// Scenario files: a what-if question in the same YAML as a topology. docs/simulating.md lists every field.
//
// One document of kind Scenario; it names the topology file that it is about, relative to itself, as it names
// traces. Demand is given as a rate, or as a load: a share of the tier's whole fleet, turned into requests
// per second by the mean service time and spread over the source regions (by population, by capacity, or as
// listed). What the reader decided in doing so is in Scenario::remarks, because a person who compares two
// runs must know.
//
// All mistakes of a file are listed at once, with line, column and field; nothing is half-read. Files are
// read through `read`, so that tests and embedders need no disk. Exceptions: none.
#ifndef RINGWAY_SIM_FILES_SCENARIO_FILE_H_
#define RINGWAY_SIM_FILES_SCENARIO_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "sim/scenario.h"

namespace ringway::sim {

inline constexpr std::size_t kDemandsMax = 10'000;
inline constexpr std::size_t kStepsMax = 1000;

// The text of the file at a path that a scenario names.
using ReadFile = std::function<absl::StatusOr<std::string>(const std::string& path)>;

absl::StatusOr<Scenario> ParseScenario(std::string_view text, const std::string& file_name,
                                       const ReadFile& read);

// From disk; paths in the file are relative to its folder.
absl::StatusOr<Scenario> LoadScenario(const std::string& path);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FILES_SCENARIO_FILE_H_
