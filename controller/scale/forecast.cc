#include "controller/scale/forecast.h"

#include <algorithm>
#include <cmath>

namespace ringway::scale {
namespace {

// What is seen of the present: long enough that a region's counts say more than its held rate, which stands
// until it is refuted and so follows a slow ramp in steps.
constexpr std::int64_t kRecentBins = 3;
// A held rate that differs by more has seen a step that these bins do not show yet.
constexpr double kStepSigmas = 4;
constexpr std::int64_t kSteadyBins = 15;
constexpr std::int64_t kTrendBins = 10;
constexpr std::int64_t kLevelBins = 15;
// Of yesterday, on either side of the time asked for: single bins scatter.
constexpr std::int64_t kSmoothBins = 1;
// Requests that yesterday's and today's counts both get, so that a few at night make no factor of ten.
constexpr double kLevelEvents = 20;
constexpr double kLevelMax = 3;

// Of the errors, before anything was measured: a twentieth of a demand of this many requests per second.
constexpr double kDispersionBefore = 0.05 * 0.05 * 10;
constexpr int kSeenBefore = 4;
constexpr double kWeightMin = 1.0 / 180;  // bins of two minutes: six hours
constexpr double kSurpriseMax = 9;
constexpr double kBetterBy = 0.9;

constexpr double kBin = static_cast<double>(DemandHistory::kBinS);

// Requests per second each second, over the kTrendBins before `bin`; none where too few are known.
std::optional<double> Slope(const DemandHistory& history, std::int64_t bin) {
  double n = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
  for (std::int64_t back = 1; back <= kTrendBins; ++back) {
    const std::optional<double> rate = history.Rate(bin - back, bin - back);
    if (!rate) continue;
    const double x = -kBin * static_cast<double>(back);
    n += 1;
    x_sum += x;
    y_sum += *rate;
    xx_sum += x * x;
    xy_sum += x * *rate;
  }
  if (2 * n < static_cast<double>(kTrendBins)) return std::nullopt;
  const double spread = n * xx_sum - x_sum * x_sum;
  return spread > 0 ? std::optional(((n * xy_sum) - (x_sum * y_sum)) / spread) : std::nullopt;
}

std::optional<double> AsYesterday(const DemandHistory& history, std::int64_t bin, std::int64_t target) {
  const std::int64_t then = target - DemandHistory::kDay;
  const auto yesterday = history.Rate(then - kSmoothBins, then + kSmoothBins);
  const auto today = history.Rate(bin - kLevelBins, bin - 1);
  const auto before = history.Rate(bin - kLevelBins - DemandHistory::kDay, bin - 1 - DemandHistory::kDay);
  if (!yesterday || !today || !before) return std::nullopt;
  const double few = kLevelEvents / (kBin * static_cast<double>(kLevelBins));
  const double level = (*today + few) / (*before + few);
  return *yesterday * std::clamp(level, 1 / kLevelMax, kLevelMax);
}

}  // namespace

std::string_view WayName(Way way) {
  switch (way) {
    case Way::kNow:
      return "as it is now";
    case Way::kSteady:
      return "as in the last half hour";
    case Way::kTrend:
      return "by the trend";
    case Way::kDay:
      return "as yesterday";
  }
  return "unknown";
}

PerWay<double> Foretell(const DemandHistory& history, double held_rps, Time now, Duration ahead) {
  const std::int64_t bin = DemandHistory::BinOf(now);
  double level = held_rps;
  double lag_s = 0;  // that the level is old on average
  bool step = true;
  if (const auto recent = history.Rate(bin - kRecentBins, bin - 1)) {
    const double window_s = kBin * static_cast<double>(kRecentBins);
    const double scatter = std::sqrt(std::max(*recent, held_rps) / window_s);
    step = std::abs(*recent - held_rps) > kStepSigmas * scatter + 0.15 * *recent;
    if (!step) {
      level = *recent;
      lag_s = window_s / 2;
    }
  }
  PerWay<double> forecast;
  forecast.fill(level);
  if (const auto steady = step ? std::nullopt : history.Rate(bin - kSteadyBins, bin - 1)) {
    forecast[static_cast<std::size_t>(Way::kSteady)] = *steady;
  }
  // A step is no slope: what follows it is unknown, so it stays.
  const auto slope = step ? std::nullopt : Slope(history, bin);
  if (slope) {
    const double further_s = lag_s + ToDoubleSeconds(ahead);
    forecast[static_cast<std::size_t>(Way::kTrend)] = std::max(0.0, level + *slope * further_s);
  }
  if (const auto day = step ? std::nullopt : AsYesterday(history, bin, DemandHistory::BinOf(now + ahead))) {
    forecast[static_cast<std::size_t>(Way::kDay)] = *day;
  }
  return forecast;
}

void ForecastErrors::Foretold(std::int64_t target, const PerWay<double>& forecast) {
  if (pending_.size() == kPendingMax) pending_.pop_front();
  pending_.push_back({target, forecast});
}

void ForecastErrors::Came(std::int64_t bin, std::optional<double> rps) {
  while (!pending_.empty() && pending_.front().target < bin) pending_.pop_front();
  while (!pending_.empty() && pending_.front().target == bin) {
    const Pending due = pending_.front();
    pending_.pop_front();
    if (!rps) continue;
    ++seen_;
    const double weight = std::max(kWeightMin, 1.0 / (kSeenBefore + seen_));
    for (std::size_t way = 0; way < kWays; ++way) {
      Errors& errors = errors_[way];
      if (seen_ == 1) errors = {.square = kDispersionBefore, .above = kDispersionBefore};
      // A pool of a request in two minutes has no more certain a future than that.
      const double expected = std::max(due.forecast[way], 1 / kBin);
      const double off = *rps - due.forecast[way];
      const double surprise = off * off / expected;
      const auto take = [weight](double& mean, double value) {
        mean += weight * (std::min(value, kSurpriseMax * (mean + 1 / kBin)) - mean);
      };
      take(errors.square, surprise);
      take(errors.above, off > 0 ? 2 * surprise : 0);
    }
  }
  for (std::size_t way = 0; way < kWays; ++way) {
    const double best = errors_[static_cast<std::size_t>(best_)].square;
    if (errors_[way].square < kBetterBy * best) best_ = static_cast<Way>(way);
  }
}

double ForecastErrors::Deviation(double rps) const {
  const double above = seen_ > 0 ? errors_[static_cast<std::size_t>(best_)].above : kDispersionBefore;
  // The scatter of the count that a forecast was judged by is none of the rate.
  return std::sqrt(std::max(0.0, above - 1 / kBin) * rps);
}

}  // namespace ringway::scale
