#include "engine/sampler/scheduler_config.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"

namespace ringway::engine {
namespace {

struct Named {
  const char* name;
  Solver solver;
  NoiseSpacing spacing = NoiseSpacing::kTrained;
  bool stochastic = false;
};
constexpr Named kNamed[] = {{"dpm++", Solver::kDpmSolver},
                            {"dpm++-karras", Solver::kDpmSolver, NoiseSpacing::kKarras},
                            {"dpm++-log-snr", Solver::kDpmSolver, NoiseSpacing::kUniformLogSnr},
                            {"dpm++-sde", Solver::kDpmSolver, NoiseSpacing::kTrained, true},
                            {"dpm++-sde-karras", Solver::kDpmSolver, NoiseSpacing::kKarras, true},
                            {"dpm++-sde-log-snr", Solver::kDpmSolver, NoiseSpacing::kUniformLogSnr, true},
                            {"euler", Solver::kEuler},
                            {"euler-karras", Solver::kEuler, NoiseSpacing::kKarras},
                            {"euler-log-snr", Solver::kEuler, NoiseSpacing::kUniformLogSnr},
                            {"euler-ancestral", Solver::kEulerAncestral},
                            {"ddim", Solver::kDdim},
                            {"lcm", Solver::kLcm}};

struct KnownClass {
  const char* name;
  Solver solver;
  bool stands_in = false;
};
constexpr KnownClass kClasses[] = {{"DPMSolverMultistepScheduler", Solver::kDpmSolver},
                                   {"EulerDiscreteScheduler", Solver::kEuler},
                                   {"EulerAncestralDiscreteScheduler", Solver::kEulerAncestral},
                                   {"DDIMScheduler", Solver::kDdim},
                                   {"LCMScheduler", Solver::kLcm},
                                   {"PNDMScheduler", Solver::kDpmSolver, true},
                                   {"LMSDiscreteScheduler", Solver::kDpmSolver, true},
                                   {"UniPCMultistepScheduler", Solver::kDpmSolver, true},
                                   {"DEISMultistepScheduler", Solver::kDpmSolver, true}};

constexpr int kTrainStepsMax = 100'000;
constexpr double kLeastSignal = 1e-12;  // squared: below it, a prediction of noise says nothing in floats

// The squares of alpha after each trained step; empty where the configuration is refused.
std::vector<double> AlphasSquared(Config& config) {
  const auto count = static_cast<int>(config.Integer("num_train_timesteps", 1000, 2, kTrainStepsMax));
  const std::string kind = config.Text("beta_schedule", "linear");
  const double first = config.Number("beta_start", 0.0001), last = config.Number("beta_end", 0.02);
  if (kind != "linear" && kind != "scaled_linear" && kind != "squaredcos_cap_v2")
    config.Refuse("beta_schedule", "linear, scaled_linear or squaredcos_cap_v2");
  if (!(first > 0 && first <= last && last < 1)) config.Refuse("beta_end", "beta_start to 1, both above 0");
  if (!config.status().ok()) return {};
  // Nichol and Dhariwal (arXiv:2102.09672, eq. 17), no beta above 0.999
  const auto cosine = [&](double t) {
    const double c = std::cos((t / count + 0.008) / 1.008 * std::numbers::pi / 2);
    return c * c;
  };
  std::vector<double> squares;
  double product = 1;
  for (int i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / (count - 1);
    double beta = first + (last - first) * share;
    if (kind == "scaled_linear")
      beta = std::pow(std::sqrt(first) + (std::sqrt(last) - std::sqrt(first)) * share, 2);
    if (kind == "squaredcos_cap_v2") beta = std::min(0.999, 1 - cosine(i + 1) / cosine(i));
    product *= 1 - beta;
    if (product < kLeastSignal || product >= 1) {
      config.Refuse("beta_end", "a schedule that leaves some signal at its last step");
      return {};
    }
    squares.push_back(product);
  }
  return squares;
}

// What would sample something else than the configuration means.
void RefuseWhatIsNotDone(Config& config) {
  for (const char* key :
       {"clip_sample", "thresholding", "rescale_betas_zero_snr", "use_beta_sigmas", "use_flow_sigmas"})
    if (config.Boolean(key, false)) config.Refuse(key, "false");
  if (const Json* betas = config.json().Find("trained_betas"); betas != nullptr && !betas->is_null())
    config.Refuse("trained_betas", "null");
  if (config.Text("interpolation_type", "linear") != "linear") config.Refuse("interpolation_type", "linear");
  if (config.Text("timestep_type", "discrete") != "discrete") config.Refuse("timestep_type", "discrete");
}

template <typename T, std::size_t n>
T OneOf(Config& config, const char* key, const std::pair<const char*, T> (&names)[n], T fallback) {
  const std::string found = config.Text(key, "");
  if (found.empty()) return fallback;
  std::string allowed;
  for (const auto& [name, value] : names) {
    if (found == name) return value;
    absl::StrAppend(&allowed, allowed.empty() ? "" : ", ", name);
  }
  config.Refuse(key, allowed);
  return fallback;
}

void ReadSolverSettings(Config& config, SchedulerConfig& to) {
  constexpr std::pair<const char*, Prediction> kPredictions[] = {{"epsilon", Prediction::kNoise},
                                                                 {"v_prediction", Prediction::kVelocity},
                                                                 {"sample", Prediction::kSample}};
  to.prediction = OneOf(config, "prediction_type", kPredictions, Prediction::kNoise);
  constexpr std::pair<const char*, std::optional<TimeSpacing>> kSpacings[] = {
      {"linspace", TimeSpacing::kLinspace},
      {"leading", TimeSpacing::kLeading},
      {"trailing", TimeSpacing::kTrailing}};
  to.time_spacing = OneOf<std::optional<TimeSpacing>>(config, "timestep_spacing", kSpacings, std::nullopt);
  constexpr std::pair<const char*, bool> kAlgorithms[] = {{"dpmsolver++", false}, {"sde-dpmsolver++", true}};
  // What the solver that is replaced had of these keys means nothing to the one that stands in.
  if (to.solver == Solver::kDpmSolver && to.stands_in_for.empty()) {
    to.stochastic = OneOf(config, "algorithm_type", kAlgorithms, false);
    to.order = static_cast<int>(config.Integer("solver_order", 2, 1, 2));
    if (config.Text("solver_type", "midpoint") != "midpoint") config.Refuse("solver_type", "midpoint");
  }
  constexpr std::pair<const char*, bool> kFinals[] = {{"zero", true}, {"sigma_min", false}};
  to.final_sigma_zero = OneOf(config, "final_sigmas_type", kFinals, true);
  if (config.Boolean("use_karras_sigmas", false)) to.noise_spacing = NoiseSpacing::kKarras;
  for (const char* key : {"use_lu_lambdas", "use_exponential_sigmas"})
    if (config.Boolean(key, false)) to.noise_spacing = NoiseSpacing::kUniformLogSnr;
  to.steps_offset = static_cast<int>(config.Integer("steps_offset", 0, 0, kTrainStepsMax));
  to.lower_order_final = config.Boolean("lower_order_final", true);
  to.euler_at_final = config.Boolean("euler_at_final", false);
  to.final_alpha_one = config.Boolean("set_alpha_to_one", true);
  to.original_steps = static_cast<int>(config.Integer("original_inference_steps", 50, 1, kTrainStepsMax));
  to.time_scale = config.Number("timestep_scaling", 10);
  if (!(to.time_scale > 0 && to.time_scale < 1e6)) config.Refuse("timestep_scaling", "a number above 0");
}

void ReadOwnDefaults(Config& config, SchedulerConfig& to) {
  constexpr char kSteps[] = "ringway_steps", kGuidance[] = "ringway_guidance";
  const auto said = [&](const char* key) {
    const Json* found = config.json().Find(key);
    return found != nullptr && !found->is_null();
  };
  if (said(kSteps)) to.own_steps = static_cast<int>(config.Integer(kSteps, 1, 1, kOwnStepsMax));
  if (!said(kGuidance)) return;
  to.own_guidance = config.Number(kGuidance, 1);
  if (!(*to.own_guidance >= 0 && *to.own_guidance <= kGuidanceMax))
    config.Refuse(kGuidance, absl::StrCat("a number from 0 to ", kGuidanceMax));
}

}  // namespace

absl::StatusOr<SchedulerConfig> ReadSchedulerConfig(Config config, std::string_view class_name) {
  const auto* known = std::find_if(std::begin(kClasses), std::end(kClasses),
                                   [&](const auto& c) { return c.name == class_name; });
  if (known == std::end(kClasses)) {
    std::string allowed;
    for (const KnownClass& c : kClasses) absl::StrAppend(&allowed, allowed.empty() ? "" : ", ", c.name);
    return absl::InvalidArgumentError(absl::StrCat(config.what(), ": the scheduler is a \"",
                                                   AbslView(class_name), "\"; allowed: ", allowed));
  }
  SchedulerConfig scheduler;
  scheduler.solver = known->solver;
  if (known->stands_in) scheduler.stands_in_for = known->name;
  RefuseWhatIsNotDone(config);
  ReadSolverSettings(config, scheduler);
  ReadOwnDefaults(config, scheduler);
  const std::vector<double> squares = AlphasSquared(config);
  if (!config.status().ok()) return config.status();
  scheduler.trained = TrainedSchedule(squares);
  if (scheduler.steps_offset > scheduler.trained.time_last())
    config.Refuse("steps_offset", "less than num_train_timesteps");
  if (!config.status().ok()) return config.status();
  return scheduler;
}

absl::Status ChooseScheduler(std::string_view name, SchedulerConfig& config) {
  for (const Named& named : kNamed)
    if (named.name == name) {
      config.solver = named.solver;
      config.noise_spacing = named.spacing;
      config.stochastic = named.stochastic;
      config.stands_in_for.clear();
      return absl::OkStatus();
    }
  return absl::InvalidArgumentError(
      absl::StrCat("the scheduler is \"", AbslView(name.substr(0, 100)), "\"; allowed: ", SchedulerNames()));
}

std::string SchedulerName(const SchedulerConfig& config) {
  // Ancestral steps, DDIM and LCM know one spacing only.
  const bool spaced = config.solver == Solver::kDpmSolver || config.solver == Solver::kEuler;
  for (const Named& named : kNamed)
    if (named.solver == config.solver &&
        (!spaced || (named.spacing == config.noise_spacing && named.stochastic == config.stochastic)))
      return named.name;
  return "";
}

std::string SchedulerNames() {
  std::string names;
  for (const Named& named : kNamed) absl::StrAppend(&names, names.empty() ? "" : ", ", named.name);
  return names;
}

}  // namespace ringway::engine
