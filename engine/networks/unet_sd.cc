#include "engine/networks/unet_sd.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

class SdBlocks : public UNetBlocks {
 public:
  SdBlocks(const SdUNetConfig& config, ValueId activated_time, ValueId context)
      : linear_projection_(config.linear_projection),
        norm_groups_(config.layout.norm_groups),
        time_(activated_time),
        context_(context) {}

  ValueId Resnet(const Scope& scope, ValueId x, std::int64_t out, Part, bool) const override {
    return ResnetBlock(scope, x, time_, out, 1e-5f, norm_groups_);
  }

  ValueId Transformer(const Scope& scope, ValueId x, int layers, int heads) const override {
    Graph& g = scope.graph();
    if (x == kAbsent) return kAbsent;
    const Shape shape = g.shape(x);
    const ValueId normed = GroupNormLayer(scope / "norm", x, 1e-6f, norm_groups_);
    ValueId tokens = Project(scope / "proj_in", normed, shape.dim(3));
    tokens = ToTokens(g, tokens);
    for (int i = 0; i < layers; ++i)
      tokens = TransformerBlock(scope / "transformer_blocks" / i, tokens, context_, heads);
    const ValueId out =
        Project(scope / "proj_out", ToPictures(g, tokens, shape.dim(1), shape.dim(2)), shape.dim(3));
    return g.Add(AddOp{}, {out, x}, scope.prefix());
  }

 private:
  ValueId Project(const Scope& scope, ValueId x, std::int64_t channels) const {
    return linear_projection_ ? LinearLayer(scope, x, channels) : ConvLayer(scope, x, channels, 1);
  }
  bool linear_projection_;
  int norm_groups_;
  ValueId time_;
  ValueId context_;
};

// With a motion module behind every layer.
class MotionBlocks final : public SdBlocks {
 public:
  MotionBlocks(const SdBlocks& pictures, const MotionAdapterConfig& motion, const ClipShape& clip)
      : SdBlocks(pictures), motion_(motion), clip_(clip) {}

  ValueId Motion(const Scope& block, std::int64_t layer, ValueId x, Part part,
                 std::size_t level) const override {
    const bool middle = part == Part::kMiddle;
    if (middle && !motion_.middle) return x;
    return MotionModule(block / "motion_modules" / layer, x, clip_,
                        MotionModuleSizeOf(motion_, level, middle));
  }

 private:
  const MotionAdapterConfig& motion_;
  ClipShape clip_;
};

// Settings under which the weights mean something else. All of them have a value that changes nothing.
void RefuseOtherFamilies(Config& config) {
  for (const char* key : {"class_embed_type", "encoder_hid_dim_type"})
    if (!config.Text(key, "").empty())
      config.Refuse(key, "null: this is a UNet of another family than Stable Diffusion 1.x, 2.x and XL");
  for (const char* key : {"dual_cross_attention", "only_cross_attention", "center_input_sample"})
    if (config.Boolean(key, false)) config.Refuse(key, "false");
  if (config.Integer("num_class_embeds", 0, 0, 1'000'000) != 0) config.Refuse("num_class_embeds", "null");
  if (!config.Boolean("flip_sin_to_cos", true)) config.Refuse("flip_sin_to_cos", "true");
  if (config.Number("freq_shift", 0) != 0) config.Refuse("freq_shift", "0");
  const std::pair<const char*, const char*> texts[] = {{"act_fn", "silu"},
                                                       {"resnet_time_scale_shift", "default"},
                                                       {"time_embedding_type", "positional"},
                                                       {"mid_block_type", "UNetMidBlock2DCrossAttn"}};
  for (const auto& [key, only] : texts)
    if (config.Text(key, only) != only) config.Refuse(key, only);
}

constexpr std::size_t kConditionLevels = 4;  // of a picture to latents of an eighth of its size
constexpr std::int64_t kSizes = 6;  // height and width as it was, top and left of the crop, and as it is

void ReadAddedConditioning(Config& config, SdUNetConfig& sd) {
  const std::string kind = config.Text("addition_embed_type", "");
  if (kind.empty()) return;
  if (kind != "text_time")
    return config.Refuse("addition_embed_type", "null or text_time: this is a UNet of another family");
  sd.size_channels = config.Integer("addition_time_embed_dim", 256, 2, 8192);
  const std::int64_t all = config.Integer("projection_class_embeddings_input_dim", 2816, 2, 65536);
  sd.summary_channels = all - kSizes * sd.size_channels;
  if (sd.summary_channels < 1)
    config.Refuse("projection_class_embeddings_input_dim",
                  "more than six times addition_time_embed_dim (a refiner is another family)");
}

}  // namespace

