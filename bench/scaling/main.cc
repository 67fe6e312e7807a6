// bench_scaling [--quick] [--brief] [--only KIND --seed N]: what autoscaled days cost beside hindsight, on
// days that no constant was chosen on; --only plays the days of one kind (smooth, spikes) and one seed.
// `bench_scaling --tune` plays a day of an even seed with other settings, for whoever changes a constant.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/claim.h"
#include "bench/options.h"
#include "bench/scaling/days.h"
#include "bench/scaling/judge.h"

namespace ringway::bench {
namespace {

DaysSpec Spec(bool spikes, std::uint64_t seed) {
  return {.name = spikes ? "spikes" : "smooth", .spikes = spikes, .seed = seed};
}

std::vector<DaysSpec> Cells(bool quick) {
  if (quick) {
    DaysSpec spec = Spec(true, 1);
    spec.regions = 4;
    return {spec};
  }
  std::vector<DaysSpec> cells;
  for (const std::uint64_t seed : {1, 3, 5}) {
    for (const bool spikes : {false, true}) cells.push_back(Spec(spikes, seed));
  }
  return cells;
}

// One kind and seed by `--only KIND --seed N`; empty: that is not what was asked for.
std::vector<DaysSpec> OneCell(int argc, char** argv) {
  if (argc != 5 || std::string_view(argv[1]) != "--only" || std::string_view(argv[3]) != "--seed") return {};
  const std::string_view kind = argv[2], number = argv[4];
  std::uint64_t seed = 0;
  const auto read = std::from_chars(number.begin(), number.end(), seed);
  if ((kind != "smooth" && kind != "spikes") || read.ec != std::errc() || read.ptr != number.end()) {
    std::fprintf(stderr,
                 "bench_scaling: --only %s --seed %s: allowed are smooth or spikes, and a whole number\n",
                 argv[2], argv[4]);
    return {};
  }
  return {Spec(kind == "spikes", seed)};
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  using namespace ringway::bench;
  if (argc == 2 && std::string_view(argv[1]) == "--tune") return Tune();
  bool brief = false;
  std::vector<DaysSpec> cells = OneCell(argc, argv);
  if (cells.empty()) {
    const auto options = ReadOptions("bench_scaling", argc, argv);
    if (!options) return 2;
    brief = options->brief;
    cells = Cells(options->quick);
  }
  if (!brief) PrintHead();
  std::vector<Claim> claims;
  for (const DaysSpec& spec : cells) JudgeCell(spec, brief, claims);
  return Report(claims, brief);
}
