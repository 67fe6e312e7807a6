#include "engine/sampler/scheduler.h"

#include "core/check.h"

namespace ringway::engine {

Scheduler::Scheduler(const SchedulerConfig& config, NoiseGrid grid, std::size_t size)
    : config_(config), grid_(std::move(grid)), before_(size) {
  RINGWAY_CHECK(!grid_.times.empty() && grid_.lambdas.size() == grid_.times.size() + 1);
}

double Scheduler::first_scale() const {
  const bool euler = config_.solver == Solver::kEuler || config_.solver == Solver::kEulerAncestral;
  return euler && config_.spacing() != TimeSpacing::kLeading ? level(0).sigma : 1;
}

StepWeights Scheduler::Weights(int step) const {
  const auto lambda = [&](int i) { return grid_.lambdas[static_cast<std::size_t>(i)]; };
  const NoiseLevel from = level(step), to = level(step + 1);
  switch (config_.solver) {
    case Solver::kEuler:
    case Solver::kDdim:
      return EulerWeights(from, to);
    case Solver::kEulerAncestral:
      return AncestralWeights(from, to);
    case Solver::kLcm:
      return ConsistencyWeights(config_.time_scale * time(step), to);
    case Solver::kDpmSolver:
      break;
  }
  const bool last = step + 1 == steps();
  const bool careful_last = config_.final_sigma_zero || config_.euler_at_final ||
                            (config_.lower_order_final && steps() < kFewSteps);
  const bool first_order = step == 0 || config_.order == 1 || (last && careful_last);
  const double before = first_order ? 0 : lambda(step) - lambda(step - 1);
  return DpmWeights(lambda(step), lambda(step + 1), before, config_.stochastic);
}

void Scheduler::Advance(int step, std::span<const float> denoised, std::span<float> x,
                        std::span<const float> fresh) {
  RINGWAY_CHECK(step >= 0 && step < steps());
  TakeStep(Weights(step), denoised, before_, x, fresh);
}

}  // namespace ringway::engine
