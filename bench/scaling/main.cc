// bench_scaling [--quick] [--brief]: what autoscaled days cost beside hindsight, on days that no constant was
// chosen on. `bench_scaling --tune` plays a day of an even seed with other settings, for whoever changes a
// constant.
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/claim.h"
#include "bench/options.h"
#include "bench/scaling/days.h"
#include "bench/scaling/judge.h"

int main(int argc, char** argv) {
  using namespace ringway::bench;
  if (argc == 2 && std::string_view(argv[1]) == "--tune") return Tune();
  const auto options = ReadOptions("bench_scaling", argc, argv);
  if (!options) return 2;
  if (!options->brief) PrintHead();
  std::vector<Claim> claims;
  const std::vector<std::uint64_t> seeds =
      options->quick ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{1, 3, 5};
  for (const std::uint64_t seed : seeds) {
    for (const bool spikes : {false, true}) {
      if (options->quick && !spikes) continue;
      DaysSpec spec{.name = spikes ? "spikes" : "smooth", .spikes = spikes, .seed = seed};
      if (options->quick) spec.regions = 4;
      JudgeCell(spec, options->brief, claims);
    }
  }
  return Report(claims, options->brief);
}
