// How far jobs travel between regions, and how far those that spill would have to.
//
// Of the jobs that went elsewhere than their table said, because no worker was idle there, two yardsticks:
//   hindsight  the same jobs and the workers that they got, second by second, assigned anew so that all of
//              them together travel least (controller/planner/transport.h): what bad choices cost
//   oracle     the round trip to the nearest other region that has an idle worker at the moment when the job
//              leaves, as somebody would know who sees every worker at once, without the time that news
//              takes: what nobody can reach
// Trips that ended in a refusal are travelled, and are in neither yardstick: so what is travelled over
// hindsight is what was travelled over the trips that were taken (taken_s), times those over hindsight.
// Complexity: O(regions) a forward and a transport problem for each second.
#ifndef RINGWAY_BENCH_LOOP_TRIPS_H_
#define RINGWAY_BENCH_LOOP_TRIPS_H_

#include <unordered_map>

#include "bench/loop/least_ways.h"
#include "core/ids.h"
#include "sim/simulation.h"

namespace ringway::bench {

class Trips : public sim::Observer {
 public:
  // Jobs that travel from `from_s` on. `world` and `simulation` outlive it.
  Trips(const World& world, const sim::Simulation& simulation, double from_s);

  void OnStarted(Time, WorkerId worker, const sim::OfferNote&) override {
    --idle_[simulation_.place(worker)];
  }
  void OnFreed(Time, WorkerId worker, const sim::OfferNote&, bool) override {
    ++idle_[simulation_.place(worker)];
  }
  void OnForwarded(Time now, RouterId from, RouterId to, sim::JobSerial job) override;
  void OnEnded(Time now, const sim::Ending& ending) override;

  double travelled_s() const { return 1e-3 * travelled_ms_; }
  // Of those that spilled.
  double spilled_s() const { return 1e-3 * spilled_ms_; }
  // Of it, the trips to the regions where they were served.
  double taken_s() const { return 1e-3 * taken_ms_; }
  // Of a job that spilled, to wherever; 0: none did.
  double trips_of_spilled() const { return spilled_jobs_ > 0 ? spilled_trips_ / spilled_jobs_ : 0; }
  double hindsight_s() const { return 1e-3 * spilled_.TravelledMs(world_); }
  double oracle_s() const { return 1e-3 * oracle_ms_; }

 private:
  struct Trip {
    double travelled_ms = 0;
    double oracle_ms = 0;
    int trips = 0;
  };
  double NearestIdleMs(RegionId from) const;

  const World& world_;
  const sim::Simulation& simulation_;
  const Time from_;
  IdVector<RegionId, int> idle_;
  std::unordered_map<sim::JobSerial, Trip> trips_;  // of jobs that have not ended
  LeastWays spilled_;                               // by the second of their start
  double travelled_ms_ = 0, spilled_ms_ = 0, taken_ms_ = 0, oracle_ms_ = 0;
  double spilled_jobs_ = 0, spilled_trips_ = 0;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LOOP_TRIPS_H_
