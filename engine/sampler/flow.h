// Flow matching by Euler's method, as a checkpoint's FlowMatchEulerDiscreteScheduler says.
//
// A sample is (1 - s) * clean + s * noise at the level s (Lipman et al., arXiv:2210.02747); the network says
// the velocity noise - clean, and a step goes along it from one level to the next. Levels are even from 1 to
// 1 / n, then shifted towards noise: by a fixed amount, or, dynamically, by one that grows linearly with the
// number of tokens (Esser et al., arXiv:2403.03206), and, where the configuration names a terminal level,
// stretched so that the last level before 0 is that one. What would space them otherwise (Karras',
// exponential and beta levels, inverted levels) is refused by its key. A few operations a step; pure.
#ifndef RINGWAY_ENGINE_SAMPLER_FLOW_H_
#define RINGWAY_ENGINE_SAMPLER_FLOW_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/model_directory.h"

namespace ringway::engine {

struct FlowConfig {
  static constexpr char kClass[] = "FlowMatchEulerDiscreteScheduler";
  double time_scale = 1000;  // times that the network is told, for each unit of level
  double shift = 1;
  bool dynamic = false;
  // The shift's logarithm at two numbers of tokens.
  double shift_first = 0.5, shift_last = 1.15;
  std::int64_t tokens_first = 256, tokens_last = 4096;
  std::optional<double> terminal = {};
};

// `class_name` as model_index.json has it.
absl::StatusOr<FlowConfig> ReadFlowConfig(Config config, std::string_view class_name);

// steps + 1 levels, falling from noise to 0.
std::vector<double> FlowLevels(const FlowConfig& config, int steps, std::int64_t tokens);

// x goes along the velocity from one level to another.
void FlowStep(double from, double to, std::span<const float> velocity, std::span<float> x);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SAMPLER_FLOW_H_
