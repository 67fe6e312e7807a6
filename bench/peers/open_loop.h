// Sends jobs by HTTP at their scheduled times to K proxies and measures what came of each.
//
// Connections are kept alive and pooled per proxy; a job that finds no idle one opens another, so the client
// never queues. Success is status 200 within the deadline, counted from the scheduled arrival. Which proxy
// gets a job is drawn from the seed.
//
// Bound: connections_max open at once; jobs beyond it count as failed (and say that the test machine is too
// small).
#ifndef RINGWAY_BENCH_PEERS_OPEN_LOOP_H_
#define RINGWAY_BENCH_PEERS_OPEN_LOOP_H_

#include <cstdint>
#include <vector>

#include "bench/peers/workload.h"
#include "core/histogram.h"

namespace ringway::bench {

struct LoadResult {
  Histogram latency;       // of successes after the warm-up, s from the scheduled arrival
  Histogram refusal;       // of refusals, likewise
  Histogram lateness;      // of refusals that say so: how long the request had been infeasible, s
  std::uint64_t sent = 0;  // after the warm-up
  std::uint64_t ok = 0;
  std::uint64_t finished = 0;  // successes that ended while it was measured, whenever they were sent
  std::uint64_t refused = 0;   // answered with another status
  std::uint64_t timeouts = 0;
  std::uint64_t broken = 0;   // connection errors
  double send_lag_p99_s = 0;  // how late the client itself was: a check on the harness
};

LoadResult RunOpenLoop(const std::vector<TimedJob>& jobs, const WorkloadSpec& spec,
                       const std::vector<int>& proxy_ports);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_OPEN_LOOP_H_
