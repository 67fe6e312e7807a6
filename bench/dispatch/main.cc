// bench_dispatch [--quick] [--brief]: how fast the pure pieces of dispatch decide, on one core.
#include <utility>

#include "bench/dispatch/pieces.h"
#include "bench/options.h"

int main(int argc, char** argv) {
  using namespace ringway::bench;
  const auto options = ReadOptions("bench_dispatch", argc, argv);
  if (!options) return 2;
  const bool quick = options->quick;
  std::vector<Claim> claims = {
      LedgerRate(1'000, 3e6, quick),
      LedgerRate(100'000, 1e6, quick),
      LedgerLineRate(1'000, 1'000, 1e6, quick),
      LedgerLineRate(100'000, 10'000, 0.5e6, quick),
      RegionPick(30, 50, quick),
      RegionPick(1'000, 50, quick),
  };
  for (Claim& claim : RouterStep(200, quick)) claims.push_back(std::move(claim));
  return Report(claims, options->brief);
}
