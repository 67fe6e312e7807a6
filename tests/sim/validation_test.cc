// The whole simulator against queueing theory: one region without distances is a textbook queue, and the
// production router, ledger and slot must behave as one. M/M/c against Erlang-C (mean and p99 of the wait),
// M/G/c/c against Erlang-B, which does not depend on the law of service.
//
// How: tests/sim/textbook.h. Theory must lie in the 99 % interval over the seeds, and the interval may be two
// percent wide to each side. Besides, every single job must start, or be lost, when it is in the ideal queue.
// RINGWAY_FULL=1: all cells, rho 0.99 among them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "sim/report/statistics.h"
#include "sim/simulation.h"
#include "tests/sim/textbook.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr double kWidthMax = 0.02;
// Jobs of all seeds' long runs for each unit of a figure's relative variance a job: (t / 0.02)^2, and some
// more because an interval over twenty seeds is itself uncertain, and a p99 harder to know than a mean.
constexpr double kJobsForVariance = 6 * 2.861 * 2.861 / (kWidthMax * kWidthMax);

bool Full() { return std::getenv("RINGWAY_FULL") != nullptr; }

struct Law {
  std::string name;
  ServiceLaw law;
  bool exponential() const { return std::holds_alternative<ExponentialService>(law); }
};
const Law kExponential{"M", ExponentialService{1}};
const Law kLogNormal{"LN(0.5)", LogNormalService{1, 0.5}};
const Law kFixed{"D", FixedService{1}};

// The estimates of one figure, one a seed, against the theory.
void Judge(const std::string& what, double theory, const std::vector<double>& estimates) {
  const Estimate e = EstimateMean(estimates, 0.99);
  std::printf("| %s | %.6g | %.6g +- %.2g | %.2f %% |\n", what.c_str(), theory, e.mean, e.half_width,
              100 * e.half_width / theory);
  EXPECT_LE(e.low(), theory) << what;
  EXPECT_GE(e.high(), theory) << what;
  EXPECT_LE(e.half_width, kWidthMax * theory) << what;
}

