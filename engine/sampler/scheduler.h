// From noise to a sample as a scheduler's configuration says: the grid of levels and the solver together.
//
// For each step in order: give the network x and time(step), turn its answer into the clean sample
// (ToDenoised with level(step)), guide it, then Advance. Where WantsNoise(step) says so, Advance is given
// fresh noise. x is in the variance-preserving scale throughout (schedule.h), also for solvers that are
// usually written in another one; it is what the network reads. One buffer of the sample's size is made at
// construction; a step allocates nothing. One owner.
#ifndef RINGWAY_ENGINE_SAMPLER_SCHEDULER_H_
#define RINGWAY_ENGINE_SAMPLER_SCHEDULER_H_

#include <span>
#include <vector>

#include "engine/sampler/noise_grid.h"
#include "engine/sampler/step_weights.h"

namespace ringway::engine {

class Scheduler {
 public:
  Scheduler(const SchedulerConfig& config, NoiseGrid grid, std::size_t size);

  int steps() const { return static_cast<int>(grid_.times.size()); }
  double time(int step) const { return grid_.times[static_cast<std::size_t>(step)]; }
  NoiseLevel level(int step) const { return LevelOf(grid_.lambdas[static_cast<std::size_t>(step)]); }
  // Of the first noise; a little less than 1 for Euler's solvers where the first time is the last that was
  // trained: they leave out the picture that is left there, which nobody knows.
  double first_scale() const;
  StepWeights Weights(int step) const;
  bool WantsNoise(int step) const { return Weights(step).stir != 0; }
  void Advance(int step, std::span<const float> denoised, std::span<float> x, std::span<const float> fresh);

 private:
  SchedulerConfig config_;
  NoiseGrid grid_;
  std::vector<float> before_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_SCHEDULER_H_
