// Does the fleet heal by itself when the trouble is over? Metastable failures (Bronson et al., HotOS'21;
// Huang et al., OSDI'22) stay after their trigger has gone, because users and routers that try again keep
// the overload alive. Every cell: 400 workers, service 2 s (log-normal, CV 0.5), deadline 6 s, users whose
// job failed ask again with probability p after a second. Back means: done per newly arriving job at 98 % of
// what it was before, within max(10 s, 2 S) after the trouble.
//
// The naive policy (random worker, the same again after 20 ms, no look at the deadline, no cancellation) goes
// through the same suite and must fail it; otherwise the suite would prove nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {
namespace {

constexpr int kBeginS = 60;
constexpr int kHealS = 10;    // max(10 s, 2 S)
constexpr int kWindowS = 20;  // over which "back" is measured
constexpr int kSeeds = 3;

struct FaultCase {
  const char* name;
  FaultKind kind;
  double size;
  int span_s;
};
constexpr FaultCase kFaults[] = {
    {"half the workers off", FaultKind::kWorkersOff, 0.5, 60},
    {"load x3", FaultKind::kLoad, 3, 30},
    {"leader killed", FaultKind::kLeaderKilled, 1, 0},
    {"workers slow x3", FaultKind::kSlow, 3, 30},
};

FleetSettings Cell(const FaultCase& fault, double rho, double resubmit, std::uint64_t seed) {
  FleetSettings settings;
  settings.workers = 400;
  settings.routers = 16;
  settings.rho = rho;
  settings.service = sim::LogNormalService{2.0, 0.5};
  settings.patience = Seconds(6);
  settings.guard_quantile = 0.75;
  settings.resubmit = resubmit;
  settings.seed = seed;
  const int end_s = kBeginS + fault.span_s;
  settings.faults = {{fault.kind, Seconds(kBeginS), Seconds(end_s), fault.size}};
  settings.duration = Seconds(end_s + kHealS + kWindowS);
  return settings;
}

// Done per newly arriving job in the seconds [from, to).
double ServedShare(const Tally& tally, int from_s, int to_s) {
  double done = 0;
  double fresh = 0;
  for (int s = from_s; s < to_s; ++s) {
    done += static_cast<double>(tally.seconds[s].done);
    fresh += static_cast<double>(tally.seconds[s].fresh);
  }
  return done / fresh;
}

struct CellResult {
  double before = 0;
  double after = 0;         // as a share of before
  int back_s = 0;           // after the end of the trouble, in whole windows of 5 s; -1: not in this run
  double attempts_max = 0;  // per job, over 5 s
};

CellResult RunCell(const FleetSettings& settings, int end_s) {
  Fleet fleet(settings);
  fleet.RunUntil(settings.duration);
  const Tally& tally = fleet.tally();
  CellResult result;
  result.before = ServedShare(tally, 20, kBeginS);
  result.after = ServedShare(tally, end_s + kHealS, end_s + kHealS + kWindowS) / result.before;
  result.back_s = -1;
  for (int s = 0; s + 5 <= kHealS + kWindowS && result.back_s < 0; ++s) {
    if (ServedShare(tally, end_s + s, end_s + s + 5) >= 0.98 * result.before) result.back_s = s;
  }
  for (int s = 10; s + 5 <= end_s + kHealS + kWindowS; ++s) {
    double offers = 0;
    double arrived = 0;
    for (int i = s; i < s + 5; ++i) {
      offers += static_cast<double>(tally.seconds[i].offers);
      arrived += static_cast<double>(tally.seconds[i].arrived);
    }
    result.attempts_max = std::max(result.attempts_max, offers / arrived);
  }
  return result;
}

// Mean over the seeds; `half` is half the width of the 95 % interval (Student's t, two degrees of freedom).
struct Estimate {
  double mean = 0;
  double half = 0;
};
Estimate Over(const std::vector<double>& values) {
  Estimate estimate;
  for (const double value : values) estimate.mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  const auto n = static_cast<double>(values.size());
  estimate.half = 4.303 * std::sqrt(squares / (n - 1) / n);
  return estimate;
}

class Metastability : public testing::TestWithParam<FaultCase> {};

TEST_P(Metastability, TheLedgerHealsInEveryCell) {
  const FaultCase fault = GetParam();
  std::printf("%-20s %5s %4s %8s %16s %7s %9s\n", fault.name, "rho", "p", "before", "after/before", "back s",
              "attempts");
  for (const double rho : {0.7, 0.85, 0.95}) {
    for (const double resubmit : {0.0, 0.5, 0.9}) {
      std::vector<double> after;
      CellResult worst;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const FleetSettings settings = Cell(fault, rho, resubmit, seed);
        const CellResult result = RunCell(settings, kBeginS + fault.span_s);
        after.push_back(result.after);
        worst.before += result.before / kSeeds;
        worst.back_s = result.back_s < 0 ? 99 : std::max(worst.back_s, result.back_s);
        worst.attempts_max = std::max(worst.attempts_max, result.attempts_max);
      }
      const Estimate estimate = Over(after);
      std::printf("%-20s %5.2f %4.1f %8.4f %8.4f +-%6.4f %7d %9.2f\n", "", rho, resubmit, worst.before,
                  estimate.mean, estimate.half, worst.back_s, worst.attempts_max);
      EXPECT_GE(*std::min_element(after.begin(), after.end()), 0.98) << "rho " << rho << ", p " << resubmit;
      EXPECT_LE(worst.back_s, kHealS) << "rho " << rho << ", p " << resubmit;
      EXPECT_LE(worst.attempts_max, 4) << "rho " << rho << ", p " << resubmit;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Study, Metastability, testing::ValuesIn(kFaults));

TEST(MetastabilityControl, TheNaivePolicyFailsTheSuite) {
  std::printf("%-20s %5s %4s %8s %13s %7s %9s\n", "naive", "rho", "p", "before", "after/before", "back s",
              "attempts");
  // Smaller than the cells above, for a naive router makes hundreds of attempts a job.
  for (FaultCase fault : {kFaults[0], kFaults[1]}) {
    fault.span_s = 20;
    FleetSettings settings = Cell(fault, 0.95, 0.9, 1);
    settings.workers = 100;
    settings.policy = Policy::kNaive;
    const CellResult result = RunCell(settings, kBeginS + fault.span_s);
    std::printf("%-20s %5.2f %4.1f %8.4f %13.4f %7d %9.1f\n", fault.name, 0.95, 0.9, result.before,
                result.after, result.back_s, result.attempts_max);
    EXPECT_LT(result.after, 0.98) << "the overload must outlive its trigger: " << fault.name;
    EXPECT_EQ(result.back_s, -1) << fault.name;
    EXPECT_GT(result.attempts_max, 4) << fault.name;
  }
}

}  // namespace
}  // namespace ringway::ledger::fleet
