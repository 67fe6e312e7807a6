#include "engine/sampler/flow.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/check.h"

namespace ringway::engine {
namespace {

constexpr double kShiftMax = 1000, kLogShiftMax = 10;
constexpr std::int64_t kTokensMax = 1 << 24;

// Of the shift, as it is multiplied: 1 leaves the levels as they are.
double ShiftOf(const FlowConfig& config, std::int64_t tokens) {
  if (!config.dynamic) return config.shift;
  const double slope = (config.shift_last - config.shift_first) /
                       static_cast<double>(config.tokens_last - config.tokens_first);
  return std::exp(config.shift_first + slope * static_cast<double>(tokens - config.tokens_first));
}

}  // namespace

absl::StatusOr<FlowConfig> ReadFlowConfig(Config config, std::string_view class_name) {
  if (class_name != FlowConfig::kClass)
    return absl::InvalidArgumentError(absl::StrCat(
        config.what(), ": the scheduler is a \"", AbslView(class_name), "\"; allowed: ", FlowConfig::kClass));
  FlowConfig flow;
  flow.time_scale = static_cast<double>(config.Integer("num_train_timesteps", 1000, 1, 1'000'000));
  flow.shift = config.Number("shift", flow.shift);
  if (!(flow.shift > 0 && flow.shift <= kShiftMax)) config.Refuse("shift", "a number above 0, to 1000");
  flow.dynamic = config.Boolean("use_dynamic_shifting", false);
  flow.shift_first = config.Number("base_shift", flow.shift_first);
  flow.shift_last = config.Number("max_shift", flow.shift_last);
  if (!(std::abs(flow.shift_first) <= kLogShiftMax)) config.Refuse("base_shift", "a number from -10 to 10");
  if (!(std::abs(flow.shift_last) <= kLogShiftMax)) config.Refuse("max_shift", "a number from -10 to 10");
  flow.tokens_first = config.Integer("base_image_seq_len", flow.tokens_first, 1, kTokensMax);
  flow.tokens_last = config.Integer("max_image_seq_len", flow.tokens_last, 2, kTokensMax);
  if (flow.tokens_last <= flow.tokens_first)
    config.Refuse("max_image_seq_len", "more than base_image_seq_len");
  if (const Json* terminal = config.json().Find("shift_terminal");
      terminal != nullptr && !terminal->is_null()) {
    flow.terminal = config.Number("shift_terminal", 0);
    if (!(*flow.terminal >= 0 && *flow.terminal < 1))
      config.Refuse("shift_terminal", "a number from 0 to below 1");
    if (*flow.terminal == 0) flow.terminal.reset();
  }
  for (const char* key : {"invert_sigmas", "use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas"})
    if (config.Boolean(key, false)) config.Refuse(key, "false");
  if (!config.status().ok()) return config.status();
  return flow;
}

std::vector<double> FlowLevels(const FlowConfig& config, int steps, std::int64_t tokens) {
  RINGWAY_CHECK(steps > 0);
  const double shift = ShiftOf(config, tokens);
  std::vector<double> levels;
  for (int step = 0; step < steps; ++step) {
    const double even = 1 - static_cast<double>(step) / steps;
    levels.push_back(shift * even / (1 + (shift - 1) * even));
  }
  // With one step the only level is all noise, and there is nothing to stretch.
  if (config.terminal && levels.back() < 1) {
    const double by = (1 - levels.back()) / (1 - *config.terminal);
    for (double& level : levels) level = 1 - (1 - level) / by;
  }
  levels.push_back(0);
  return levels;
}

void FlowStep(double from, double to, std::span<const float> velocity, std::span<float> x) {
  RINGWAY_CHECK(velocity.size() == x.size());
  const auto by = static_cast<float>(to - from);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * velocity[i];
}

}  // namespace ringway::engine
