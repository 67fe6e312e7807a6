// bench_ledger [--quick] [--brief] [--kills N]: the slot ledger between 16 router processes and 64 workers.
//
// --kills: how often the holder is killed; 100, with --quick 5.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/ledger/claim.h"

namespace {

using ringway::bench::Claim;

bool Report(const std::vector<Claim>& claims, bool brief) {
  bool all = true;
  for (const Claim& claim : claims) {
    all = all && claim.holds();
    if (brief) {
      std::printf("%s %s %.4g %.4g\n", claim.holds() ? "ok" : "short", claim.name.c_str(), claim.measured,
                  claim.bound);
    } else {
      std::printf("%-36s %10.3f %-12s (bound: %s %.3g)\n", claim.name.c_str(), claim.measured,
                  claim.unit.c_str(), claim.at_least ? "at least" : "at most", claim.bound);
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  ringway::bench::Run run;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      run.quick = true;
      run.kills = 5;
    } else if (argument == "--brief") {
      run.brief = true;
    } else if (argument == "--kills" && i + 1 < argc && std::atoi(argv[i + 1]) >= 0) {
      run.kills = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "bench_ledger: '%s' is not understood; allowed are --quick, --brief, --kills N\n",
                   argv[i]);
      return 2;
    }
  }
  ringway::bench::Fleet fleet;
  if (!fleet.AwaitReady()) {
    std::fprintf(stderr, "bench_ledger: the fleet did not come up within 20 s\n");
    return 1;
  }
  std::vector<Claim> claims = HandOver(fleet, run);
  for (Claim& claim : LostHolder(fleet, run)) claims.push_back(std::move(claim));
  return Report(claims, run.brief) ? 0 : 1;
}
