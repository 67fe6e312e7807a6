#include "controller/planner/metric_line.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {
namespace {

// Standard deviations of what is believed before anything was read, as loads and as multiples of the prior.
constexpr double kBackgroundError = 0.3;
constexpr double kSlopeError = 0.5;
// How fast they may drift, in a second.
constexpr double kBackgroundDrift = 0.003;
constexpr double kSlopeDrift = 0.005;
// Of a reading, at the least and at the most, and the weight of a surprise in what is believed of it.
constexpr double kNoiseMin = 0.01;
constexpr double kNoiseMax = 0.1;
constexpr double kNoiseWeight = 0.05;
// A metric may hardly depend on traffic, or ten times as much as the workers do.
constexpr double kSlopeMin = 0.02;
constexpr double kSlopeMax = 10;
constexpr double kHeldShare = 0.03;
constexpr int kRepeatsMax = 5;
constexpr double kGrown = 0.1;
// Longer gaps are one gap: the filter has forgotten by then what it may forget.
constexpr double kGapMaxS = 60;

}  // namespace

MetricLine::MetricLine(double prior, Duration service_mean) : prior_(prior), lag_(service_mean) {
  state_.var_background = kBackgroundError * kBackgroundError;
  state_.var_slope = kSlopeError * kSlopeError;
  state_.noise = kNoiseMin * kNoiseMin;
}

void MetricLine::Restore(const State& state) {
  state_ = state;
  if (state.at != InfinitePast()) lag_.Advance(state.at, state.lagged);
}

double MetricLine::RpsAt(double load) const { return std::max(0.0, (load - background()) / slope()); }

bool MetricLine::frozen() const {
  return state_.repeats >= kRepeatsMax && state_.last > 0 && state_.lagged > state_.lagged_at_first + kGrown;
}

void MetricLine::Add(Time at, double load, double rps, double threshold) {
  State& s = state_;
  if (at <= s.at) return;
  const bool first = s.at == InfinitePast();
  const double seconds = first ? 1 : std::min(kGapMaxS, ToDoubleSeconds(at - s.at));
  s.lagged = lag_.Advance(at, rps * prior_);
  s.at = at;
  if (!first && load == s.last) {
    ++s.repeats;
  } else {
    s.repeats = 0;
    s.lagged_at_first = s.lagged;
  }
  s.last = load;
  if (frozen()) return;
  Learn(load, seconds);
  Hold(threshold);
}

void MetricLine::Learn(double load, double seconds) {
  State& s = state_;
  s.var_background = std::min(s.var_background + kBackgroundDrift * kBackgroundDrift * seconds,
                              kBackgroundError * kBackgroundError);
  s.var_slope = std::min(s.var_slope + kSlopeDrift * kSlopeDrift * seconds, kSlopeError * kSlopeError);
  const double surprise = load - (s.background + s.slope * s.lagged);
  const double with_background = s.var_background + s.covariance * s.lagged;
  const double with_slope = s.covariance + s.var_slope * s.lagged;
  const double expected = with_background + with_slope * s.lagged;  // variance of the surprise, less noise
  const double total = expected + s.noise;
  s.background += with_background / total * surprise;
  s.slope += with_slope / total * surprise;
  s.var_background -= with_background * with_background / total;
  s.var_slope -= with_slope * with_slope / total;
  s.covariance -= with_background * with_slope / total;
  const double scatter =
      std::clamp(surprise * surprise - expected, kNoiseMin * kNoiseMin, kNoiseMax * kNoiseMax);
  s.noise += kNoiseWeight * (scatter - s.noise);
  s.background = std::clamp(s.background, 0.0, std::max(load, 0.0));
  s.slope = std::clamp(s.slope, kSlopeMin, kSlopeMax);
}

void MetricLine::Hold(double threshold) {
  State& s = state_;
  // In multiples of what makes every worker busy, like the lagged traffic.
  const auto allowed = [&](double background, double slope) { return (threshold - background) / slope; };
  const double now = allowed(s.background, s.slope), held = allowed(s.held_background, s.held_slope);
  const double scale = std::max({std::min(held, 1.0), std::min(now, 1.0), 0.05});
  // Beyond what all workers can do the line says nothing that matters.
  if (now >= 1.2 && held >= 1.2) return;
  if (std::abs(now - held) <= kHeldShare * scale) return;
  s.held_background = s.background;
  s.held_slope = s.slope;
}

}  // namespace ringway::planner
