// One run of the twelve regions as real programs on this machine: what jobs waited there.
#ifndef RINGWAY_BENCH_LIVE_FLEET_RUN_H_
#define RINGWAY_BENCH_LIVE_FLEET_RUN_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "sim/scenario.h"

namespace ringway::bench {

struct FleetRun {
  // From its arrival to its begin on a worker, as the simulator counts it: what the serving router's clock
  // says, and half of the time between regions, which that router cannot know of.
  double mean_wait_s = 0;
  double mean_way_s = 0;  // of that, the half
  double p99_wait_s = 0;  // by the serving router's clock
  double served_share = 0;
  std::map<std::string, std::uint64_t> unserved;  // jobs, by how they ended
  double offers = 0;                              // a job
  double late_s_max = 0;  // of the load generator: above a moment, the machine was too busy to tell
};

// Plays the scenario's demand, as the simulator draws it, to programs in `programs`; logs and state go to
// `folder`. `topology`: a file. Blocks for the scenario's length. Errors: a program that does not start, or
// ends by itself.
absl::StatusOr<FleetRun> RunFleet(const sim::Scenario& scenario, const std::string& topology,
                                  const std::string& programs, const std::string& folder);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LIVE_FLEET_RUN_H_