absl::StatusOr<SdUNetConfig> ReadSdUNetConfig(Config config) {
  RefuseOtherFamilies(config);
  SdUNetConfig sd;
  // In this family "attention_head_dim" has always meant the number of heads.
  sd.layout = ReadUNetLayout(config, "attention_head_dim", "CrossAttnDownBlock2D", "DownBlock2D",
                             "CrossAttnUpBlock2D", "UpBlock2D");
  sd.linear_projection = config.Boolean("use_linear_projection", false);
  sd.guidance_channels = config.Integer("time_cond_proj_dim", 0, 0, 8192);
  ReadAddedConditioning(config, sd);
  if (sd.guidance_channels % 2 != 0) config.Refuse("time_cond_proj_dim", "an even number");
  if (!config.status().ok()) return config.status();
  return sd;
}

absl::StatusOr<ControlNetConfig> ReadControlNetConfig(Config config) {
  RefuseOtherFamilies(config);
  ControlNetConfig control;
  control.unet.layout =
      ReadUNetLayout(config, "attention_head_dim", "CrossAttnDownBlock2D", "DownBlock2D", "", "");
  control.unet.linear_projection = config.Boolean("use_linear_projection", false);
  ReadAddedConditioning(config, control.unet);
  control.picture_channels = config.Integer("conditioning_channels", 3, 1, 64);
  if (control.picture_channels != 3) config.Refuse("conditioning_channels", "3");
  control.condition_channels =
      config.Integers("conditioning_embedding_out_channels", control.condition_channels, 0, 1, 8192);
  if (control.condition_channels.size() != kConditionLevels)
    config.Refuse("conditioning_embedding_out_channels", "4 numbers");
  if (config.Boolean("global_pool_conditions", false)) config.Refuse("global_pool_conditions", "false");
  if (config.Text("controlnet_conditioning_channel_order", "rgb") != "rgb")
    config.Refuse("controlnet_conditioning_channel_order", "rgb");
  if (!config.status().ok()) return config.status();
  return control;
}

void GuidanceEmbedding(double guidance, std::span<float> out) {
  const std::size_t half = out.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const double share = half > 1 ? static_cast<double>(i) / static_cast<double>(half - 1) : 0;
    const double angle = 1000 * (guidance - 1) * std::exp(-std::log(10000.0) * share);
    out[i] = static_cast<float>(std::sin(angle));
    out[half + i] = static_cast<float>(std::cos(angle));
  }
}

namespace {

struct SdInputs {
  ValueId sample = kAbsent, context = kAbsent, activated_time = kAbsent;
};

// What the network is told, down to the time embedding that its resnets read. `frames`: of each clip.
SdInputs AddInputs(const Scope& root, const SdUNetConfig& config, const PictureSize& size,
                   std::int64_t tokens, std::int64_t frames = 1) {
  Graph& g = root.graph();
  SdInputs inputs;
  const std::int64_t base = config.layout.channels[0];
  inputs.sample =
      g.Input("sample", {size.count * frames, size.height, size.width, config.layout.in_channels});
  const ValueId time = g.Input("time", {1});
  inputs.context = g.Input("context", {size.count, tokens, 1, config.layout.context_channels});
  ValueId sinusoid = g.Add(TimeEmbeddingOp{base}, {time});
  if (config.guidance_channels > 0) {
    const ValueId guidance = g.Input("guidance", {1, config.guidance_channels});
    const ValueId told = LinearLayer(root / "time_embedding" / "cond_proj", guidance, base, /*bias=*/false);
    sinusoid = g.Add(AddOp{}, {sinusoid, told});
  }
  ValueId embedding = TimeEmbeddingLayer(root / "time_embedding", sinusoid, 4 * base, 4 * base);
  if (config.xl()) {
    const ValueId summary = g.Input("summary", {size.count, config.summary_channels});
    const ValueId sizes = g.Input("sizes", {kSizes * size.count});
    const ValueId waves = g.Add(ReshapeOp{{size.count, kSizes * config.size_channels}},
                                {g.Add(TimeEmbeddingOp{config.size_channels}, {sizes})});
    const ValueId told = g.Add(ConcatOp{-1}, {summary, waves}, "add_embedding");
    embedding =
        g.Add(AddOp{}, {TimeEmbeddingLayer(root / "add_embedding", told, 4 * base, 4 * base), embedding});
  }
  inputs.activated_time = Silu(g, embedding);
  return inputs;
}

}  // namespace

