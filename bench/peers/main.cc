// ./dev bench peers: how well do proxies find the free one of 64 workers that take one request at a time?
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/peers/claims.h"
#include "bench/peers/proxies.h"
#include "bench/peers/row.h"

namespace ringway::bench {
namespace {

struct Options {
  bool quick = false;
  bool brief = false;
  std::string only;
  std::vector<double> rhos;
  std::vector<int> instances;
  std::vector<double> means_s;
  Effort effort;
  double overload_deadline_s() const { return quick ? 1 : RowSpec().deadline_s; }
};

// The grid that was asked for, or, with --quick, the rows that the claims need.
std::vector<RowSpec> RowsOf(const Options& options) {
  const bool narrowed = !options.rhos.empty() || !options.instances.empty() || !options.means_s.empty();
  std::vector<RowSpec> rows;
  if (options.quick && !narrowed) {
    rows = RowsOfClaims(options.overload_deadline_s());
  } else {
    const auto either = [](auto given, decltype(given) usual) { return given.empty() ? usual : given; };
    for (const double mean_s : either(options.means_s, {0.05, 0.5})) {
      for (const ProxyKind& kind : ProxyKinds()) {
        for (const int instances : either(options.instances, {1, 16})) {
          for (const double rho : either(options.rhos, {0.7, 0.9, 0.95, 1.1})) {
            const double deadline_s = rho > 1 ? options.overload_deadline_s() : RowSpec().deadline_s;
            rows.push_back({kind.name, instances, rho, mean_s, deadline_s});
          }
        }
      }
    }
  }
  std::erase_if(rows, [&](const RowSpec& row) { return row.kind.find(options.only) == std::string::npos; });
  return rows;
}

// Short of seconds, a mean of 500 ms needs more of them, and so does a line that has to grow first.
Effort EffortFor(const RowSpec& row, const Options& options) {
  Effort effort = options.effort;
  if (options.quick && row.service_mean_s > 0.1) effort.measured_s *= 3;
  if (options.quick && row.rho > 1) effort.measured_s *= 2;
  return effort;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Proxies in front of 64 workers of capacity one");
  app.add_flag("--quick", options.quick, "the rows of the claims, one seed of 6 s each");
  app.add_flag("--brief", options.brief, "only one line a claim: ok or short");
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
  if (!options.brief) PrintHeading();
  std::vector<Row> rows;
  for (const RowSpec& spec : RowsOf(options)) {
    auto row = MeasureRow(spec, EffortFor(spec, options));
    if (!row.ok()) {
      std::fprintf(stderr, "%s, K %d: not run: %s\n", spec.kind.c_str(), spec.instances,
                   std::string(row.status().message()).c_str());
      continue;
    }
    if (!options.brief) PrintRow(*row);
    rows.push_back(*std::move(row));
  }
  std::vector<Claim> claims = Judge(rows, options.overload_deadline_s());
  // What was not asked for is not held against it.
  if (!options.brief) std::erase_if(claims, [](const Claim& claim) { return !claim.known; });
  Print(claims);
  return std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.holds(); }) ? 0 : 1;
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) { return ringway::bench::Main(argc, argv); }
