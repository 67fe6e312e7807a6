#include "gtest/gtest.h"
#include "sim/theory.h"
#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {
namespace {

TEST(Study, NoWaitReachesErlangB) {
  std::printf("%6s %8s %9s %9s %7s %9s\n", "N", "routers", "goodput", "ErlangB", "ratio", "attempts");
  for (const int workers : {50, 200, 1000}) {
    for (const int routers : {16, 64}) {
      FleetSettings settings;
      settings.workers = workers;
      settings.routers = routers;
      settings.no_wait = true;
      settings.service = sim::ExponentialService{2.0};
      settings.patience = absl::Seconds(100);
      settings.duration = absl::Seconds(10 + 2 * 400'000 / (0.95 * workers));
      Fleet fleet(settings);
      const Tally& tally = fleet.Run();
      const double bound = 1 - sim::ErlangB(workers, 0.95 * workers);
      std::printf("%6d %8d %9.4f %9.4f %7.4f %9.3f\n", workers, routers, tally.Goodput(), bound,
                  tally.Goodput() / bound, tally.OffersPerDone());
      EXPECT_GE(tally.Goodput() / bound, 0.995);
      EXPECT_LE(tally.OffersPerDone(), workers == 1000 ? 1.05 : 1.25);
    }
  }
}

}  // namespace
}  // namespace ringway::ledger::fleet
