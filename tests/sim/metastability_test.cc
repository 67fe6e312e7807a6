// Does the fleet heal by itself when the trouble is over, through the whole simulator, in both ways of
// dispatch? The commit's grid has the corners; RINGWAY_FULL=1 runs all of it over three seeds. The naive
// policy goes through the same suite and must fail it, and the ablation prints which guard earns its place.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/healing.h"

namespace ringway::sim {
namespace {

struct Extent {
  std::vector<double> rhos = {0.7, 0.95};
  std::vector<double> resubmits = {0.9};
  std::uint64_t seeds = 1;
};

Extent Wanted() {
  if (std::getenv("RINGWAY_FULL") == nullptr) return {};
  return {.rhos = {0.7, 0.85, 0.95}, .resubmits = {0, 0.5, 0.9}, .seeds = 3};
}

struct CellSummary {
  Estimate after;
  double worst_after = 1e9;
  double back_s = 0;
  double attempts_max = 0;
};

CellSummary RunSeeds(const TriggerCase& trigger, double rho, double resubmit, const Guards& guards,
                     std::uint64_t seeds) {
  CellSummary summary;
  std::vector<double> after;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const CellOutcome cell = RunCell({trigger, rho, resubmit, guards, seed});
    after.push_back(cell.after);
    summary.worst_after = std::min(summary.worst_after, cell.after);
    summary.back_s = std::max(summary.back_s, cell.back_s);
    summary.attempts_max = std::max(summary.attempts_max, cell.attempts_max);
    for (const std::string& violation : cell.violations) ADD_FAILURE() << violation;
  }
  summary.after = EstimateMean(after);
  std::printf("%-22s %5.2f %4.1f  after/before %.4f +- %.4f  back %3.0f s  attempts %6.2f\n",
              trigger.name.c_str(), rho, resubmit, summary.after.mean, summary.after.half_width,
              summary.back_s, summary.attempts_max);
  return summary;
}

// Probing spends what its budget allows: share + 1 offers a job, and what it had saved.
double MostAttempts(bool ledger) { return ledger ? kAttemptsMax : 40; }

class Metastability : public testing::TestWithParam<bool> {};

TEST_P(Metastability, TheFleetHealsInEveryCell) {
  const Extent extent = Wanted();
  for (const TriggerCase& trigger : AllTriggers()) {
    for (const double rho : extent.rhos) {
      for (const double resubmit : extent.resubmits) {
        const CellSummary cell = RunSeeds(trigger, rho, resubmit, {.ledger = GetParam()}, extent.seeds);
        EXPECT_GE(cell.worst_after, kBackShare) << trigger.name << ", rho " << rho << ", p " << resubmit;
        EXPECT_LE(cell.back_s, kHealS) << trigger.name << ", rho " << rho << ", p " << resubmit;
        EXPECT_LE(cell.attempts_max, MostAttempts(GetParam())) << trigger.name << ", rho " << rho;
      }
    }
  }
}

// The router and the ledger alone: every cell heals, without exception.
TEST_P(Metastability, WithoutAControllerTheFleetHealsInEveryCell) {
  const Extent extent = Wanted();
  for (const TriggerCase& trigger : AllTriggers()) {
    if (std::holds_alternative<KillHolders>(trigger.trouble)) continue;  // nobody would appoint the next
    for (const double rho : extent.rhos) {
      const Guards guards{.ledger = GetParam(), .controller = false};
      const CellSummary cell = RunSeeds(trigger, rho, extent.resubmits.back(), guards, extent.seeds);
      EXPECT_GE(cell.worst_after, kBackShare) << trigger.name << ", rho " << rho;
      EXPECT_LE(cell.back_s, kHealS) << trigger.name << ", rho " << rho;
      EXPECT_LE(cell.attempts_max, MostAttempts(GetParam())) << trigger.name << ", rho " << rho;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Study, Metastability, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Ledger" : "Probe"; });

TEST(MetastabilityStudy, TheNaivePolicyFailsTheSameSuite) {
  const std::vector<TriggerCase> triggers = AllTriggers();
  for (const TriggerCase& trigger : {triggers[0], triggers[1]}) {
    const CellSummary cell = RunSeeds(trigger, 0.95, 0.9, Naive(), 1);
    EXPECT_LT(cell.worst_after, kBackShare) << trigger.name;
    EXPECT_GT(cell.attempts_max, 5 * kAttemptsMax) << trigger.name;
  }
}

// A guard that makes no cell fail when it is off has to be justified in docs/dispatch.md.
TEST(MetastabilityStudy, Ablation) {
  struct Case {
    const char* name;
    Guards guards;
  };
  const std::vector<Case> cases = {{"probe, all guards", {.ledger = false}},
                                   {"probe, no deadline cut-off", {.ledger = false, .deadline = false}},
                                   {"probe, no budget", {.ledger = false, .budget = false}},
                                   {"probe, no backoff", {.ledger = false, .backoff = false}},
                                   {"probe, no delay", {.ledger = false, .delay = false}},
                                   {"ledger, all guards", {}},
                                   {"ledger, no deadline cut-off", {.deadline = false}},
                                   {"ledger, tables shed down to full", {.coarse_shed = false}},
                                   {"ledger, no controller", {.controller = false}},
                                   {"probe, no controller", {.ledger = false, .controller = false}},
                                   {"ledger, no budget", {.budget = false}}};
  const bool full = std::getenv("RINGWAY_FULL") != nullptr;
  const std::vector<TriggerCase> triggers = AllTriggers();
  const std::size_t count = full ? triggers.size() : 2;
  for (const Case& c : cases) {
    std::size_t failed = 0;
    double attempts = 0, after = 1e9;
    for (std::size_t i = 0; i < count; ++i) {
      const CellOutcome cell = RunCell({triggers[i], 0.95, 0.9, c.guards, 1});
      failed += !cell.healed();
      attempts = std::max(attempts, cell.attempts_max);
      after = std::min(after, cell.after);
    }
    std::printf("%-28s %zu of %zu cells fail, worst after/before %.3f, attempts at peak %.1f\n", c.name,
                failed, count, after, attempts);
    const bool whole = c.guards.deadline && c.guards.budget && c.guards.coarse_shed && c.guards.ledger;
    EXPECT_LE(failed, whole ? 0u : count) << c.name;
    EXPECT_GE(failed, c.guards.deadline && c.guards.coarse_shed ? 0u : 1u) << c.name;
  }
}

}  // namespace
}  // namespace ringway::sim
