// A trouble of a scenario in a few words, for reports and plots: "region dead: us-east-1".
//
// One region is named, several are counted. The words are data to the page, never markup.
//
// Pure.
#ifndef RINGWAY_SIM_REPORT_STEP_TEXT_H_
#define RINGWAY_SIM_REPORT_STEP_TEXT_H_

#include <string>

#include "core/fleet.h"
#include "sim/scenario.h"

namespace ringway::sim {

std::string TextOf(const Fault& fault, const Fleet& fleet);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_STEP_TEXT_H_
