// bench_dispatch [--quick] [--brief]: how fast the pure pieces of dispatch decide, on one core.
#include <cstdio>
#include <string_view>
#include <vector>

#include "bench/dispatch/claim.h"

int main(int argc, char** argv) {
  bool quick = false;
  bool brief = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--brief") {
      brief = true;
    } else {
      std::fprintf(stderr, "bench_dispatch: unknown argument '%s'; allowed are --quick and --brief\n",
                   argv[i]);
      return 2;
    }
  }
  using namespace ringway::bench;
  std::vector<Claim> claims = {
      LedgerRate(1'000, 3e6, quick),
      LedgerRate(100'000, 1e6, quick),
      LedgerLineRate(1'000, 1'000, 1e6, quick),
      LedgerLineRate(100'000, 10'000, 0.5e6, quick),
      RegionPick(30, 50, quick),
      RegionPick(1'000, 50, quick),
  };
  for (const Claim& claim : RouterStep(200, quick)) claims.push_back(claim);
  bool all = true;
  for (const Claim& claim : claims) {
    all = all && claim.holds();
    if (brief) {
      std::printf("%s %s %.3g %.3g\n", claim.holds() ? "ok" : "short", claim.name.c_str(), claim.measured,
                  claim.bound);
    } else {
      std::printf("%-36s %10.3f %-12s (bound: %s %.3g)\n", claim.name.c_str(), claim.measured,
                  claim.unit.c_str(), claim.at_most ? "at most" : "at least", claim.bound);
    }
  }
  return all ? 0 : 1;
}
