// How much noise at which step: times, their signal and noise levels, and grids of them.
//
// Everything is variance preserving: x = alpha * clean + sigma * noise with alpha^2 + sigma^2 = 1, and a
// level is named by lambda = ln(alpha / sigma), half of the logarithm of the signal-to-noise ratio. The grids
// are uniform in lambda (the "linear-in-log signal-to-noise time" of DPM-Solver, Lu et al., arXiv:2206.00927,
// which needs fewer steps) or, for comparison, uniform in training time. A TrainedSchedule is the table of a
// checkpoint that was trained on discrete times: it translates between lambda and that time, between table
// entries by linear interpolation in lambda. A few hundred operations; no allocation after construction.
#ifndef RINGWAY_ENGINE_SAMPLER_SCHEDULE_H_
#define RINGWAY_ENGINE_SAMPLER_SCHEDULE_H_

#include <vector>

namespace ringway::engine {

struct NoiseLevel {
  double alpha = 1;
  double sigma = 0;
};
NoiseLevel LevelOf(double lambda);

// steps + 1 values from `first` (noisy, low) to `last` (clean, high).
std::vector<double> UniformLambdas(double first, double last, int steps);

class TrainedSchedule {
 public:
  // Squares of alpha by training step, decreasing, as "alphas_cumprod" in diffusers.
  explicit TrainedSchedule(const std::vector<double>& alphas_squared);
  // Stable Diffusion's: the square roots of beta are spaced evenly.
  static TrainedSchedule ScaledLinear(int train_steps, double beta_first, double beta_last);
  // Betas themselves are.
  static TrainedSchedule Linear(int train_steps, double beta_first, double beta_last);

  double LambdaOf(double time) const;
  double TimeOf(double lambda) const;
  double time_last() const { return static_cast<double>(lambdas_.size() - 1); }
  // steps + 1 values, from the noisiest trained time to the cleanest, evenly in time.
  std::vector<double> LambdasUniformInTime(int steps) const;

 private:
  std::vector<double> lambdas_;  // by time, decreasing
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_SCHEDULE_H_
