// What is left of a run when its machines are gone: all that figures and reports are made of, as values.
//
// Results of the slices of one run add up to one (sim/study/slice_merge.h): a slice's result holds its window
// only, so that nothing is told twice.
//
// Threads: values.
#ifndef RINGWAY_SIM_REPORT_RUN_RESULT_H_
#define RINGWAY_SIM_REPORT_RUN_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "sim/simulation.h"

namespace ringway::sim {

// Of an autoscaler.
struct ScalingResult {
  ScalingTotals totals;
  IdVector<RegionId, IdVector<TierId, double>> paid_s;
};

struct RunResult {
  std::shared_ptr<const Scenario> scenario;
  bool complete = false;
  double now_s = 0;  // virtual time that has passed; of a slice, to the end of its window at most
  std::uint64_t events = 0;
  std::size_t routers = 0;
  Totals totals;
  std::vector<SecondTally> seconds;  // the last one is not over
  std::vector<std::vector<std::uint64_t>> flows;
  double rtt_cost = 0;  // of plans, see ControlPlane
  double rtt_cost_optimal = 0;
  std::optional<ScalingResult> scaling;
  std::vector<std::string> violations;
};

RunResult ResultOf(const Simulation& run);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_RUN_RESULT_H_
