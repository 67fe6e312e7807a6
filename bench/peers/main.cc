// ./dev bench peers: how well do proxies find the free one of 64 workers that take one request at a time?
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/peers/claims.h"
#include "bench/peers/options.h"
#include "bench/peers/row.h"
#include "bench/peers/world.h"

namespace ringway::bench {
namespace {

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Proxies in front of 64 workers of capacity one");
  app.add_flag("--quick", options.quick, "the rows of the claims, one seed of 6 s each");
  app.add_flag("--brief", options.brief, "only one line a claim: ok or short");
  app.add_option("--config", options.config, "what all rows have in common; the simulator reads it too")
      ->default_str("bench/peers/scenario.yaml");
  app.add_option("--only", options.only, "only proxies whose name contains this");
  app.add_option("--rho", options.rhos, "offered loads [0.7 0.9 0.95 1.1]");
  app.add_option("--instances", options.instances, "numbers of independent proxies [1 16]");
  app.add_option("--service-mean", options.means_s, "mean service times in seconds [0.05 0.5]");
  auto* seeds = app.add_option("--seeds", options.effort.seeds, "runs of each row [5]");
  auto* seconds = app.add_option("--seconds", options.effort.measured_s, "measured in each run [60]");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    if (seeds->count() == 0) options.effort.seeds = 1;
    if (seconds->count() == 0) options.effort.measured_s = 6;
    options.effort.warmup_s = 1;
  }
  const auto world = LoadPeersWorld(options.config);
  if (!world.ok()) {
    std::fprintf(stderr, "%s\n", std::string(world.status().message()).c_str());
    return 2;
  }
  if (!options.brief) PrintHeading();
  std::vector<Row> rows;
  bool simulated_all = true;
  for (const RowSpec& spec : RowsOf(options)) {
    auto row = MeasureRow(spec, EffortFor(spec, options), world->workload);
    if (!row.ok()) {
      std::fprintf(stderr, "%s, K %d: not run: %s\n", spec.kind.c_str(), spec.instances,
                   std::string(row.status().message()).c_str());
      continue;
    }
    if (spec.kind == kOurs) {
      auto simulated = SimulateRow(*world, spec, EffortFor(spec, options));
      if (simulated.ok()) {
        row->simulated = *std::move(simulated);
      } else {
        simulated_all = false;
        std::fprintf(stderr, "not simulated: %s\n", std::string(simulated.status().message()).c_str());
      }
    }
    if (!options.brief) PrintRow(*row);
    rows.push_back(*std::move(row));
  }
  std::vector<Claim> claims = Judge(rows, options.overload_deadline_s());
  // What was not asked for is not held against it.
  if (!options.brief) std::erase_if(claims, [](const Claim& claim) { return !claim.known; });
  const int judged = Report(claims, options.brief);
  return simulated_all ? judged : 2;
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) { return ringway::bench::Main(argc, argv); }
