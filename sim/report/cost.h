// What a run costs at the prices of its scenario, region by region.
//
// Counted after the warm-up, as jobs are. Workers of tiers with demand are paid for until the run ends, idle,
// drained and dead ones too; where an autoscaler starts and stops them, from the order to start to the end.
// Results are paid for where they leave the region that served the job for the one that it entered in.
//
// Pure: O(regions^2 + regions * tiers).
#ifndef RINGWAY_SIM_REPORT_COST_H_
#define RINGWAY_SIM_REPORT_COST_H_

#include "core/ids.h"
#include "sim/report/run_result.h"

namespace ringway::sim {

struct RunCost {
  double gpu_hours = 0;
  double gpu = 0;  // their cost
  double egress_gb = 0;
  double egress = 0;  // its cost
  double total() const { return gpu + egress; }
};

// Without prices costs are 0; the hours are told all the same.
IdVector<RegionId, RunCost> CostsOf(const RunResult& run);
RunCost CostOfAll(const IdVector<RegionId, RunCost>& regions);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_COST_H_
