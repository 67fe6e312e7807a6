#include "engine/sampler/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace ringway::engine {

NoiseLevel LevelOf(double lambda) {
  // Both from the smaller side, so that neither loses its digits to the other.
  const double alpha = 1 / std::sqrt(1 + std::exp(-2 * lambda));
  const double sigma = 1 / std::sqrt(1 + std::exp(2 * lambda));
  return {alpha, sigma};
}

std::vector<double> UniformLambdas(double first, double last, int steps) {
  RINGWAY_CHECK(steps >= 1 && first < last);
  std::vector<double> lambdas;
  lambdas.reserve(static_cast<std::size_t>(steps) + 1);
  for (int i = 0; i <= steps; ++i) lambdas.push_back(first + (last - first) * i / steps);
  return lambdas;
}

TrainedSchedule::TrainedSchedule(const std::vector<double>& alphas_squared) {
  RINGWAY_CHECK(alphas_squared.size() >= 2);
  for (const double a : alphas_squared) {
    RINGWAY_CHECK(a > 0 && a < 1);
    lambdas_.push_back(0.5 * std::log(a / (1 - a)));
    RINGWAY_CHECK(lambdas_.size() == 1 || lambdas_.back() < lambdas_[lambdas_.size() - 2]);
  }
}

TrainedSchedule TrainedSchedule::ScaledLinear(int train_steps, double beta_first, double beta_last) {
  std::vector<double> squares;
  double product = 1;
  for (int i = 0; i < train_steps; ++i) {
    const double root =
        std::sqrt(beta_first) + (std::sqrt(beta_last) - std::sqrt(beta_first)) * i / (train_steps - 1);
    product *= 1 - root * root;
    squares.push_back(product);
  }
  return TrainedSchedule(squares);
}

TrainedSchedule TrainedSchedule::Linear(int train_steps, double beta_first, double beta_last) {
  std::vector<double> squares;
  double product = 1;
  for (int i = 0; i < train_steps; ++i) {
    product *= 1 - (beta_first + (beta_last - beta_first) * i / (train_steps - 1));
    squares.push_back(product);
  }
  return TrainedSchedule(squares);
}

double TrainedSchedule::LambdaOf(double time) const {
  const double t = std::clamp(time, 0.0, time_last());
  const auto below = std::min(static_cast<std::size_t>(t), lambdas_.size() - 2);
  const double fraction = t - static_cast<double>(below);
  return lambdas_[below] + fraction * (lambdas_[below + 1] - lambdas_[below]);
}

double TrainedSchedule::TimeOf(double lambda) const {
  const auto after = std::lower_bound(lambdas_.begin(), lambdas_.end(), lambda, std::greater<>());
  if (after == lambdas_.begin()) return 0;
  if (after == lambdas_.end()) return time_last();
  const auto i = static_cast<std::size_t>(after - lambdas_.begin());
  return static_cast<double>(i - 1) + (lambdas_[i - 1] - lambda) / (lambdas_[i - 1] - lambdas_[i]);
}

std::vector<double> TrainedSchedule::LambdasUniformInTime(int steps) const {
  std::vector<double> lambdas;
  for (int i = 0; i <= steps; ++i)
    lambdas.push_back(LambdaOf(time_last() * (1 - static_cast<double>(i) / steps)));
  return lambdas;
}

}  // namespace ringway::engine
