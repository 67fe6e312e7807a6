// What is left when no ledger's leader answers: routers that probe, with the settings that ship, beside blind
// probing of sixteen workers (tests/sim/blind_probing.h), in every cell of a grid. And workers that every
// router was started with: what their word costs when all routers hear it at once.
//
// One region, service 2 s, deadline three times that, no controller; 12,000 jobs a run after a warm-up, three
// seeds (RINGWAY_FULL=1: ten times as many jobs). Both see the same jobs, so the difference is taken seed by
// seed; a cell fails when it is negative by more than kNoise, or the whole interval of 95 % is.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/report/statistics.h"
#include "sim/simulation.h"
#include "tests/sim/blind_probing.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::probe_fallback_test {
namespace {

constexpr double kServiceS = 2;
constexpr double kDeadlineS = 3 * kServiceS;
constexpr double kWarmS = 10 * kServiceS;
constexpr std::uint64_t kSeeds = 3;
// Of the jobs, those that messages take past their deadline, because the yardstick has none.
constexpr double kNoise = 0.0002;

double Jobs() { return std::getenv("RINGWAY_FULL") == nullptr ? 12'000 : 120'000; }

// A tier, and how its jobs are.
enum class Way { kLogNormal, kExponential, kNoLine };

struct Cell {
  Way way = Way::kLogNormal;
  int workers = 50;
  int routers = 16;
  double rho = 0.9;
  bool all_local = false;
};

std::shared_ptr<const Scenario> Probing(const Cell& cell, std::uint64_t seed) {
  Fleet fleet = LineFleet(1, cell.workers);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.service_mean = Seconds(kServiceS);
  tier.deadline = Seconds(kDeadlineS);
  tier.dispatch.mode = DispatchMode::kProbe;
  if (cell.way == Way::kNoLine) {
    // A job that finds nobody is refused, so it looks as often as the yardstick, and may.
    tier.dispatch.waiting_max = 0;
    tier.dispatch.probes_per_round = tier.dispatch.attempts_max = kBlindProbes;
    tier.dispatch.budget.share = kBlindProbes - 1;
  }
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->controller = false;
  scenario->routers_per_region = cell.routers;
  scenario->all_local = cell.all_local;
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = LogNormalService{kServiceS, 0.5};
  if (cell.way == Way::kExponential) scenario->service[TierId(0)].law = ExponentialService{kServiceS};
  const double rate = cell.rho * cell.workers / kServiceS;
  scenario->warmup_s = kWarmS;
  const double end_s = kWarmS + std::max(Jobs() / rate, 30.0);
  // Nobody comes after the end, so that every job that counts has ended when the run does.
  scenario->steps.push_back({.at_s = end_s, .fault = ScaleDemand{{}, 1e-9}});
  scenario->duration_s = end_s + kDeadlineS + 2;
  scenario->demand.push_back({.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{rate}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

// Over the seeds, each list in their order.
struct Reached {
  std::vector<double> served;
  std::vector<double> blind;
  double offers = 0;  // for each job
  double wait_p99_s = 0;
};

Reached Reach(const Cell& cell) {
  Reached reached;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation run(Probing(cell, seed));
    JobRecorder recorder;
    run.Watch(&recorder);
    run.Run();
    for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
    const auto blind = ProbeBlindly(recorder.jobs(), cell.workers, kDeadlineS, seed);
    reached.served.push_back(ServedShare(recorder.jobs(), kWarmS));
    reached.blind.push_back(ServedShare(blind, kWarmS));
    const Totals& totals = run.tally().totals();
    reached.offers += static_cast<double>(totals.offers) / static_cast<double>(totals.submitted) / kSeeds;
    reached.wait_p99_s += totals.wait.Quantile(0.99) / kSeeds;
  }
  return reached;
}

class ProbeFallback : public testing::TestWithParam<std::tuple<Way, int>> {};

TEST_P(ProbeFallback, IsNeverBelowBlindProbingOfSixteen) {
  const auto [way, workers] = GetParam();
  std::printf("%6s %8s %6s %8s %8s %8s %8s %8s %8s\n", "N", "routers", "rho", "served", "blind", "more", "+-",
              "offers", "p99 s");
  for (const int routers : {16, 64}) {
    for (const double rho : {0.5, 0.7, 0.9, 1.0, 1.2, 1.5}) {
      const Reached reached = Reach({way, workers, routers, rho});
      const Estimate more = EstimateDifference(reached.served, reached.blind);
      std::printf("%6d %8d %6.2f %8.4f %8.4f %+8.4f %8.4f %8.2f %8.2f\n", workers, routers, rho,
                  EstimateMean(reached.served).mean, EstimateMean(reached.blind).mean, more.mean,
                  more.half_width, reached.offers, reached.wait_p99_s);
      EXPECT_GE(more.mean, -kNoise) << workers << " workers, " << routers << " routers, rho " << rho;
      EXPECT_GE(more.high(), 0) << workers << " workers, " << routers << " routers, rho " << rho;
    }
  }
}

std::string CaseName(const testing::TestParamInfo<std::tuple<Way, int>>& info) {
  static constexpr const char* kWays[] = {"LogNormal", "Exponential", "NoLine"};
  return std::string(kWays[static_cast<std::size_t>(std::get<0>(info.param))]) +
         std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Study, ProbeFallback,
                         testing::Combine(testing::Values(Way::kLogNormal, Way::kExponential, Way::kNoLine),
                                          testing::Values(50, 200, 1000)),
                         CaseName);

// All routers hear in the same moment that a worker is free, and all have jobs that wait.
TEST(StaticWorkersStudy, ListedAtEveryRouterTheyAreNotMobbed) {
  std::printf("%8s %6s %20s %20s\n", "routers", "rho", "offers, one router", "offers, every router");
  for (const int routers : {16, 64}) {
    for (const double rho : {0.9, 1.2, 1.5}) {
      const Reached one = Reach({Way::kLogNormal, 50, routers, rho});
      const Reached every = Reach({Way::kLogNormal, 50, routers, rho, /*all_local=*/true});
      std::printf("%8d %6.2f %20.2f %20.2f\n", routers, rho, one.offers, every.offers);
      EXPECT_LE(every.offers, 1.25 * one.offers) << routers << " routers, rho " << rho;
      const Estimate gain = EstimateDifference(every.served, one.served);
      EXPECT_GE(gain.high(), 0) << "more news, fewer served, beyond what seeds differ by";
    }
  }
}

}  // namespace
}  // namespace ringway::sim::probe_fallback_test
