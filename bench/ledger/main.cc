// bench_ledger [--quick] [--brief] [--kills N]: the slot ledger between 16 router processes and 64 workers.
//
// --kills: how often the leader is killed; 100, with --quick 5.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/ledger/measures.h"

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
  std::vector<ringway::bench::Claim> claims = HandOver(fleet, run);
  for (auto& claim : LostLeader(fleet, run)) claims.push_back(std::move(claim));
  return ringway::bench::Report(claims, run.brief);
}
