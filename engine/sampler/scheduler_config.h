// What a checkpoint's scheduler_config.json, or the user, says about how to sample it.
//
// Classes of diffusers that are read as they are: DPMSolverMultistepScheduler (dpmsolver++ and its stochastic
// form, orders 1 and 2), EulerDiscreteScheduler, EulerAncestralDiscreteScheduler, DDIMScheduler,
// LCMScheduler. For PNDMScheduler (Stable Diffusion 1.5's own), LMSDiscreteScheduler, UniPCMultistepScheduler
// and DEISMultistepScheduler stands in DPM-Solver++(2M): all of them solve the same deterministic equation,
// and it needs the fewest steps; `stands_in_for` then holds the name, for whoever tells people. What would
// sample other pictures than the configuration means (clipping, thresholds, a rescaled table, flow matching)
// is refused with its key. Choose replaces solver and spacing by name and keeps what was trained: the table
// of noise levels, what the network predicts, where its times lie.
//
// Two keys are Ringway's own, and other readers leave them out: "ringway_steps" and "ringway_guidance" say
// what the model is to be sampled with where the user names nothing.
#ifndef RINGWAY_ENGINE_SAMPLER_SCHEDULER_CONFIG_H_
#define RINGWAY_ENGINE_SAMPLER_SCHEDULER_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/checkpoint/model_directory.h"
#include "engine/sampler/dpm_solver.h"

namespace ringway::engine {

inline constexpr int kOwnStepsMax = 1000;
inline constexpr double kGuidanceMax = 100;

enum class Solver : std::uint8_t { kDpmSolver, kEuler, kEulerAncestral, kDdim, kLcm };
enum class TimeSpacing : std::uint8_t { kLinspace, kLeading, kTrailing };
// Levels at the spaced times, or spaced by Karras et al. (arXiv:2206.00364, eq. 5, rho = 7), or evenly in
// log-SNR.
enum class NoiseSpacing : std::uint8_t { kTrained, kKarras, kUniformLogSnr };

struct SchedulerConfig {
  Solver solver = Solver::kDpmSolver;
  NoiseSpacing noise_spacing = NoiseSpacing::kTrained;
  bool stochastic = false;                       // of DPM-Solver++
  std::optional<TimeSpacing> time_spacing = {};  // nothing: the solver's own
  int steps_offset = 0;                          // added to times of leading spacing
  Prediction prediction = Prediction::kNoise;
  int order = 2;  // of DPM-Solver++
  bool lower_order_final = true, euler_at_final = false;
  // The last level: no noise at all, or the least that was trained; DDIM has a key of its own for it.
  bool final_sigma_zero = true, final_alpha_one = true;
  int original_steps = 50;  // of the consistency model's teacher
  double time_scale = 10;   // likewise
  int own_steps = 0;        // "ringway_steps"; 0: what is usual for the family
  std::optional<double> own_guidance = {};
  TrainedSchedule trained = TrainedSchedule::ScaledLinear(1000, 0.00085, 0.012);
  std::string stands_in_for = {};

  TimeSpacing spacing() const {
    return time_spacing.value_or(solver == Solver::kDdim ? TimeSpacing::kLeading : TimeSpacing::kLinspace);
  }
};

// `class_name` as model_index.json has it.
absl::StatusOr<SchedulerConfig> ReadSchedulerConfig(Config config, std::string_view class_name);

// By a name of kSchedulerNames; InvalidArgument lists them.
absl::Status ChooseScheduler(std::string_view name, SchedulerConfig& config);
// "dpm++-karras": what ChooseScheduler would be told.
std::string SchedulerName(const SchedulerConfig& config);
// "dpm++, dpm++-karras, ...", for messages and help.
std::string SchedulerNames();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_SCHEDULER_CONFIG_H_
