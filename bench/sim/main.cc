// bench_sim [--quick] [--brief] [--only one_region|21_regions|slices]: how fast the simulator runs the
// production machines, on one core, and a day in slices on two.
// bench_sim --seconds N: only so many virtual seconds of the one region, and how many requests came; for
// counting instructions under a profiler (docs/benchmarks.md).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/claim.h"
#include "bench/sim/run_rate.h"
#include "bench/sim/slice_rate.h"

namespace ringway::bench {
namespace {

constexpr double kDayS = 86'400;

void AddRun(const std::string& name, const RunRate& run, double requests_per_s_min, double service_mean_s,
            std::vector<Claim>& claims) {
  const double bare = BareEventsPerS(run.pending, service_mean_s, 5e6);
  claims.push_back(AtLeast(name + ".requests", run.requests_per_s(), requests_per_s_min, "requests/s"));
  claims.push_back(Figure(name + ".events", run.events_per_s(), "events/s"));
  claims.push_back(Figure(name + ".bare_loop", bare, "events/s"));
  claims.push_back(Figure(name + ".events_per_request", run.events / run.requests, "events"));
  claims.push_back(AtLeast(name + ".served", run.served_share, 0.98, "share"));
  claims.push_back(AtMost(name + ".memory", run.memory_gib, 2, "GiB"));
  claims.push_back(AtLeast(name + ".sound", run.sound ? 1.0 : 0.0, 1, "(1: no checker complained)"));
}

BigFleetSize OneRegion(double seconds) {
  return {.workers = 1'000, .service_mean_s = 2, .duration_s = seconds};
}

int PrintRequests(double seconds) {
  std::printf("requests %.0f\n", MeasureRun(OneRegion(seconds)).requests);
  return 0;
}

void MeasureRegion(bool quick, std::vector<Claim>& claims) {
  const BigFleetSize small = OneRegion(quick ? 3'000 : 20'000);
  AddRun("one_region_1000_workers", MeasureRun(small), 1e6, small.service_mean_s, claims);
}

void MeasurePlanet(bool quick, std::vector<Claim>& claims) {
  BigFleetSize big{.regions = 21, .workers = 100'000, .service_mean_s = 8.5, .load = 0.85};
  big.duration_s = quick ? 100 : kDayS;
  const RunRate run = MeasureRun(big);
  AddRun("21_regions_100000_workers", run, 0.5e6, big.service_mean_s, claims);
  const double day_s = run.cpu_s * kDayS / run.virtual_s;
  claims.push_back(
      AtMost(quick ? "day_of_10k_rps.extrapolated" : "day_of_10k_rps", day_s / 60, 30, "minutes"));
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  bool quick = false;
  bool brief = false;
  std::string_view only;
  double seconds = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--brief") {
      brief = true;
    } else if (argument == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else if (argument == "--seconds" && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else {
      std::fprintf(
          stderr,
          "bench_sim: unknown argument '%s'; allowed are --quick, --brief, --only NAME, --seconds N\n",
          argv[i]);
      return 2;
    }
  }
  if (seconds > 0) return ringway::bench::PrintRequests(seconds);
  std::vector<ringway::bench::Claim> claims;
  if (only.empty() || only == "one_region") ringway::bench::MeasureRegion(quick, claims);
  if (only.empty() || only == "21_regions") ringway::bench::MeasurePlanet(quick, claims);
  if (only.empty() || only == "slices") ringway::bench::MeasureSlices(quick, claims);
  return ringway::bench::Report(claims, brief);
}
