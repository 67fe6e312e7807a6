// ./dev bench peers: how well do proxies find the free one of 64 workers that take one request at a time?
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/peers/mock_workers.h"
#include "bench/peers/open_loop.h"
#include "bench/peers/proxies.h"
#include "bench/peers/workload.h"

namespace ringway::bench {
namespace {

struct Options {
  bool quick = false;
  std::string only;
  int seeds = 5;
  double measured_s = 60;
  double service_mean_s = 0.05;
  std::vector<double> rhos = {0.7, 0.9, 0.95, 1.1};
  std::vector<int> instances = {1, 16};
};

void PrintRow(const std::string& name, int instances, double rho, const LoadResult& load,
              const Histogram& ideal, const WorkerCounts& counts, absl::Duration cpu) {
  const double sent = static_cast<double>(load.sent);
  const double accepted = static_cast<double>(counts.accepted);
  std::printf("%-16s %3d %5.2f  %7.3f %%  %7.1f %7.1f  %5.3fx  %9.2f  %8.1f us  %6.2f ms\n", name.c_str(),
              instances, rho, 100 * static_cast<double>(load.ok) / sent, 1e3 * load.latency.Quantile(0.5),
              1e3 * load.latency.Quantile(0.99), load.latency.Quantile(0.99) / ideal.Quantile(0.99),
              (accepted + static_cast<double>(counts.rejected)) / accepted,
              absl::ToDoubleMicroseconds(cpu) / sent, 1e3 * load.send_lag_p99_s);
  std::fflush(stdout);
}

bool RunRow(const ProxyKind& kind, int instances, double rho, const Options& options) {
  LoadResult total;
  Histogram ideal;
  WorkerCounts counts;
  absl::Duration cpu;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const WorkloadSpec spec{.rho = rho,
                            .service_mean_s = options.service_mean_s,
                            .warmup_s = options.quick ? 1.0 : 5.0,
                            .measured_s = options.measured_s,
                            .seed = static_cast<std::uint64_t>(seed)};
    const std::vector<TimedJob> jobs = DrawJobs(spec);
    ideal.Merge(IdealLatency(jobs, spec));
    MockWorkers workers(spec.workers);
    auto proxies = ProxySet::Start(kind, instances, workers.ports());
    if (!proxies.ok()) {
      std::printf("%-16s not run: %s\n", kind.name.c_str(), std::string(proxies.status().message()).c_str());
      return false;
    }
    const LoadResult load = RunOpenLoop(jobs, spec, proxies->ports());
    cpu += proxies->CpuTime();
    total.latency.Merge(load.latency);
    total.sent += load.sent;
    total.ok += load.ok;
    total.send_lag_p99_s = std::max(total.send_lag_p99_s, load.send_lag_p99_s);
    const WorkerCounts seen = workers.counts();
    counts.accepted += seen.accepted;
    counts.rejected += seen.rejected;
  }
  PrintRow(kind.name, instances, rho, total, ideal, counts, cpu);
  return true;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Proxies in front of 64 workers of capacity one");
  app.add_flag("--quick", options.quick, "one seed of 8 s instead of five of 60 s");
  app.add_option("--only", options.only, "only proxies whose name contains this");
  app.add_option("--service-mean", options.service_mean_s, "mean service time in seconds");
  app.add_option("--rho", options.rhos, "offered loads");
  app.add_option("--instances", options.instances, "numbers of independent proxies");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.seeds = 1;
    options.measured_s = 8;
  }
  std::printf("%-16s %3s %5s  %9s  %7s %7s  %6s  %9s  %11s  %9s\n", "proxy", "K", "rho", "success", "p50 ms",
              "p99 ms", "/ideal", "offers/ok", "CPU/request", "send lag");
  bool all = true;
  for (const ProxyKind& kind : ProxyKinds()) {
    if (kind.name.find(options.only) == std::string::npos) continue;
    for (const int instances : options.instances) {
      for (const double rho : options.rhos) all = RunRow(kind, instances, rho, options) && all;
    }
  }
  return all ? 0 : 1;
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) { return ringway::bench::Main(argc, argv); }
