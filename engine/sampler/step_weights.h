// One step of any solver, as the weights of what it adds up.
//
// Every solver here is linear in what it knows: x <- keep x + now D + earlier D_before + stir z, with D the
// clean sample that the network sees in x and z fresh noise. They differ in four numbers a step, which depend
// on the levels alone and are made here, in the variance-preserving scale (schedule.h):
//
//   Euler     x' = alpha' D + sigma' (x - alpha D) / sigma: the step of DDIM (Song et al., arXiv:2010.02502,
//             eta = 0), and in the scale where x is divided by alpha that of Euler's method on the
//             probability flow (Karras et al., arXiv:2206.00364, algorithm 1 without churn)
//   ancestral as Euler to a lower level, then up again with fresh noise (k-diffusion's; DDPM's variance)
//   DPM       DPM-Solver++(2M) and its stochastic form, dpm_solver.h
//   LCM       a consistency model's answer, noised again (Luo et al., arXiv:2310.04378)
//
// A last level without noise (lambda infinite) is allowed: then x becomes D, and nothing is stirred in. Pure.
#ifndef RINGWAY_ENGINE_SAMPLER_STEP_WEIGHTS_H_
#define RINGWAY_ENGINE_SAMPLER_STEP_WEIGHTS_H_

#include <span>

#include "engine/sampler/schedule.h"

namespace ringway::engine {

// With fewer steps, DPM-Solver's last one is of first order.
inline constexpr int kFewSteps = 15;

struct StepWeights {
  double keep = 0, now = 0, earlier = 0, stir = 0;
};

StepWeights EulerWeights(const NoiseLevel& from, const NoiseLevel& to);
StepWeights AncestralWeights(const NoiseLevel& from, const NoiseLevel& to);
// From lambda to next; `before` is how far lambda rose in the step before, or nothing for the first order.
StepWeights DpmWeights(double lambda, double next, double before, bool stochastic);
// `time` is the trained time times the model's own scale, 10.
StepWeights ConsistencyWeights(double scaled_time, const NoiseLevel& to);

// Applies them; `before` is replaced by `denoised`. Sizes are equal; `fresh` may be empty when stir is 0.
void TakeStep(const StepWeights& weights, std::span<const float> denoised, std::span<float> before,
              std::span<float> x, std::span<const float> fresh);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_STEP_WEIGHTS_H_
