#include "bench/peers/workload.h"

#include "core/rng.h"
#include "sim/demand/theory.h"

namespace ringway::bench {

std::vector<TimedJob> DrawJobs(const WorkloadSpec& spec) {
  Rng arrivals(spec.seed, 1);
  Rng services(spec.seed, 2);
  const double rate_rps = spec.rho * spec.workers / spec.service_mean_s;
  std::vector<TimedJob> jobs;
  for (double at_s = 0;;) {
    at_s += arrivals.Exponential() / rate_rps;
    if (at_s >= spec.warmup_s + spec.measured_s) return jobs;
    jobs.push_back({at_s, services.LogNormal(spec.service_mean_s, spec.service_cv)});
  }
}

Histogram IdealLatency(const std::vector<TimedJob>& jobs, const WorkloadSpec& spec) {
  sim::CentralQueue queue(static_cast<std::size_t>(spec.workers));
  Histogram latency;
  for (const TimedJob& job : jobs) {
    const double wait_s = queue.Arrive(job.at_s, job.service_s);
    if (job.at_s >= spec.warmup_s) latency.Add(wait_s + job.service_s);
  }
  return latency;
}

}  // namespace ringway::bench
