// ./dev bench peers: how well do proxies find the free one of 64 workers that take one request at a time?
#include <cstdio>
#include <string>
#include <vector>
#include "runtime/flags.h"

#include "bench/peers/claims.h"
#include "bench/peers/options.h"
#include "bench/peers/row.h"
#include "bench/peers/world.h"

namespace ringway::bench {
namespace {

int Main(int argc, char** argv) {
  Options options;
  flags::Root app("Proxies in front of 64 workers of capacity one");
  app.AddFlag("--quick", options.quick, "the rows of the claims, one seed of 6 s each");
  app.AddFlag("--brief", options.brief, "only one line a claim: ok or short");
  app.Add("--config", options.config, "what all rows have in common; the simulator reads it too")
      .DefaultText("bench/peers/scenario.yaml");
  app.Add("--only", options.only, "only proxies whose name contains this");
  app.Add("--rho", options.rhos, "offered loads [0.7 0.9 0.95 1.1]");
  app.Add("--instances", options.instances, "numbers of independent proxies [1 16]");
  app.Add("--service-mean", options.means_s, "mean service times in seconds [0.05 0.5]");
  const flags::Option seeds = app.Add("--seeds", options.effort.seeds, "runs of each row [5]");
  const flags::Option seconds = app.Add("--seconds", options.effort.measured_s, "measured in each run [60]");
  if (const auto ending = app.Parse(argc, argv)) return flags::Tell(*ending, "bench_peers");
  if (options.quick) {
    if (!seeds.given()) options.effort.seeds = 1;
    if (!seconds.given()) options.effort.measured_s = 6;
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
