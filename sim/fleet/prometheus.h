// A Prometheus server beside the controller of a simulation, for metrics that name a PromQL expression.
//
// As controller/daemon/prometheus_source.h it is asked every period, and its answers have an age that the
// operator states. What it knows are the busy shares of workers since the last round, aggregated by region as
// the metric says: of those that it can scrape, which are alive, not stopped, and not cut off. A region of
// which none is has no series, so its value grows stale. A frozen region repeats its last one.
//
// Complexity: O(workers of such tiers) a round, nothing where there is none. One owner.
#ifndef RINGWAY_SIM_FLEET_PROMETHEUS_H_
#define RINGWAY_SIM_FLEET_PROMETHEUS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "sim/fleet/control_plane.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class Prometheus {
 public:
  Prometheus(Stage& stage, const Scenario& scenario, const Workers& workers, ControlPlane& control);

  void Begin();
  void OnAsked();

 private:
  // Of one metric in all regions.
  struct Series {
    TierId tier;
    std::size_t metric = 0;
    IdVector<RegionId, std::optional<double>> values;
  };

  // Busy shares since the last round, of the workers that can be scraped.
  std::vector<double> Scrape(RegionId region, TierId tier);

  Stage& stage_;
  const Workers& workers_;
  ControlPlane& control_;
  const Fleet& fleet_;
  std::vector<Series> series_;
  IdVector<WorkerId, std::int64_t> busy_ns_;  // at the last round
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_PROMETHEUS_H_
