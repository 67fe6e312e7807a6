#include "engine/networks/motion_modules.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kPositionsMax = 1024, kModuleBlocksMax = 32;
constexpr double kLongestPeriod = 10'000;

// Sines and cosines in turn, the period growing with the channel (Vaswani et al., arXiv:1706.03762, 3.5).
Tensor Sinusoids(std::int64_t frames, std::int64_t channels) {
  Tensor table(DType::kF32, {frames, channels});
  auto to = table.As<float>().begin();
  for (std::int64_t frame = 0; frame < frames; ++frame)
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto pair = static_cast<double>(c / 2 * 2) / static_cast<double>(channels);
      const double angle = static_cast<double>(frame) * std::exp(-std::log(kLongestPeriod) * pair);
      *to++ = static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

// What is added to the frames of a clip, [1, frames, 1, c]; fixed, so computed when weights are packed.
ValueId FramePositions(const Scope& scope, std::int64_t frames, std::int64_t positions,
                       std::int64_t channels) {
  Graph& g = scope.graph();
  ValueId rows = kAbsent;
  if (scope.Has("pe")) {
    Tensor numbers(DType::kI32, {frames});
    for (std::int64_t f = 0; f < frames; ++f)
      numbers.As<std::int32_t>()[static_cast<std::size_t>(f)] = static_cast<std::int32_t>(f);
    const ValueId table = scope.Table("pe", positions, channels);
    if (table == kAbsent) return kAbsent;
    rows = g.Add(LookupOp{}, {table, g.Constant(std::move(numbers), scope.prefix())}, scope.prefix());
  } else {
    rows = g.Constant(Sinusoids(frames, channels), scope.prefix());
  }
  if (rows == kAbsent) return kAbsent;
  return g.Add(ReshapeOp{{1, frames, 1, channels}}, {rows}, scope.prefix());
}

// x is [clips, frames, pixels, c].
ValueId MotionBlock(const Scope& scope, ValueId x, const ClipShape& clip, const MotionModuleSize& size) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const ValueId positions =
      FramePositions(scope / "pos_embed", clip.frames, size.positions, g.shape(x).dim(-1));
  const auto attended = [&](const char* norm, const char* attention, ValueId from) {
    const ValueId n =
        g.Add(AddOp{}, {LayerNormLayer(scope / norm, from), positions}, (scope / norm).prefix());
    const ValueId seen = AttentionLayer(scope / attention, n, n, {static_cast<int>(size.heads)});
    return g.Add(AddOp{}, {seen, from}, scope.prefix());
  };
  x = attended("norm1", "attn1", x);
  x = attended("norm2", "attn2", x);
  return g.Add(AddOp{}, {FeedForwardLayer(scope / "ff", LayerNormLayer(scope / "norm3", x)), x});
}

std::string MotionWidths(const std::vector<std::int64_t>& channels, std::int64_t layers) {
  return absl::StrCat("widths ", absl::StrJoin(channels, ", "), " of ", layers, " layers");
}

}  // namespace

