// bench_live [--quick] [--brief]: do twelve regions of real programs wait as long as the simulator says, and
// how much shorter than by probes?
//
// The same arrivals meet the simulator, real programs, and real programs that find workers by probes, one
// after the other on this machine; round trips are emulated. Waits are what the machine adds, too, so the
// figures are true only while the load generator is never late.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/claim.h"
#include "bench/live/fleet_run.h"
#include "bench/live/world.h"
#include "bench/options.h"
#include "sim/simulation.h"
#include "topology/topology.h"

namespace ringway::bench {
namespace {

constexpr double kLateMax = 0.25;  // s; a job is to be sent when it is due

struct Played {
  FleetRun live;
  double simulated_s = 0;
};

absl::StatusOr<Played> Play(bool by_probes, const Options& options, const std::string& programs,
                            const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/topology.yaml";
  std::ofstream(file) << LiveTopology(*LiveFleet(), by_probes) << std::flush;
  const absl::StatusOr<Topology> topology = LoadTopology(file);
  if (!topology.ok()) return topology.status();
  const double warmup_s = options.quick ? 20 : 60;
  const auto scenario = LiveScenario(topology->fleet, warmup_s, warmup_s + (options.quick ? 60 : 240));
  sim::Simulation simulation(scenario);
  simulation.Run();
  absl::StatusOr<FleetRun> live = RunFleet(*scenario, file, programs, folder);
  if (!live.ok()) return live.status();
  return Played{*live, simulation.tally().totals().wait.mean()};
}

int Run(const Options& options, const std::string& programs, const std::string& folder) {
  const auto ledger = Play(false, options, programs, folder + "/ledger");
  const auto probes = Play(true, options, programs, folder + "/probes");
  for (const auto* run : {&ledger, &probes}) {
    if (run->ok()) continue;
    std::fprintf(stderr, "bench_live: %s\n", std::string(run->status().message()).c_str());
    return 2;
  }
  const FleetRun& live = ledger->live;
  const double to_simulated = live.mean_wait_s / ledger->simulated_s;
  for (const auto& [how, jobs] : live.unserved)
    std::printf("      not served: %d %s\n", static_cast<int>(jobs), how.c_str());
  return Report(
      {AtLeast("live.to_simulated.least", to_simulated, 0.8, "x"),
       AtMost("live.to_simulated.most", to_simulated, 1.2, "x"),
       AtMost("live.to_probes", live.mean_wait_s / probes->live.mean_wait_s, 0.1, "x"),
       AtLeast("live.served", live.served_share, 1),
       AtMost("live.generator_late", std::max(live.late_s_max, probes->live.late_s_max), kLateMax, "s"),
       Figure("live.mean_wait", 1e3 * live.mean_wait_s, "ms"),
       Figure("live.mean_way", 1e3 * live.mean_way_s, "ms"),
       Figure("simulated.mean_wait", 1e3 * ledger->simulated_s, "ms"),
       Figure("live.p99_wait", 1e3 * live.p99_wait_s, "ms"), Figure("live.offers", live.offers, "a job"),
       Figure("probes.mean_wait", 1e3 * probes->live.mean_wait_s, "ms"),
       Figure("probes.simulated_wait", 1e3 * probes->simulated_s, "ms"),
       Figure("probes.offers", probes->live.offers, "a job")},
      options.brief);
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  using namespace ringway::bench;
  const auto options = ReadOptions("bench_live", argc, argv);
  if (!options) return 2;
  std::string folder = (std::filesystem::temp_directory_path() / "ringway-bench-live-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    std::perror("bench_live: a folder for logs");
    return 2;
  }
  const std::string programs = std::filesystem::canonical(argv[0]).parent_path();
  const int code = Run(*options, programs, folder);
  std::error_code ignored;
  if (code != 2) std::filesystem::remove_all(folder, ignored);
  return code;
}
