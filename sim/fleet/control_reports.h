// What routers report to the controller of a simulation: their counts, and the workers that they speak for.
//
// Who is reported is the registry's to say (registries.h); names are those that the daemons' routers would
// report. Frozen metrics: how busy the workers of a region are stays as it was in the first report of the
// freeze, as with a stuck metrics pipeline; whether they live does not.
//
// The lists of workers go back and forth: one comes back when the controller has read it, and names are
// written anew only where the next list is about others. Complexity: O(workers) a report. One owner.
#ifndef RINGWAY_SIM_FLEET_CONTROL_REPORTS_H_
#define RINGWAY_SIM_FLEET_CONTROL_REPORTS_H_

#include <utility>
#include <vector>

#include "controller/fleet/report.h"
#include "core/ids.h"
#include "router/router_action.h"
#include "router/worker_registry.h"
#include "sim/fleet/leaders.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class RouterReports {
 public:
  RouterReports(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers,
                Registries& registries, const Leaders& leaders);

  controller::RouterReport Of(RouterId router, const router::SendReport& sent);
  // The controller has read it.
  void Return(RouterId router, std::vector<controller::WorkerSeen> workers) {
    if (kept_[router].workers.empty()) kept_[router].workers = std::move(workers);
  }
  void Freeze(RegionId region, bool frozen) { frozen_[region] = frozen; }
  bool frozen(RegionId region) const { return frozen_[region]; }
  // As whoever reports the worker names it.
  void Name(controller::WorkerSeen& seen, WorkerId worker) const;

 private:
  struct Kept {
    std::vector<WorkerId> reported;               // whom `workers` is about
    std::vector<double> frozen_busy_s;            // of the first report of a freeze; empty: there is none
    std::vector<controller::WorkerSeen> workers;  // as last reported; empty: a report is under way with it
  };

  std::vector<controller::WorkerSeen> SeeWorkers(RouterId router);
  static void FreezeBusy(std::vector<double>& busy_s, std::vector<controller::WorkerSeen>& workers);
  // Appends the workers of pools that this router reports.
  void SeePools(RouterId router, std::vector<controller::WorkerSeen>& workers) const;

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  const Workers& workers_;
  Registries& registries_;
  const Leaders& leaders_;
  IdVector<RouterId, Kept> kept_;
  IdVector<RegionId, bool> frozen_;
  std::vector<router::WorkerReported> reported_;  // reused
  std::vector<router::RoundTrip> trips_;          // reused
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_CONTROL_REPORTS_H_
