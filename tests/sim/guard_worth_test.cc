// What the guards of probing are worth whose absence no cell of the metastability grid shows, because what
// they save is not goodput. Each is switched off alone, where it matters; docs/dispatch.md has the table.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "sim/simulation.h"
#include "tests/sim/healing.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::guard_worth_test {
namespace {

constexpr double kServiceS = 2;

// Offers in the fullest hundredth of a second.
class OfferPeak : public Observer {
 public:
  void OnOffered(Time now, WorkerId, const OfferNote&) override {
    const std::int64_t bin = (now - UnixEpoch()) / Milliseconds(10);
    if (bin != bin_) count_ = 0;
    bin_ = bin;
    peak = std::max(peak, ++count_);
  }
  int peak = 0;

 private:
  std::int64_t bin_ = -1;
  int count_ = 0;
};

std::shared_ptr<Scenario> Region(int workers, int routers, double rho) {
  Fleet fleet = LineFleet(1, workers);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.service_mean = Seconds(kServiceS);
  tier.deadline = Seconds(3 * kServiceS);
  auto scenario = std::make_shared<Scenario>();
  scenario->controller = false;
  scenario->warmup_s = 20;
  scenario->duration_s = 100;
  scenario->routers_per_region = routers;
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = LogNormalService{kServiceS, 0.5};
  scenario->demand.push_back(
      {.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{rho * workers / kServiceS}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

template <class Change>
std::shared_ptr<Scenario> With(std::shared_ptr<Scenario> scenario, Change change) {
  Fleet fleet = *scenario->fleet;
  change(fleet.tiers[TierId(0)].dispatch);
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

struct Reached {
  double served = 0;
  double offers = 0;  // for each job
  double p99_s = 0;   // of the wait
  double events = 0;  // of the simulator, for each job
  int peak = 0;       // offers in 10 ms
};
Reached Reach(std::shared_ptr<const Scenario> scenario, const char* what) {
  Simulation run(std::move(scenario));
  OfferPeak peak;
  run.Watch(&peak);
  run.Run();
  const Totals& totals = run.tally().totals();
  const auto jobs = static_cast<double>(totals.submitted);
  const Reached r{static_cast<double>(totals.served()) / jobs, static_cast<double>(totals.offers) / jobs,
                  totals.wait.Quantile(0.99), static_cast<double>(run.events()) / jobs, peak.peak};
  std::printf("%-24s served %.4f  offers %6.2f  wait p99 %.3f s  events %5.1f  peak %3d in 10 ms\n", what,
              r.served, r.offers, r.p99_s, r.events, r.peak);
  return r;
}

// Three hundred jobs within a hundredth of a second, on a busy region. The delay looks at the workers that
// the router hears of, so each hears of all.
TEST(GuardWorth, SchedulingDelaySpreadsABurst) {
  const auto burst = [](double share, std::uint64_t seed) {
    auto scenario = With(Region(200, 16, 0.95), [&](DispatchSpec& d) {
      d.mode = DispatchMode::kProbe;
      d.delay.share_max = share;
    });
    scenario->all_local = true;
    scenario->seed = seed;
    scenario->steps.push_back({.at_s = 60, .lasts_s = 0.01, .fault = ScaleDemand{{}, 300}});
    return scenario;
  };
  // What a burst costs differs by some hundredths from seed to seed, and its peak by a half.
  constexpr int kSeeds = 6;
  Reached with, without;  // sums
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Reached delayed = Reach(burst(1, static_cast<std::uint64_t>(seed)), "delay");
    const Reached at_once = Reach(burst(0, static_cast<std::uint64_t>(seed)), "no delay");
    with.peak += delayed.peak;
    without.peak += at_once.peak;
    with.served += delayed.served;
    without.served += at_once.served;
  }
  EXPECT_LE(with.peak, 0.67 * without.peak);
  EXPECT_GE(with.served / kSeeds, without.served / kSeeds - 0.015);
}

TEST(GuardWorth, BackoffIsTheLineBehindTheBudget) {
  const auto storm = [](bool budget, bool backoff) {
    return With(Region(50, 16, 1.2), [&](DispatchSpec& d) {
      d.mode = DispatchMode::kProbe;
      if (!budget) d.budget = {.share = 1e9, .floor_per_second = 1e9};
      if (!backoff) d.backoff = {Milliseconds(20), 1, 0.01, /*full_jitter=*/false};
    });
  };
  const Reached with = Reach(storm(true, true), "budget, backoff");
  const Reached without = Reach(storm(true, false), "budget, every 20 ms");
  EXPECT_LE(with.events, 0.5 * without.events) << "what a router does for a job that waits";
  const Reached alone = Reach(storm(false, true), "no budget, backoff");
  const Reached neither = Reach(storm(false, false), "no budget, every 20 ms");
  EXPECT_LE(alone.offers, 0.5 * neither.offers);
}

TEST(GuardWorth, SeveralProbesARoundFindTheFreeWorkerSooner) {
  for (const int routers : {16, 64}) {
    const auto looks = [&](int d) {
      return With(Region(200, routers, 0.7), [&](DispatchSpec& spec) {
        spec.mode = DispatchMode::kProbe;
        spec.probes_per_round = d;
      });
    };
    const Reached with = Reach(looks(4), routers == 16 ? "4 a round, 16 routers" : "4 a round, 64 routers");
    const Reached without =
        Reach(looks(1), routers == 16 ? "1 a round, 16 routers" : "1 a round, 64 routers");
    EXPECT_LE(with.p99_s, 0.25 * without.p99_s);
  }
}

// The table is made from figures that do not move any more, and one region gets more than it can serve.
TEST(GuardWorth, SpillServesWhatAStaleTableLeavesAtHome) {
  for (const bool ledger : {true, false}) {
    const auto stale = [&](double share) {
      const Cell cell{{"frozen", FreezeMetrics{}, 60}, 0.7, 0, {.ledger = ledger}};
      auto scenario = With(CellScenario(cell), [&](DispatchSpec& d) { d.spill.share = share; });
      scenario->steps.push_back(
          {.at_s = kBeginS + 1, .lasts_s = 58, .fault = ScaleDemand{{RegionId(0)}, 1.1 / 0.7}});
      scenario->warmup_s = kBeginS;
      scenario->duration_s = kBeginS + 60;
      return scenario;
    };
    const Reached with = Reach(stale(0.05), ledger ? "ledger, spill" : "probes, spill");
    const Reached without = Reach(stale(0), ledger ? "ledger, no spill" : "probes, no spill");
    EXPECT_GE(with.served, without.served - 0.002) << "what is lost are jobs that no deadline here can hold";
    EXPECT_LE(with.p99_s, 0.3 * without.p99_s);
  }
}

}  // namespace
}  // namespace ringway::sim::guard_worth_test