absl::StatusOr<MotionAdapterConfig> ReadMotionAdapterConfig(Config config) {
  MotionAdapterConfig motion;
  motion.channels = config.Integers("block_out_channels", motion.channels, 0, 1, 8192);
  const std::size_t n = motion.channels.size();
  if (n == 0 || n > 8) config.Refuse("block_out_channels", "1 to 8 widths");
  const std::vector<std::int64_t> layers =
      config.Integers("motion_layers_per_block", std::vector<std::int64_t>(n, 2), n, 1, 8);
  motion.heads = config.Integers("motion_num_attention_heads", std::vector<std::int64_t>(n, 8), n, 1, 1024);
  motion.blocks = config.Integers("motion_transformer_layers_per_block", std::vector<std::int64_t>(n, 1), n,
                                  1, kModuleBlocksMax);
  motion.middle = config.Boolean("use_motion_mid_block", true);
  motion.middle_blocks = config.Integer("motion_transformer_layers_per_mid_block", 1, 1, kModuleBlocksMax);
  if (config.Integer("motion_mid_block_layers_per_block", 1, 0, 8) != 1)
    config.Refuse("motion_mid_block_layers_per_block", "1: the middle of a UNet has one layer");
  motion.groups = config.Integer("motion_norm_num_groups", 32, 1, 8192);
  motion.positions = config.Integer("motion_max_seq_length", 32, 1, kPositionsMax);
  if (config.Integer("conv_in_channels", 0, 0, 8192) != 0)
    config.Refuse("conv_in_channels", "null: an adapter with an input layer of its own is another family");
  if (!config.status().ok()) return config.status();
  motion.layers = layers[0];
  for (std::size_t i = 0; i < n; ++i) {
    if (layers[i] != motion.layers) config.Refuse("motion_layers_per_block", "the same for every block");
    if (motion.channels[i] % motion.heads[i] != 0)
      config.Refuse("motion_num_attention_heads", "divisors of the channels");
    if (motion.channels[i] % motion.groups != 0)
      config.Refuse("motion_norm_num_groups", "a divisor of the channels");
  }
  if (!config.status().ok()) return config.status();
  return motion;
}

absl::Status CheckMotionFits(const MotionAdapterConfig& config, const UNetLayout& unet,
                             const std::string& file) {
  if (config.channels == unet.channels && config.layers == unet.layers) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file, ": \"block_out_channels\" and \"motion_layers_per_block\" are of a motion adapter for ",
      MotionWidths(config.channels, config.layers), ", but the model's UNet has ",
      MotionWidths(unet.channels, unet.layers), ": they are of different models"));
}

bool IsMotionTensor(std::string_view name) { return name.find(".motion_modules.") != std::string_view::npos; }

ValueId MotionModule(const Scope& scope, ValueId x, const ClipShape& clip, const MotionModuleSize& size) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const Shape shape = g.shape(x);
  const std::int64_t channels = shape.dim(3), pixels = shape.dim(1) * shape.dim(2);
  ValueId h = g.Add(ReshapeOp{{clip.clips, clip.frames, pixels, channels}}, {x});
  h = GroupNormLayer(scope / "norm", h, 1e-6f, static_cast<int>(size.groups));
  h = LinearLayer(scope / "proj_in", h, channels);
  for (std::int64_t i = 0; i < size.blocks; ++i)
    h = MotionBlock(scope / "transformer_blocks" / i, h, clip, size);
  h = LinearLayer(scope / "proj_out", h, channels);
  if (h == kAbsent) return kAbsent;
  return g.Add(AddOp{}, {g.Add(ReshapeOp{shape}, {h}), x}, scope.prefix());
}

MotionModuleSize MotionModuleSizeOf(const MotionAdapterConfig& config, std::size_t level, bool middle) {
  return {config.heads[level], middle ? config.middle_blocks : config.blocks[level], config.groups,
          config.positions};
}

Graph BuildMotionModules(const MotionAdapterConfig& config, WeightSource& weights) {
  Graph g;
  const Scope root(g, weights);
  const auto add = [&](const Scope& block, std::int64_t count, std::size_t level, bool middle) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Scope scope = block / "motion_modules" / i;
      const ValueId x = g.Input(scope.prefix(), {1, 1, 1, config.channels[level]});
      g.Output(scope.prefix(), MotionModule(scope, x, {1, 1}, MotionModuleSizeOf(config, level, middle)));
    }
  };
  const std::size_t n = config.channels.size();
  for (std::size_t i = 0; i < n; ++i) {
    add(root / "down_blocks" / static_cast<std::int64_t>(i), config.layers, i, false);
    add(root / "up_blocks" / static_cast<std::int64_t>(i), config.layers + 1, n - 1 - i, false);
  }
  if (config.middle) add(root / "mid_block", 1, n - 1, true);
  return g;
}

}  // namespace ringway::engine
