// How far jobs travel between regions, and how far they would have at the least.
//
// The least of a job that leaves its region is the round trip to the nearest other region that has an idle
// worker at the moment when it leaves, as somebody would know who sees every worker at once; where none has,
// it is what the job travelled then. Jobs that are sent on pay each trip. Complexity: O(regions) a forward.
#ifndef RINGWAY_BENCH_LOOP_TRIPS_H_
#define RINGWAY_BENCH_LOOP_TRIPS_H_

#include <unordered_set>
#include <vector>

#include "core/ids.h"
#include "sim/simulation.h"

namespace ringway::bench {

class Trips : public sim::Observer {
 public:
  // Jobs that travel from `from_s` on. `simulation` outlives it.
  Trips(const World& world, const sim::Simulation& simulation, double from_s);

  void OnStarted(absl::Time, WorkerId worker, const sim::OfferNote&) override {
    --idle_[simulation_.place(worker)];
  }
  void OnFreed(absl::Time, WorkerId worker, const sim::OfferNote&, bool) override {
    ++idle_[simulation_.place(worker)];
  }
  void OnForwarded(absl::Time now, RouterId from, RouterId to, sim::JobSerial job) override;

  double travelled_s() const { return 1e-3 * travelled_ms_; }
  double least_s() const { return 1e-3 * least_ms_; }

 private:
  double NearestIdleMs(RegionId from, double otherwise_ms) const;

  const World& world_;
  const sim::Simulation& simulation_;
  const absl::Time from_;
  IdVector<RegionId, int> idle_;
  std::unordered_set<sim::JobSerial> left_;  // jobs that have travelled
  double travelled_ms_ = 0, least_ms_ = 0;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_TRIPS_H_
