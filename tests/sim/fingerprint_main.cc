// Prints a fingerprint of the reports of many random scenarios: equal on every build, or something depends on
// more than the seed. tools/determinism.sh compares builds.
#include <cstdint>
#include <cstdio>
#include <string>

#include "sim/report/run_report.h"
#include "tests/sim/random_world.h"

int main() {
  using namespace ringway::sim;
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto scenario = RandomScenario(seed);
    Simulation run(scenario);
    Reference reference(*scenario);
    run.Watch(&reference);
    run.Run();
    for (const char c : ReportJson(MakeReport(run, &reference))) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    std::printf("%2llu %016llx\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(hash));
  }
  return 0;
}
