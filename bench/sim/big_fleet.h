// Made-up worlds of any size for measuring the simulator: one tier in ledger mode, users everywhere.
//
// Regions lie on a circle, 0.5 ms to themselves and 10 to 210 ms to each other; workers are spread evenly,
// users unevenly (the busiest region has half again as many as the mean), so that the controller has traffic
// to move. Service is log-normal, CV 0.5.
#ifndef RINGWAY_BENCH_SIM_BIG_FLEET_H_
#define RINGWAY_BENCH_SIM_BIG_FLEET_H_

#include <memory>

#include "sim/scenario.h"

namespace ringway::bench {

struct BigFleetSize {
  int regions = 1;
  int routers_per_region = 2;
  int workers = 1000;
  double service_mean_s = 2;
  double load = 0.85;  // of all workers
  double duration_s = 100;
  double day_s = 0;  // > 0: the length of a day in which each region follows its own evening
};

std::shared_ptr<const sim::Scenario> BigFleet(const BigFleetSize& size);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SIM_BIG_FLEET_H_
