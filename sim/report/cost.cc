#include "sim/report/cost.h"

#include <algorithm>

#include "sim/demand/prices.h"
#include "sim/report/figures.h"

namespace ringway::sim {
namespace {

constexpr double kHourS = 3600;

double WorkerSeconds(const RunResult& run, RegionId region) {
  const Scenario& scenario = *run.scenario;
  const double measured_s = std::max(0.0, run.now_s - scenario.warmup_s);
  double seconds = 0;
  for (std::size_t t = 0; t < scenario.fleet->tiers.size(); ++t) {
    const TierId id(t);
    const Tier& tier = scenario.fleet->tiers[id];
    if (!InDemand(scenario, id)) continue;
    const bool scaled = run.scaling && tier.scaling.has_value();
    seconds += scaled ? run.scaling->paid_s[region][id] : measured_s * tier.regions[region].workers;
  }
  return seconds;
}

}  // namespace

IdVector<RegionId, RunCost> CostsOf(const RunResult& run) {
  const auto& served = run.flows;
  IdVector<RegionId, RunCost> costs(served.size());
  for (std::size_t here = 0; here < served.size(); ++here) {
    const RegionId region(here);
    RunCost& cost = costs[region];
    cost.gpu_hours = WorkerSeconds(run, region) / kHourS;
    if (!run.scenario->prices) continue;
    const Prices& prices = *run.scenario->prices;
    double away = 0;
    for (std::size_t from = 0; from < served.size(); ++from) {
      if (from != here) away += static_cast<double>(served[from][here]);
    }
    cost.gpu = cost.gpu_hours * prices.gpu_hour[region];
    cost.egress_gb = away * prices.result_bytes / kBytesOfGb;
    cost.egress = cost.egress_gb * prices.egress_gb[region];
  }
  return costs;
}

RunCost CostOfAll(const IdVector<RegionId, RunCost>& regions) {
  RunCost all;
  for (const RunCost& region : regions) {
    all.gpu_hours += region.gpu_hours;
    all.gpu += region.gpu;
    all.egress_gb += region.egress_gb;
    all.egress += region.egress;
  }
  return all;
}

}  // namespace ringway::sim
