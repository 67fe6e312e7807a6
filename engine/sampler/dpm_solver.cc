#include "engine/sampler/dpm_solver.h"

#include <algorithm>

#include "core/check.h"
#include "core/rng.h"
#include "engine/sampler/step_weights.h"

namespace ringway::engine {

void ToDenoised(Prediction prediction, const NoiseLevel& level, std::span<const float> x,
                std::span<float> output) {
  RINGWAY_CHECK(x.size() == output.size());
  const auto alpha = static_cast<float>(level.alpha);
  const auto sigma = static_cast<float>(level.sigma);
  if (prediction == Prediction::kNoise) {
    for (std::size_t i = 0; i < x.size(); ++i) output[i] = (x[i] - sigma * output[i]) / alpha;
  } else if (prediction == Prediction::kVelocity) {
    for (std::size_t i = 0; i < x.size(); ++i) output[i] = alpha * x[i] - sigma * output[i];
  }
}

void Guide(const GuidanceScales& scales, std::span<const float> none, std::span<const float> image,
           std::span<float> both) {
  RINGWAY_CHECK(none.size() == both.size() && image.size() == both.size());
  for (std::size_t i = 0; i < both.size(); ++i)
    both[i] = none[i] + scales.image * (image[i] - none[i]) + scales.text * (both[i] - image[i]);
}

void FillWithNoise(std::uint64_t seed, std::span<float> x, std::uint64_t draw) {
  Rng rng(seed, /*stream=*/0x6e6f697365 + draw);
  for (float& value : x) value = static_cast<float>(rng.Normal());
}

DpmSolver::DpmSolver(std::vector<double> lambdas, std::size_t size, LastStep last)
    : lambdas_(std::move(lambdas)),
      first_order_last_(last == LastStep::kIsTheAnswer && steps() < kFewSteps),
      before_(size) {
  RINGWAY_CHECK(lambdas_.size() >= 2);
  RINGWAY_CHECK(std::adjacent_find(lambdas_.begin(), lambdas_.end(), std::greater_equal<>()) ==
                lambdas_.end());
}

void DpmSolver::Advance(int step, std::span<const float> denoised, std::span<float> x,
                        std::span<const float> fresh) {
  RINGWAY_CHECK(step >= 0 && step < steps() && denoised.size() == before_.size() &&
                x.size() == before_.size() && (fresh.empty() || fresh.size() == x.size()));
  const bool first_order = step == 0 || (step + 1 == steps() && first_order_last_);
  const double before = first_order ? 0 : lambda(step) - lambda(step - 1);
  TakeStep(DpmWeights(lambda(step), lambda(step + 1), before, !fresh.empty()), denoised, before_, x, fresh);
}

}  // namespace ringway::engine
