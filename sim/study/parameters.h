// The knobs of a scenario that a study turns: by name, with a number.
//
// A sweep varies them over a grid and a comparison sets one on either side. Each takes a scenario and gives
// another; factors are relative to what the file says. Errors: NotFound with all names, InvalidArgument with
// the range.
#ifndef RINGWAY_SIM_STUDY_PARAMETERS_H_
#define RINGWAY_SIM_STUDY_PARAMETERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "sim/scenario.h"

namespace ringway::sim {

std::vector<std::string_view> ParameterNames();
// For help texts, a line each.
std::string ParameterHelp();

// Changes `scenario` in place; on an error it is as before.
absl::Status SetParameter(std::string_view name, double value, Scenario& scenario);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_PARAMETERS_H_
