#include "bench/peers/row.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "bench/peers/workload.h"

namespace ringway::bench {
namespace {

const ProxyKind* FindKind(const std::string& name) {
  for (const ProxyKind& kind : ProxyKinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

void Merge(const LoadResult& from, LoadResult& into) {
  into.latency.Merge(from.latency);
  into.refusal.Merge(from.refusal);
  into.lateness.Merge(from.lateness);
  into.sent += from.sent;
  into.ok += from.ok;
  into.finished += from.finished;
  into.refused += from.refused;
  into.timeouts += from.timeouts;
  into.broken += from.broken;
  into.send_lag_p99_s = std::max(into.send_lag_p99_s, from.send_lag_p99_s);
}

absl::Status MeasureSeed(const ProxyKind& kind, const WorkloadSpec& workload, Row& row) {
  const std::vector<TimedJob> jobs = DrawJobs(workload);
  row.ideal.Merge(IdealLatency(jobs, workload));
  MockWorkers workers(workload.workers);
  Instance like;
  like.instances = row.spec.instances;
  like.deadline_s = workload.deadline_s;
  like.service_mean_s = workload.service_mean_s;
  auto proxies = ProxySet::Start(kind, like, workers.ports());
  if (!proxies.ok()) return proxies.status();
  const Duration cpu_before = proxies->CpuTime();
  Merge(RunOpenLoop(jobs, workload, proxies->ports()), row.load);
  row.cpu_s += ToDoubleSeconds(proxies->CpuTime() - cpu_before);
  row.jobs += static_cast<double>(jobs.size());
  row.capacity_jobs += workload.workers * workload.measured_s / workload.service_mean_s;
  const WorkerCounts seen = workers.counts();
  row.workers.accepted += seen.accepted;
  row.workers.rejected += seen.rejected;
  row.workers.busy_s += seen.busy_s;
  row.workers.idle.Merge(seen.idle);
  return absl::OkStatus();
}

}  // namespace

double Row::offers_per_accepted() const {
  const auto accepted = static_cast<double>(workers.accepted);
  return (accepted + static_cast<double>(workers.rejected)) / accepted;
}

absl::StatusOr<Row> MeasureRow(const RowSpec& spec, const Effort& effort, const WorkloadSpec& base) {
  const ProxyKind* kind = FindKind(spec.kind);
  if (kind == nullptr) return absl::NotFoundError(absl::StrCat("no proxy is called '", spec.kind, "'"));
  Row row;
  row.spec = spec;
  for (int seed = 1; seed <= effort.seeds; ++seed) {
    WorkloadSpec workload = base;
    workload.rho = spec.rho;
    workload.service_mean_s = spec.service_mean_s;
    workload.warmup_s = effort.warmup_s;
    workload.measured_s = effort.measured_s;
    workload.deadline_s = spec.deadline_s;
    workload.seed = static_cast<std::uint64_t>(seed);
    if (absl::Status measured = MeasureSeed(*kind, workload, row); !measured.ok()) return measured;
  }
  return row;
}

void PrintHeading() {
  std::printf("%-14s %3s %6s %5s  %9s  %7s %7s  %6s  %9s  %7s  %11s  %9s  %9s\n", "proxy", "K", "mean", "rho",
              "success", "p50 ms", "p99 ms", "/ideal", "offers/ok", "goodput", "CPU/request", "hand-over",
              "send lag");
}

void PrintRow(const Row& row) {
  std::printf("%-14s %3d %4.0fms %5.2f  %7.3f %%  %7.1f %7.1f  %5.3fx  %9.3f  %7.4f  %8.1f us  ",
              row.spec.kind.c_str(), row.spec.instances, 1e3 * row.spec.service_mean_s, row.spec.rho,
              100 * row.success(), 1e3 * row.load.latency.Quantile(0.5),
              1e3 * row.load.latency.Quantile(0.99), row.p99_over_ideal(), row.offers_per_accepted(),
              row.goodput(), row.cpu_us());
  // Only while somebody waits all the time is a worker's pause the hand-over of its slot.
  if (row.spec.rho > 1) {
    std::printf("%6.2f ms  ", 1e3 * row.workers.idle.Quantile(0.5));
  } else {
    std::printf("%9s  ", "-");
  }
  std::printf("%6.2f ms\n", 1e3 * row.load.send_lag_p99_s);
  if (row.simulated) {
    const SimulatedRow& foretold = *row.simulated;
    std::printf("%-14s %3d %4.0fms %5.2f  %7.3f %%  %7.1f %7.1f  %6s  %9.3f\n", "  simulated",
                row.spec.instances, 1e3 * row.spec.service_mean_s, row.spec.rho, 100 * foretold.success,
                1e3 * foretold.latency.Quantile(0.5), 1e3 * foretold.latency.Quantile(0.99), "",
                foretold.offers_per_accepted);
  }
  std::fflush(stdout);
}

}  // namespace ringway::bench
