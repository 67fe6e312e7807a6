#include "engine/sampler/step_weights.h"

#include <cmath>

#include "core/check.h"

namespace ringway::engine {
namespace {

constexpr double kDataDeviation = 0.5;  // sigma_data of consistency models (arXiv:2303.01469, section 5)

}  // namespace

StepWeights EulerWeights(const NoiseLevel& from, const NoiseLevel& to) {
  const double keep = to.sigma / from.sigma;
  return {.keep = keep, .now = to.alpha - keep * from.alpha};
}

StepWeights AncestralWeights(const NoiseLevel& from, const NoiseLevel& to) {
  const double ratio = to.sigma / to.alpha * from.alpha / from.sigma;  // of the levels as x / alpha has them
  const double down = ratio * ratio;  // how far down the step leads, of the level that it came from
  return {.keep = to.alpha / from.alpha * down,
          .now = to.alpha * (1 - down),
          .stir = to.sigma * std::sqrt(1 - ratio * ratio)};
}

StepWeights DpmWeights(double lambda, double next, double before, bool stochastic) {
  const double h = next - lambda;
  const NoiseLevel from = LevelOf(lambda), to = LevelOf(next);
  const double half_ratio = before > 0 ? 0.5 * h / before : 0;
  const double toward = -to.alpha * std::expm1(stochastic ? -2 * h : -h);
  return {.keep = to.sigma / from.sigma * (stochastic ? std::exp(-h) : 1),
          .now = toward * (1 + half_ratio),
          .earlier = -toward * half_ratio,
          .stir = stochastic ? to.sigma * std::sqrt(-std::expm1(-2 * h)) : 0};
}

StepWeights ConsistencyWeights(double scaled_time, const NoiseLevel& to) {
  const double length = std::hypot(scaled_time, kDataDeviation);
  const double skip = kDataDeviation / length * (kDataDeviation / length), out = scaled_time / length;
  return {.keep = to.alpha * skip, .now = to.alpha * out, .stir = to.sigma};
}

void TakeStep(const StepWeights& weights, std::span<const float> denoised, std::span<float> before,
              std::span<float> x, std::span<const float> fresh) {
  RINGWAY_CHECK(denoised.size() == x.size() && before.size() == x.size());
  RINGWAY_CHECK(fresh.size() == x.size() || (fresh.empty() && weights.stir == 0));
  const auto keep = static_cast<float>(weights.keep), now = static_cast<float>(weights.now);
  const auto earlier = static_cast<float>(weights.earlier), stir = static_cast<float>(weights.stir);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = keep * x[i] + now * denoised[i] + earlier * before[i];
    before[i] = denoised[i];
  }
  if (stir != 0)
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += stir * fresh[i];
}

}  // namespace ringway::engine
