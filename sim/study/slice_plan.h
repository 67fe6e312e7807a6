// How a long scenario is cut into slices that are played side by side (time-parallel simulation; Heidelberger
// and Stone, "Parallel trace-driven cache simulation by time partitioning", 1990).
//
// The windows are equal and cover the scenario. Each slice but the first starts a warm-up before its window:
// by default the longest of the scenario's own warm-up, twenty mean service times, and what the controller
// remembers (averages over twenty epochs, three times over, and its settling). Where a fault of which the
// fleet keeps something that no script tells (the tables of a fleet without controller, who led) is in force
// when a slice would start, the slice starts a warm-up before that fault began.
//
// Refused, with the reason: scenarios whose users come as answers went (resubmitShare), fleets that an
// autoscaler sizes, windows shorter than their warm-up, faults that keep something for longer than a window.
//
// Pure. O(slices x steps).
#ifndef RINGWAY_SIM_STUDY_SLICE_PLAN_H_
#define RINGWAY_SIM_STUDY_SLICE_PLAN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sim/scenario.h"
#include "sim/slice.h"

namespace ringway::sim {

struct SlicePlan {
  std::vector<Slice> slices;
  double warmup_s = 0;               // before each window but the first
  std::vector<std::string> remarks;  // slices that start earlier, and why
};

// In whole seconds.
double DefaultSliceWarmupS(const Scenario& scenario);

// Errors: InvalidArgument, naming the flag or the field, why, and what can be done.
absl::StatusOr<SlicePlan> PlanSlices(const Scenario& scenario, std::size_t count,
                                     std::optional<double> warmup_s = std::nullopt);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SLICE_PLAN_H_
