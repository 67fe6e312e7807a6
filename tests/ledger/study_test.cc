// What the ledger reaches in virtual time, against theory and against one perfect queue. Message delays are
// 0.25 ms a hop; service times are seconds, as those of the jobs that it is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sim/demand/theory.h"
#include "tests/ledger/fleet/central_queue.h"
#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {
namespace {

double Quantile(std::vector<double> values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Long enough that about `jobs` arrive after the warm-up.
void RunFor(FleetSettings& settings, double jobs) {
  const double per_s = settings.rho * settings.workers / sim::MeanServiceS(settings.service);
  settings.duration = settings.warm_up + Seconds(jobs / per_s);
}

class NoWait : public testing::TestWithParam<int> {};

TEST_P(NoWait, ReachesErlangB) {
  const int workers = GetParam();
  std::printf("%6s %8s %9s %9s %7s %9s\n", "N", "routers", "goodput", "Erlang-B", "ratio", "attempts");
  for (const int routers : {16, 64}) {
    FleetSettings settings;
    settings.workers = workers;
    settings.routers = routers;
    settings.no_wait = true;
    settings.service = sim::ExponentialService{2.0};
    settings.patience = Seconds(100);  // only the wait is cut off
    RunFor(settings, 250'000);
    Fleet fleet(settings);
    const Tally& tally = fleet.Run();
    const double bound = 1 - sim::ErlangB(workers, settings.rho * workers);
    std::printf("%6d %8d %9.4f %9.4f %7.4f %9.3f\n", workers, routers, tally.Goodput(), bound,
                tally.Goodput() / bound, tally.OffersPerDone());
    EXPECT_GE(tally.Goodput() / bound, 0.995);
    EXPECT_LE(tally.OffersPerDone(), workers < 1000 ? 1.25 : 1.05);
  }
}
INSTANTIATE_TEST_SUITE_P(Study, NoWait, testing::Values(50, 200, 1000));

TEST(Study, DeadlineOfThreeServiceTimesKeepsEveryGpuUseful) {
  std::printf("%6s %9s %9s %7s %9s %9s\n", "rho", "goodput", "possible", "ratio", "wasted %", "attempts");
  for (const double rho : {0.5, 0.7, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0}) {
    FleetSettings settings;
    settings.workers = 200;
    settings.rho = rho;
    settings.service = sim::FixedService{2.0};
    settings.patience = Seconds(6);
    RunFor(settings, 60'000);
    Fleet fleet(settings);
    const Tally& tally = fleet.Run();
    const double possible = std::min(1.0, 1 / rho);
    std::printf("%6.2f %9.4f %9.4f %7.4f %9.3f %9.3f\n", rho, tally.Goodput(), possible,
                tally.Goodput() / possible, 100 * tally.WastedShare(), tally.OffersPerDone());
    EXPECT_GE(tally.Goodput() / possible, 0.99) << "rho " << rho;
    EXPECT_LE(tally.WastedShare(), 0.005) << "rho " << rho;
  }
}

TEST(Study, LogNormalServiceMatchesOnePerfectQueue) {
  std::printf("%6s %6s %9s %9s %7s %8s %8s %9s %9s\n", "N", "rho", "goodput", "central", "ratio", "p99 S",
              "central", "wasted %", "central %");
  for (const int workers : {50, 200}) {
    for (const double rho : {0.7, 0.9, 0.95, 1.0, 1.1, 1.5, 2.0}) {
      FleetSettings settings;
      settings.workers = workers;
      settings.rho = rho;
      settings.service = sim::LogNormalService{2.0, 0.5};
      settings.patience = Seconds(6);
      settings.guard_quantile = 0.75;
      RunFor(settings, 60'000);
      Fleet fleet(settings);
      const Tally& ours = fleet.Run();
      const Tally central = RunCentralQueue(settings, fleet.Expected());
      std::printf("%6d %6.2f %9.4f %9.4f %7.4f %8.3f %8.3f %9.2f %9.2f\n", workers, rho, ours.Goodput(),
                  central.Goodput(), ours.Goodput() / central.Goodput(), Quantile(ours.waits_s, 0.99) / 2,
                  Quantile(central.waits_s, 0.99) / 2, 100 * ours.WastedShare(), 100 * central.WastedShare());
      EXPECT_GE(ours.Goodput() / central.Goodput(), 0.99) << "N " << workers << ", rho " << rho;
    }
  }
}

// The line's guard against its own length: oldest first while waiting pays, newest first when it does not.
TEST(Study, FlippingToNewestFirstServesMoreThanEitherOrderAlone) {
  struct Reached {
    double goodput, wasted;
  };
  const auto reached = [](int workers, double rho, double newest_first_at) -> Reached {
    FleetSettings settings;
    settings.workers = workers;
    settings.rho = rho;
    settings.service = sim::LogNormalService{2.0, 0.5};
    settings.patience = Seconds(6);
    settings.guard_quantile = 0.75;
    settings.ledger.newest_first_at = newest_first_at;
    RunFor(settings, 60'000);
    Fleet fleet(settings);
    const Tally& tally = fleet.Run();
    std::printf("%6d %6.2f %6.2f %9.4f %9.2f\n", workers, rho, newest_first_at, tally.Goodput(),
                100 * tally.WastedShare());
    return {tally.Goodput(), tally.WastedShare()};
  };
  std::printf("%6s %6s %6s %9s %9s\n", "N", "rho", "flips", "goodput", "wasted %");
  constexpr double kNever = 1, kAlways = 0;
  const Reached shipped = reached(200, 1.1, WaitingLine::kHopeless);
  const Reached oldest = reached(200, 1.1, kNever);
  EXPECT_GE(shipped.goodput, oldest.goodput + 0.01) << "waiting is hopeless, and the line does not see it";
  EXPECT_LE(shipped.wasted, 0.6 * oldest.wasted);
  EXPECT_GE(reached(50, 1.0, WaitingLine::kHopeless).goodput, reached(50, 1.0, kAlways).goodput + 0.01)
      << "waiting pays, and the line gives up the patient";
}

TEST(Study, LongerWaysCostOnlyTheirOwnLength) {
  std::printf("%8s %9s %9s\n", "hop ms", "goodput", "p99 S");
  for (const double hop_ms : {0.1, 0.25, 1.0, 5.0, 20.0}) {
    FleetSettings settings;
    settings.workers = 200;
    settings.rho = 0.9;
    settings.service = sim::ExponentialService{2.0};
    settings.patience = Seconds(20);
    settings.network = {.hop = Milliseconds(hop_ms), .jitter = 1};
    RunFor(settings, 60'000);
    Fleet fleet(settings);
    const Tally& tally = fleet.Run();
    const double p99 = Quantile(tally.waits_s, 0.99);
    std::printf("%8.2f %9.4f %9.3f\n", hop_ms, tally.Goodput(), p99 / 2);
    EXPECT_GE(tally.Goodput(), 0.99);
    // Ask, grant, offer and answer are four hops of at most twice `hop`, and a slot's hand-over costs
    // capacity.
    const double handover = 3 * 1.5 * hop_ms / 1000 / 2;
    const double bound = sim::WaitQuantileS(200, 180 * (1 + handover), 2.0, 0.99) + 4 * 2 * hop_ms / 1000;
    EXPECT_LE(p99, 1.3 * bound + 0.02);
  }
}

}  // namespace
}  // namespace ringway::ledger::fleet
