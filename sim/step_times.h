// When a scenario's steps begin and end, and what of them is in force at an instant: where a simulation that
// does not start at zero takes up the script of faults.
//
// `to_come` is what a run from zero would still have scheduled at the instant, in the order in which it would
// happen. `replay` makes a fleet that has just started one that the steps before have befallen: the begins of
// all that is in force, and of what ended meanwhile only what may have been undone over something in force
// (two steps that kill the same workers). Steps of which nothing stays (BreakStreams, FailJobs) are left out.
//
// Pure. O(n log n) in the steps, each repetition one.
#ifndef RINGWAY_SIM_STEP_TIMES_H_
#define RINGWAY_SIM_STEP_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/scenario.h"

namespace ringway::sim {

// The end of a step that has none.
inline constexpr std::int64_t kNeverNs = std::numeric_limits<std::int64_t>::max();

struct StepMoment {
  std::int64_t at_ns = 0;
  std::size_t step = 0;
  bool begins = true;
  std::int64_t begun_ns = 0;  // of an end: when it began
};

struct StepsAt {
  std::vector<StepMoment> replay;
  std::vector<StepMoment> to_come;
};

// Moments before `at_ns` are over, the one at `at_ns` is to come.
StepsAt StepsAround(const Scenario& scenario, std::int64_t at_ns);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STEP_TIMES_H_
