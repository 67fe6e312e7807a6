// One slice of a run played, and the slices of a run made into one result.
//
// Slices share nothing but the scenario, so they may be played on as many threads as there are; what they
// come to is merged in the order of time and is the same for any number of threads. Counts and histograms add
// up, seconds follow each other, findings name their slice.
//
// Threads: PlaySlice on any, one slice each; the rest on one.
#ifndef RINGWAY_SIM_STUDY_SLICE_MERGE_H_
#define RINGWAY_SIM_STUDY_SLICE_MERGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/reference.h"
#include "sim/report/run_report.h"
#include "sim/report/run_result.h"
#include "sim/study/seam.h"
#include "sim/study/slice_plan.h"

namespace ringway::sim {

struct SlicePlayed {
  RunResult result;
  Reference reference;
  SeamState began, ended;
  double simulated_s = 0;  // with the warm-up, and to the end of the last job of the window
};

// Nothing: `keep_going` (asked once a virtual second) said no.
std::optional<SlicePlayed> PlaySlice(std::shared_ptr<const Scenario> scenario, const Slice& slice,
                                     const std::function<bool(double now_s)>& keep_going = nullptr);

struct SlicedRun {
  RunReport report;  // its remarks tell of the slices and of the seams
  // The largest differences of all seams; texts are empty where there was only one slice.
  SeamReport seams;
};

// Precondition: results of one run's windows, the earliest first, at least one.
RunResult MergeResults(std::vector<RunResult> slices);

// `played`: the first ones of the plan, in its order, at least one.
SlicedRun MergeSlices(const SlicePlan& plan, std::vector<SlicePlayed> played);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SLICE_MERGE_H_
