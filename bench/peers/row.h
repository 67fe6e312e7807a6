// One row of the comparison: a kind of proxy, how many instances, how loaded, how long a request takes.
//
// A row is measured seed by seed, each with fresh processes, fresh workers and its own draw of jobs;
// histograms and counts are merged over the seeds. The ideal (one perfect queue) is computed from the same
// jobs. CPU time is that of the proxies' processes from the first job to the last, over all jobs sent.
//
// Threads: the one that measures; load and workers have their own inside.
#ifndef RINGWAY_BENCH_PEERS_ROW_H_
#define RINGWAY_BENCH_PEERS_ROW_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/peers/mock_workers.h"
#include "bench/peers/open_loop.h"
#include "bench/peers/proxies.h"
#include "bench/peers/workload.h"

namespace ringway::bench {

struct RowSpec {
  std::string kind;
  int instances = 1;
  double rho = 0.9;
  double service_mean_s = 0.05;
  double deadline_s = 5;
  friend bool operator==(const RowSpec&, const RowSpec&) = default;
};

struct Effort {
  int seeds = 5;
  double measured_s = 60;  // of each
  double warmup_s = 5;
};

// The same row in virtual time (bench/peers/world.h).
struct SimulatedRow {
  double success = 0;
  Histogram latency;
  double offers_per_accepted = 0;
};

struct Row {
  RowSpec spec;
  LoadResult load;
  Histogram ideal;
  WorkerCounts workers;
  double cpu_s = 0;
  double jobs = 0;           // sent while that CPU time was counted
  double capacity_jobs = 0;  // that the workers could have served while it was measured

  double success() const { return static_cast<double>(load.ok) / static_cast<double>(load.sent); }
  double p99_over_ideal() const { return load.latency.Quantile(0.99) / ideal.Quantile(0.99); }
  double offers_per_accepted() const;
  double cpu_us() const { return 1e6 * cpu_s / jobs; }
  // Ours, as the simulator foretells it.
  std::optional<SimulatedRow> simulated;

  double goodput() const { return static_cast<double>(load.finished) / capacity_jobs; }
};

// `base`: what all rows have in common. Errors: the proxy does not start, or is not installed.
absl::StatusOr<Row> MeasureRow(const RowSpec& spec, const Effort& effort, const WorkloadSpec& base);

void PrintHeading();
void PrintRow(const Row& row);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_ROW_H_