// The simulator's part: `jobs` in each run, beside the ideal with the same ones.
Twin Simulate(const Cell& cell, const Law& law, bool may_wait, double p99_scale, std::uint64_t seed) {
  const double jobs = std::max(20'000.0, 20.0 * static_cast<double>(cell.servers));
  const auto scenario = TextbookScenario(cell, law.law, may_wait, jobs, seed);
  Simulation run(scenario);
  Twin twin(*scenario, cell, may_wait, p99_scale);
  run.Watch(&twin);
  run.Run();
  EXPECT_EQ(run.tally().totals().ended_all(), run.tally().totals().submitted);
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
  EXPECT_GT(twin.jobs(), 0.9 * jobs);
  // An arrival within a nanosecond of a departure may see it either way.
  EXPECT_LE(twin.differing(), twin.jobs() / 10'000) << "seed " << seed;
  return twin;
}

std::string Name(const Cell& cell, const std::string& queue, const char* figure) {
  char text[100];
  std::snprintf(text, sizeof(text), "%s, rho %.2f, %s", queue.c_str(), cell.rho, figure);
  return text;
}

void CheckWait(const Cell& cell) {
  const double theory_s = MeanWaitS(cell.servers, cell.offered(), 1);
  const double theory_p99_s = WaitQuantileS(cell.servers, cell.offered(), 1, 0.99);
  // Of M/M/1's mean wait it is 4 / (1 - rho)^2 a job; here only some of the jobs see a line at all.
  const double variance = 4 / ((1 - cell.rho) * (1 - cell.rho) * ErlangC(cell.servers, cell.offered()));
  const double jobs = std::max(1e5, kJobsForVariance * variance / kSeeds);
  std::vector<double> means, p99s;
  double own_p99_s = 0, ideal_p99_s = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Twin twin = Simulate(cell, kExponential, true, std::max(theory_p99_s, 0.01), seed);
    const QueueFigures here = twin.simulated(), ideal = twin.ideal();
    const QueueFigures longer = LongRunExponential(cell, true, jobs, 100 + seed);
    means.push_back(here.wait_mean - ideal.wait_mean + longer.wait_mean);
    // In order of arrival: every start is the ideal's (Simulate has looked). The ledger's own order adds to
    // it.
    p99s.push_back(longer.wait_p99);
    own_p99_s += here.wait_p99 / kSeeds;
    ideal_p99_s += ideal.wait_p99 / kSeeds;
  }
  EXPECT_NEAR(own_p99_s, ideal_p99_s, 0.1 * ideal_p99_s) << "p99 of " << cell.servers << " at " << cell.rho;
  const std::string queue = "M/M/" + std::to_string(cell.servers);
  Judge(Name(cell, queue, "mean wait"), theory_s, means);
  if (theory_p99_s > 0) {
    Judge(Name(cell, queue, "p99 wait"), theory_p99_s, p99s);
  } else {
    EXPECT_EQ(*std::max_element(p99s.begin(), p99s.end()), 0) << "p99 of " << queue << " at " << cell.rho;
  }
}

TEST(Validation, WaitsAreThoseOfErlangC) {
  std::vector<Cell> cells = {{10, 0.7}, {10, 0.9}, {10, 0.95}, {100, 0.9}, {100, 0.95}};
  if (Full()) {
    cells = {{10, 0.7},   {10, 0.9},   {10, 0.95},  {10, 0.99},   {100, 0.7},  {100, 0.9},
             {100, 0.95}, {100, 0.99}, {1000, 0.9}, {1000, 0.95}, {1000, 0.99}};
  }
  for (const Cell& cell : cells) CheckWait(cell);
}

// Theory: one job in 10^26 waits.
TEST(Validation, NobodyWaitsWhereTheoryHasNoWait) {
  const Cell cell{1000, 0.7};
  ASSERT_LT(ErlangC(cell.servers, cell.offered()), 1e-20);
  for (const bool may_wait : {true, false}) {
    const Twin twin = Simulate(cell, kExponential, may_wait, 1, 1);
    EXPECT_EQ(twin.simulated().wait_mean, 0);
    EXPECT_EQ(twin.simulated().loss, 0);
  }
}

void CheckLoss(const Cell& cell, const Law& law) {
  const double theory = ErlangB(cell.servers, cell.offered());
  // Losses come in groups, while the servers stay full.
  const double variance = 2 / ((1 - cell.rho * (1 - theory)) * theory);
  const double jobs = std::max(1e5, kJobsForVariance * variance / kSeeds);
  std::vector<double> losses;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Twin twin = Simulate(cell, law, false, 1, seed);
    EXPECT_EQ(twin.simulated().wait_mean, 0) << "a job waited that had no place to";
    const double longer = law.exponential() ? LongRunExponential(cell, false, jobs, 100 + seed).loss
                                            : LongRunLoss(cell, law.law, jobs, 100 + seed).loss;
    losses.push_back(twin.simulated().loss - twin.ideal().loss + longer);
  }
  const std::string c = std::to_string(cell.servers);
  Judge(Name(cell, "M/" + law.name + "/" + c + "/" + c, "loss"), theory, losses);
}

TEST(Validation, LossesAreThoseOfErlangB) {
  std::vector<Cell> cells = {{10, 0.7}, {10, 0.9}, {100, 0.95}};
  if (Full()) {
    cells = {{10, 0.7},   {10, 0.9},   {10, 0.95},  {10, 0.99},   {100, 0.7},  {100, 0.9},
             {100, 0.95}, {100, 0.99}, {1000, 0.9}, {1000, 0.95}, {1000, 0.99}};
  }
  for (const Cell& cell : cells) CheckLoss(cell, kExponential);
}

// Erlang-B holds for every law of service. Where losses are rarer than one in a thousand only the exponential
// law can be followed for long enough.
TEST(Validation, LossesDoNotDependOnTheLawOfService) {
  std::vector<Cell> cells = {{10, 0.95}, {100, 0.95}};
  if (Full()) {
    cells = {{10, 0.7},   {10, 0.9},   {10, 0.95},   {10, 0.99},  {100, 0.9},
             {100, 0.95}, {100, 0.99}, {1000, 0.95}, {1000, 0.99}};
  }
  for (const Cell& cell : cells) {
    CheckLoss(cell, kLogNormal);
    if (Full()) CheckLoss(cell, kFixed);
  }
}

}  // namespace
}  // namespace ringway::sim