Graph BuildSdUNet(const SdUNetConfig& config, WeightSource& weights, const PictureSize& size,
                  std::int64_t tokens, bool controlled) {
  Graph g;
  const Scope root(g, weights);
  const SdInputs inputs = AddInputs(root, config, size, tokens);
  const SdBlocks blocks(config, inputs.activated_time, inputs.context);
  g.Output("prediction", AddUNet(root, config.layout, blocks, inputs.sample, controlled));
  return g;
}

Graph BuildMotionUNet(const SdUNetConfig& config, const MotionAdapterConfig& motion, WeightSource& weights,
                      const PictureSize& size, std::int64_t frames, std::int64_t tokens) {
  Graph g;
  if (config.xl() || frames < 1 || frames > motion.positions) {
    g.Fail(absl::InvalidArgumentError(
        absl::StrCat("a film of ", frames, " frames by a motion adapter of ", motion.positions,
                     " positions (\"motion_max_seq_length\")", config.xl() ? " and a UNet of XL" : "",
                     "; allowed are Stable Diffusion 1.x and 2.x and 1 to as many frames as positions")));
    return g;
  }
  const Scope root(g, weights);
  const SdInputs inputs = AddInputs(root, config, size, tokens, frames);
  // Every frame reads its clip's context.
  const ValueId context = g.Add(ExpandOp{0, frames}, {inputs.context}, "context");
  const SdBlocks pictures(config, inputs.activated_time, context);
  const MotionBlocks blocks(pictures, motion, {size.count, frames});
  g.Output("prediction", AddUNet(root, config.layout, blocks, inputs.sample));
  return g;
}

Graph BuildControlCondition(const ControlNetConfig& config, WeightSource& weights, std::int64_t height,
                            std::int64_t width) {
  Graph g;
  const Scope scope = Scope(g, weights) / "controlnet_cond_embedding";
  const std::vector<std::int64_t>& channels = config.condition_channels;
  const std::int64_t times = std::int64_t{1} << (channels.size() - 1);
  ValueId x = g.Input("picture", {1, height * times, width * times, config.picture_channels});
  x = Silu(g, ConvLayer(scope / "conv_in", x, channels[0]));
  for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
    const auto at = static_cast<std::int64_t>(2 * i);
    x = Silu(g, ConvLayer(scope / "blocks" / at, x, channels[i]));
    x = Silu(g, ConvLayer(scope / "blocks" / (at + 1), x, channels[i + 1], 3, 2));
  }
  g.Output("condition", ConvLayer(scope / "conv_out", x, config.unet.layout.channels[0]));
  return g;
}

Graph BuildControlNet(const ControlNetConfig& config, WeightSource& weights, const PictureSize& size,
                      std::int64_t tokens) {
  Graph g;
  const Scope root(g, weights);
  const UNetLayout& layout = config.unet.layout;
  const SdInputs inputs = AddInputs(root, config.unet, size, tokens);
  const ValueId condition = g.Input("condition", {size.count, size.height, size.width, layout.channels[0]});
  const ValueId x = ConvLayer(root / "conv_in", inputs.sample, layout.channels[0]);
  const SdBlocks blocks(config.unet, inputs.activated_time, inputs.context);
  const UNetHalf half = AddUNetHalf(root, layout, blocks, g.Add(AddOp{}, {x, condition}, "condition"));
  const auto said = [&](const Scope& scope, ValueId of, std::size_t i) {
    if (of != kAbsent) g.Output(ControlInput(i), ConvLayer(scope, of, g.shape(of).dim(3), 1));
  };
  for (std::size_t i = 0; i < half.skips.size(); ++i)
    said(root / "controlnet_down_blocks" / static_cast<std::int64_t>(i), half.skips[i], i);
  said(root / "controlnet_mid_block", half.middle, half.skips.size());
  return g;
}

}  // namespace ringway::engine
