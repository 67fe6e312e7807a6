// bench_loop [--quick] [--brief]: how calm the closed loop is and how long jobs wait in it, on worlds, seeds
// and arrivals that no constant was chosen on, beside the loop without its parts and beside one queue of all
// workers.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/claim.h"
#include "bench/loop/calm.h"
#include "bench/loop/overload.h"
#include "bench/loop/waits.h"
#include "bench/loop/worlds.h"
#include "bench/options.h"

namespace ringway::bench {
namespace {

struct Judged {
  std::shared_ptr<const Fleet> fleet;
  double skew = 0.2;
};

std::vector<Judged> Worlds(bool quick) {
  std::vector<Judged> worlds = {{Generate({"mix60", 60, 3, 40, 101})}, {ThreeOfTen(), 0}};
  if (quick) return worlds;
  worlds.push_back({Generate({"mix100", 100, 3, 400, 103})});
  worlds.push_back({Generate({"mix200", 200, 3, 100, 105})});
  worlds.push_back({Shipped("aws"), 0});
  return worlds;
}

void JudgeCell(const Judged& judged, const Traffic& traffic, bool brief, std::vector<Claim>& claims) {
  const std::string cell =
      absl::StrFormat("waits.%s.%.2f.%s", judged.fleet->world.name, traffic.load,
                      traffic.gaps_cv == 1 ? "poisson" : absl::StrFormat("gamma%g", traffic.gaps_cv));
  const Waits shipped = Measure(judged.fleet, traffic, Loop::kShipped);
  const Waits learnt = Measure(judged.fleet, traffic, Loop::kLearnt);
  const Waits without = Measure(judged.fleet, traffic, Loop::kNoController);
  Traffic even = traffic;
  even.skew = 0;
  const Waits pooled = Measure(Pooled(*judged.fleet), even, Loop::kAlone);
  if (!brief) {
    std::printf("      %-28s %9s %9s %9s %7s %7s %7s %7s\n", cell.c_str(), "mean ms", "lines ms", "p99 s",
                "away", "trips", "tables", "wall s");
    const auto row = [](const char* name, const Waits& w) {
      std::printf("        %-26s %9.1f %9.1f %9.2f %7.3f %7.2f %7.1f %7.1f\n", name, 1e3 * w.mean_s,
                  1e3 * w.lines_s(), w.p99_s, w.away_share, w.trips, w.tables_per_minute, w.wall_s);
    };
    row("controller and hints", shipped);
    row("hints alone", without);
    row("controller, learnt waits", learnt);
    row("one pooled queue", pooled);
  }
  const double of_service = traffic.load > 0.92 ? 0.05 : 0.01;
  claims.push_back(AtMost(cell + ".lines", 1e3 * shipped.lines_s(),
                          1e3 * (pooled.mean_s + of_service * kServiceMeanS), "ms"));
  claims.push_back(
      AtMost(cell + ".without_controller", 1e3 * without.mean_s, 1.2e3 * shipped.mean_s + 1, "ms"));
  claims.push_back(AtMost(cell + ".beside_learnt", shipped.mean_s / learnt.mean_s, 1, "x"));
  const bool sound = shipped.sound && without.sound && shipped.served_share > 0.9999;
  claims.push_back(AtLeast(cell + ".sound", sound ? 1 : 0, 1, "(1: no checker complained, all served)"));
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  using namespace ringway::bench;
  const auto options = ReadOptions("bench_loop", argc, argv);
  if (!options) return 2;
  const std::vector<double> loads =
      options->quick ? std::vector<double>{0.7, 0.9} : std::vector<double>{0.5, 0.7, 0.8, 0.9, 0.95};
  const std::vector<double> laws = options->quick ? std::vector<double>{1} : std::vector<double>{1, 2};
  std::vector<Claim> claims;
  if (!JudgeCalm(options->quick, options->brief, claims)) return 2;
  JudgeOverload(options->quick, options->brief, claims);
  for (const Judged& judged : Worlds(options->quick)) {
    if (judged.fleet == nullptr) return 2;
    for (const double gaps_cv : laws) {
      for (const double load : loads) {
        Traffic traffic{.load = load, .gaps_cv = gaps_cv, .skew = judged.skew, .seed = 11};
        if (options->quick) traffic.duration_s = 400;
        JudgeCell(judged, traffic, options->brief, claims);
      }
    }
  }
  return Report(claims, options->brief);
}
