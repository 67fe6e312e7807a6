// One scenario in slices of its time, on several threads.
//
// Slices are handed out in the order of time. What comes out is the same for any number of threads. Ctrl-C
// ends those under way; the slices before the first that did not end are merged and reported.
//
// Threads: its own; the caller's only waits.
#ifndef RINGWAY_CLI_SIM_SLICE_RUNS_H_
#define RINGWAY_CLI_SIM_SLICE_RUNS_H_

#include <memory>
#include <vector>

#include "sim/study/slice_merge.h"

namespace ringway::cli {

// The first slices of the plan that ended, in its order; fewer than all: interrupted.
std::vector<sim::SlicePlayed> PlaySlices(const std::shared_ptr<const sim::Scenario>& scenario,
                                         const sim::SlicePlan& plan, unsigned threads);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_SLICE_RUNS_H_
