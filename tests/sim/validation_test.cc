// The whole simulator against queueing theory: one region without distances is a textbook queue, and the
// production router, ledger and slot must behave as one. M/M/c against Erlang-C, M/M/c/(c+1) against
// Erlang-B.
//
// At high load the mean wait of M/M/c needs tens of millions of jobs, so it is estimated with a control
// variate: the same jobs go through one ideal queue (CentralQueue), whose long-run mean is found apart and
// cheaply, and what the simulator adds to it is measured seed by seed. Losses are counted as they are.
// RINGWAY_FULL=1: all cells, rho 0.99 among them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "sim/report/reference.h"
#include "sim/report/statistics.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
namespace {

bool Full() { return std::getenv("RINGWAY_FULL") != nullptr; }

struct Cell {
  int servers = 10;
  double rho = 0.9;
};

std::shared_ptr<const Scenario> Textbook(const Cell& cell, const ServiceLaw& law, bool may_wait, double jobs,
                                         std::uint64_t seed) {
  Fleet fleet = LineFleet(1, cell.servers);
  fleet.world.rtt.Set(RegionId(0), RegionId(0), 0);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.dispatch.mode = DispatchMode::kLedger;
  tier.dispatch.waiting_max = may_wait ? 1'000'000 : 1;
  tier.dispatch.attempts_max = 1;
  tier.deadline = absl::Hours(24);
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->controller = false;
  scenario->routers_per_region = 1;
  scenario->network = {.jitter_share = 0, .loss_share = 0, .beside_ms = 0};
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = law;
  const double rate = cell.rho * cell.servers;
  scenario->warmup_s = 0.1 * jobs / rate;
  scenario->duration_s = 1.1 * jobs / rate + 60;
  scenario->demand.push_back({.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{rate}});
  // All that came has ended when the run does.
  scenario->steps.push_back({.at_s = 1.1 * jobs / rate, .trouble = ScaleDemand{{}, 1e-9}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

// Mean wait of one queue over `jobs` jobs, at a hundredth of the simulator's cost.
double LongRunWaitS(const Cell& cell, double jobs, std::uint64_t seed) {
  CentralQueue queue(static_cast<std::size_t>(cell.servers));
  Rng arrivals(seed, 1), services(seed, 2);
  const double rate = cell.rho * cell.servers;
  double now_s = 0, sum_s = 0, counted = 0;
  for (double i = 0; i < jobs; ++i) {
    now_s += arrivals.Exponential() / rate;
    const double wait_s = queue.Arrive(now_s, services.Exponential());
    if (i < 0.05 * jobs) continue;
    sum_s += wait_s;
    ++counted;
  }
  return sum_s / counted;
}

void CheckWait(const Cell& cell) {
  constexpr std::uint64_t kSeeds = 5;
  const double theory_s = MeanWaitS(static_cast<std::size_t>(cell.servers), cell.rho * cell.servers, 1);
  const double longer = Full() ? 10 : 1;
  std::vector<double> estimates;
  double p99_s = 0, p99_ideal_s = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto scenario = Textbook(cell, ExponentialService{1}, true, 60'000, seed);
    Simulation run(scenario);
    Reference ideal(*scenario);
    run.Watch(&ideal);
    run.Run();
    const TierReference reference = ideal.Figures(run.now_s())[TierId(0)];
    const Totals& totals = run.tally().totals();
    EXPECT_EQ(totals.served(), totals.submitted);
    EXPECT_TRUE(run.checkers().violations().empty());
    const double long_run_s = LongRunWaitS(cell, longer * 4e6 / ((1 - cell.rho) * 10), 100 + seed);
    estimates.push_back(long_run_s + totals.wait.mean() - reference.central_wait_mean_s);
    p99_s += totals.wait.Quantile(0.99) / kSeeds;
    p99_ideal_s += reference.central_wait_p99_s / kSeeds;
  }
  const Estimate wait = EstimateMean(estimates, 0.99);
  std::printf(
      "M/M/%-4d rho %.2f  theory %.5f s  simulated %.5f +- %.5f s (%.2f %%)  p99 %.3f s, ideal %.3f s\n",
      cell.servers, cell.rho, theory_s, wait.mean, wait.half_width, 100 * wait.half_width / theory_s, p99_s,
      p99_ideal_s);
  EXPECT_LE(wait.low(), theory_s);
  EXPECT_GE(wait.high(), theory_s);
  EXPECT_LE(wait.half_width, (Full() ? 0.02 : 0.2) * theory_s);
  EXPECT_NEAR(p99_s, p99_ideal_s, 0.02 * p99_ideal_s);
}

TEST(Validation, WaitsAreThoseOfErlangC) {
  std::vector<Cell> cells = {{10, 0.7}, {10, 0.9}, {100, 0.95}};
  if (Full()) {
    cells = {{10, 0.7},   {10, 0.9},   {10, 0.95},   {10, 0.99},  {100, 0.9},
             {100, 0.95}, {100, 0.99}, {1000, 0.95}, {1000, 0.99}};
  }
  for (const Cell& cell : cells) CheckWait(cell);
}

// Where theory says that hardly anybody waits, hardly anybody does.
TEST(Validation, NobodyWaitsWhereTheoryHasNoWait) {
  for (const Cell& cell : {Cell{100, 0.7}, Cell{1000, 0.7}, Cell{1000, 0.9}}) {
    Simulation run(Textbook(cell, ExponentialService{1}, true, 100'000, 1));
    run.Run();
    EXPECT_EQ(WaitQuantileS(static_cast<std::size_t>(cell.servers), cell.rho * cell.servers, 1, 0.99), 0);
    EXPECT_EQ(run.tally().totals().wait.Quantile(0.99), 0) << cell.servers << " " << cell.rho;
  }
}

// One place to wait is the least that a router has: M/M/c/(c+1), whose loss follows from Erlang-B's.
void CheckLoss(const Cell& cell) {
  const std::uint64_t seeds = Full() ? 10 : 5;
  const double b = ErlangB(static_cast<std::size_t>(cell.servers), cell.rho * cell.servers);
  const double theory = cell.rho * b / (1 + cell.rho * b);
  const double jobs = Full() ? std::min(6e6, 6e4 / theory) : 60'000;
  std::vector<double> losses;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Simulation run(Textbook(cell, ExponentialService{1}, false, jobs, seed));
    run.Run();
    const Totals& totals = run.tally().totals();
    losses.push_back(1 - static_cast<double>(totals.served()) / static_cast<double>(totals.submitted));
    EXPECT_TRUE(run.checkers().violations().empty());
  }
  const Estimate loss = EstimateMean(losses, 0.99);
  std::printf("M/M/%d/%d rho %.2f  theory %.5f  simulated %.5f +- %.5f (%.2f %%)\n", cell.servers,
              cell.servers + 1, cell.rho, theory, loss.mean, loss.half_width, 100 * loss.half_width / theory);
  EXPECT_LE(loss.low(), theory);
  EXPECT_GE(loss.high(), theory);
  EXPECT_LE(loss.half_width, (Full() ? 0.02 : 0.2) * theory);
}

TEST(Validation, LossesAreThoseOfErlangB) {
  std::vector<Cell> cells = {{10, 0.9}, {100, 0.95}};
  if (Full()) {
    cells = {{10, 0.7},   {10, 0.9},   {10, 0.95},   {10, 0.99},  {100, 0.9},
             {100, 0.95}, {100, 0.99}, {1000, 0.95}, {1000, 0.99}};
  }
  for (const Cell& cell : cells) CheckLoss(cell);
}

}  // namespace
}  // namespace ringway::sim
