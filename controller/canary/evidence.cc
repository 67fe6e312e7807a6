#include "controller/canary/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringway::canary {
namespace {

constexpr double kBurst = 3;
// Odds of a loss at a chosen router, over those at another.
constexpr Evidence::Sizes kOdds = {2, 8, 64};
// Shares of the tier's jobs that are lost beyond those of before.
constexpr Evidence::Sizes kFall = {0.02, 0.1, 0.4};
constexpr double kShareMax = 0.99;
// Beyond every bar, and far from overflow.
constexpr double kRatioMax = 1e60;

double Next(double ratio, double log_likelihood) {
  return std::min((1 + ratio) * std::exp(std::min(log_likelihood / kBurst, 100.0)), kRatioMax);
}

double Mean(const Evidence::Sizes& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += ratio;
  return sum / static_cast<double>(ratios.size());
}

}  // namespace

void Evidence::Count(const std::string& region, bool chosen, const JobCount& jobs) {
  state_.during.Add(jobs);
  Stratum& stratum = state_.open[region];
  (chosen ? stratum.chosen : stratum.rest).Add(jobs);
}

void Evidence::CloseWindow(double counts_s) {
  Sizes log_likelihood{};
  bool compared = false;
  for (auto& [region, stratum] : state_.open) {
    if (stratum.chosen.ended() <= 0 || stratum.rest.ended() <= 0) continue;
    Compare(std::exchange(stratum, {}), log_likelihood);
    compared = true;
  }
  for (std::size_t i = 0; compared && i < kSizes; ++i) {
    state_.worse[i] = Next(state_.worse[i], log_likelihood[i]);
  }
  const JobCount before = std::exchange(state_.taken, state_.during);
  CompareWithBefore({.done = state_.during.done - before.done, .lost = state_.during.lost - before.lost});
  state_.judged_s += counts_s;
}

void Evidence::Compare(const Stratum& stratum, Sizes& log_likelihood) {
  const double part = stratum.chosen.ended() / (stratum.chosen.ended() + stratum.rest.ended());
  const double lost = stratum.chosen.lost + stratum.rest.lost;
  state_.chosen.Add(stratum.chosen);
  state_.rest.Add(stratum.rest);
  state_.expected_lost += lost * part;
  for (std::size_t i = 0; i < kSizes; ++i) {
    log_likelihood[i] +=
        stratum.chosen.lost * std::log(kOdds[i]) - lost * std::log(1 + (kOdds[i] - 1) * part);
  }
}

void Evidence::CompareWithBefore(const JobCount& now) {
  if (now.ended() <= 0) return;
  const double share = LostBefore();
  for (std::size_t i = 0; i < kSizes; ++i) {
    const double other = std::min(share + kFall[i], kShareMax);
    if (other <= share) continue;
    const double log_likelihood =
        now.lost * std::log(other / share) + now.done * std::log((1 - other) / (1 - share));
    state_.fell[i] = Next(state_.fell[i], log_likelihood);
  }
}

// Wilson's upper end at three standard deviations; never 0, so that one lost job is no miracle.
double Evidence::LostBefore() const {
  const double n = std::max(state_.before.ended(), 1.0);
  const double p = state_.before.lost / n;
  constexpr double kZ = 3;
  const double middle = p + kZ * kZ / (2 * n);
  const double width = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return std::min((middle + width) / (1 + kZ * kZ / n), kShareMax);
}

bool Evidence::ChosenAreWorse(double bar) const {
  return Mean(state_.worse) >= bar &&
         state_.chosen.lost - state_.expected_lost >= kExcessMin * state_.chosen.ended();
}

bool Evidence::TierFell(double bar) const { return Mean(state_.fell) >= bar; }

}  // namespace ringway::canary
