// DPM-Solver++(2M): from noise to a sample in few evaluations of the network.
//
// Lu et al., "DPM-Solver++" (arXiv:2211.01095), algorithm 2: the multistep second-order solver in data
// prediction. With h = lambda[i+1] - lambda[i], r = h_before / h and D the clean sample that the network sees
// in x,
//   x <- sigma' / sigma * x - alpha' (exp(-h) - 1) ((1 + 1/2r) D - 1/2r D_before).
// The first step is of first order, and so is the last of fewer than 15 steps, where the second order has
// little history and overshoots; unless the network looks once more at where the last step ends, which
// corrects that (LastStep::kLookedAt). Global error O(h^2).
//
// Given fresh noise z for every step it solves the stochastic equation of the same marginals instead
// (SDE-DPM-Solver++(2M), the same paper's appendix): with exp(-2h) in the place of exp(-h) for D and
//   x <- sigma' / sigma exp(-h) * x + (what D adds) + sigma' sqrt(1 - exp(-2h)) z.
// What an imperfect network got wrong at one level is forgotten at the next, where the deterministic path
// would carry it to the end (Karras et al., arXiv:2206.00364, section 4).
//
// The solver owns one buffer of the sample's size, made at construction; a step allocates nothing. The
// network may predict noise, velocity or the sample itself; ToDenoised turns each into D.
#ifndef RINGWAY_ENGINE_SAMPLER_DPM_SOLVER_H_
#define RINGWAY_ENGINE_SAMPLER_DPM_SOLVER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampler/schedule.h"

namespace ringway::engine {

enum class Prediction : std::uint8_t { kNoise, kVelocity, kSample };

// In place: what the network gave for x becomes the clean sample. Noise: (x - sigma e) / alpha; velocity
// (Salimans and Ho, arXiv:2202.00512): alpha x - sigma v.
void ToDenoised(Prediction prediction, const NoiseLevel& level, std::span<const float> x,
                std::span<float> output);

// Guidance by picture and by text, each with its own strength, over three predictions (InstructPix2Pix,
// Brooks et al., arXiv:2211.09800): none + image_scale (image - none) + text_scale (both - image), left in
// `both`.
struct GuidanceScales {
  float image = 1.0f;
  float text = 1.0f;
};
void Guide(const GuidanceScales& scales, std::span<const float> none, std::span<const float> image,
           std::span<float> both);

// Standard normal numbers: the same for the same seed and draw on every machine.
void FillWithNoise(std::uint64_t seed, std::span<float> x, std::uint64_t draw = 0);

enum class LastStep : std::uint8_t { kIsTheAnswer, kLookedAt };

class DpmSolver {
 public:
  // `lambdas` rise, one more than there are steps; `size` is that of the sample.
  DpmSolver(std::vector<double> lambdas, std::size_t size, LastStep last = LastStep::kIsTheAnswer);

  int steps() const { return static_cast<int>(lambdas_.size()) - 1; }
  double lambda(int step) const { return lambdas_[static_cast<std::size_t>(step)]; }
  NoiseLevel level(int step) const { return LevelOf(lambda(step)); }
  // Takes x from the level of `step` to that of step + 1. Steps must come in order, from 0. With `fresh`,
  // standard normal numbers as many as x has, the step is that of the stochastic equation.
  void Advance(int step, std::span<const float> denoised, std::span<float> x,
               std::span<const float> fresh = {});

 private:
  std::vector<double> lambdas_;
  bool first_order_last_;
  std::vector<float> before_;  // the denoised sample of the step before
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_DPM_SOLVER_H_
