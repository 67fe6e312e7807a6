// The jobs that every proxy under test gets: the same arrivals and the same service times, drawn once from a
// seed.
//
// Open loop: a job is sent at its scheduled time whatever became of those before, and its latency counts from
// that time, so a slow proxy cannot hide behind a slow client (coordinated omission). The ideal is one queue
// for all workers, first come first served, computed from the very same jobs: no proxy can beat it in mean
// wait.
#ifndef RINGWAY_BENCH_PEERS_WORKLOAD_H_
#define RINGWAY_BENCH_PEERS_WORKLOAD_H_

#include <cstdint>
#include <vector>

#include "core/histogram.h"

namespace ringway::bench {

struct TimedJob {
  double at_s = 0;
  double service_s = 0;
};

struct WorkloadSpec {
  int workers = 64;
  double rho = 0.9;  // offered load over capacity
  double service_mean_s = 0.05;
  double service_cv = 0.5;  // log-normal
  double warmup_s = 5;
  double measured_s = 60;
  double deadline_s = 5;
  std::uint64_t seed = 1;
};

std::vector<TimedJob> DrawJobs(const WorkloadSpec& spec);

// Latency (wait + service) of the jobs after the warm-up under one central queue.
Histogram IdealLatency(const std::vector<TimedJob>& jobs, const WorkloadSpec& spec);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_WORKLOAD_H_
