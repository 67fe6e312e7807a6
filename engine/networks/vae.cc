#include "engine/networks/vae.h"

namespace ringway::engine {
namespace {

constexpr float kEpsilon = 1e-6f;
constexpr float kTemporalEpsilon = 1e-5f;

// Halves the size; the reference pads at the right and the bottom only.
ValueId Halved(const Scope& scope, ValueId x) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const std::int64_t channels = g.shape(x).dim(3);
  const ValueId weight = scope.ConvWeight(channels, channels, 3, 3);
  return g.Add(ConvOp{.stride = 2, .padding = {0, 0, 1, 1}}, {x, weight, scope.Weight("bias", {channels})},
               scope.prefix());
}

ValueId Middle(const VaeConfig& config, const Scope& middle, ValueId x) {
  const std::int64_t channels = config.channels.back();
  const int groups = config.norm_groups;
  x = ResnetBlock(middle / "resnets" / 0, x, kAbsent, channels, kEpsilon, groups);
  x = PixelAttention(middle / "attentions" / 0, x, kEpsilon, groups);
  return ResnetBlock(middle / "resnets" / 1, x, kAbsent, channels, kEpsilon, groups);
}

}  // namespace

absl::StatusOr<VaeConfig> ReadVaeConfig(Config config) {
  VaeConfig vae;
  if (config.Text("_class_name", "AutoencoderKL") == "AutoencoderTiny")
    config.Refuse("_class_name",
                  "AutoencoderKL, as model_index.json lists it; to draw with this one, list \"vae\" there as "
                  "AutoencoderTiny");
  vae.channels = config.Integers("block_out_channels", vae.channels, 0, 1, 8192);
  vae.norm_groups = ReadNormGroups(config, vae.channels);
  if (vae.channels.size() > 8) config.Refuse("block_out_channels", "at most 8 blocks");
  vae.layers = static_cast<int>(config.Integer("layers_per_block", 1, 1, 8));
  vae.picture_channels = config.Integer("in_channels", 3, 1, 64);
  vae.latent_channels = config.Integer("latent_channels", 4, 1, 256);
  for (const char* key : {"latents_mean", "latents_std"})
    if (const Json* value = config.json().Find(key); value != nullptr && !value->is_null())
      config.Refuse(key, "null");
  vae.scaling_factor = config.Number("scaling_factor", vae.scaling_factor);
  if (!config.status().ok()) return config.status();
  return vae;
}

Graph BuildVaeEncoder(const VaeConfig& config, WeightSource& weights, std::int64_t pictures,
                      std::int64_t height, std::int64_t width) {
  Graph g;
  const Scope root(g, weights);
  const Scope encoder = root / "encoder";
  ValueId x = g.Input("picture", {pictures, height, width, config.picture_channels});
  x = ConvLayer(encoder / "conv_in", x, config.channels[0]);
  for (std::size_t i = 0; i < config.channels.size(); ++i) {
    const Scope block = encoder / "down_blocks" / static_cast<std::int64_t>(i);
    for (int layer = 0; layer < config.layers; ++layer)
      x = ResnetBlock(block / "resnets" / layer, x, kAbsent, config.channels[i], kEpsilon,
                      config.norm_groups);
    if (i + 1 < config.channels.size()) x = Halved(block / "downsamplers" / 0 / "conv", x);
  }
  x = Middle(config, encoder / "mid_block", x);
  x = Silu(g, GroupNormLayer(encoder / "conv_norm_out", x, kEpsilon, config.norm_groups));
  x = ConvLayer(encoder / "conv_out", x, 2 * config.latent_channels);
  g.Output("moments", ConvLayer(root / "quant_conv", x, 2 * config.latent_channels, 1));
  return g;
}

Graph BuildVaeDecoder(const VaeConfig& config, WeightSource& weights, std::int64_t pictures,
                      std::int64_t height, std::int64_t width) {
  Graph g;
  const Scope root(g, weights);
  const Scope decoder = root / "decoder";
  ValueId x = g.Input("latent", {pictures, height, width, config.latent_channels});
  x = ConvLayer(root / "post_quant_conv", x, config.latent_channels, 1);
  x = ConvLayer(decoder / "conv_in", x, config.channels.back());
  x = Middle(config, decoder / "mid_block", x);
  for (std::size_t i = 0; i < config.channels.size(); ++i) {
    const Scope block = decoder / "up_blocks" / static_cast<std::int64_t>(i);
    const std::int64_t channels = config.channels[config.channels.size() - 1 - i];
    for (int layer = 0; layer <= config.layers; ++layer)
      x = ResnetBlock(block / "resnets" / layer, x, kAbsent, channels, kEpsilon, config.norm_groups);
    if (i + 1 < config.channels.size())
      x = ConvLayer(block / "upsamplers" / 0 / "conv", g.Add(UpsampleOp{}, {x}), channels);
  }
  x = Silu(g, GroupNormLayer(decoder / "conv_norm_out", x, kEpsilon, config.norm_groups));
  g.Output("picture", ConvLayer(decoder / "conv_out", x, config.picture_channels));
  return g;
}

Graph BuildVaeTemporalDecoder(const VaeConfig& config, WeightSource& weights, const ClipSize& size) {
  Graph g;
  const Scope decoder = Scope(g, weights) / "decoder";
  const ClipShape& clip = size.clip;
  const SpatioTemporalSettings settings = {kEpsilon, kTemporalEpsilon, /*swapped_mix=*/true,
                                           config.norm_groups};
  ValueId x = g.Input("latent", {clip.clips * clip.frames, size.height, size.width, config.latent_channels});
  x = ConvLayer(decoder / "conv_in", x, config.channels.back());
  const Scope middle = decoder / "mid_block";
  x = SpatioTemporalResnet(middle / "resnets" / 0, x, kAbsent, config.channels.back(), clip, settings);
  // There is one attention, whatever the number of resnets; the reference pairs them and stops with the
  // shorter list.
  if (config.layers > 1) {
    x = PixelAttention(middle / "attentions" / 0, x, kEpsilon, config.norm_groups);
    x = SpatioTemporalResnet(middle / "resnets" / 1, x, kAbsent, config.channels.back(), clip, settings);
  }
  for (std::size_t i = 0; i < config.channels.size(); ++i) {
    const Scope block = decoder / "up_blocks" / static_cast<std::int64_t>(i);
    const std::int64_t channels = config.channels[config.channels.size() - 1 - i];
    for (int layer = 0; layer <= config.layers; ++layer)
      x = SpatioTemporalResnet(block / "resnets" / layer, x, kAbsent, channels, clip, settings);
    if (i + 1 < config.channels.size())
      x = ConvLayer(block / "upsamplers" / 0 / "conv", g.Add(UpsampleOp{}, {x}), channels);
  }
  x = Silu(g, GroupNormLayer(decoder / "conv_norm_out", x, kEpsilon, config.norm_groups));
  x = ConvLayer(decoder / "conv_out", x, config.picture_channels);
  g.Output("picture", FrameConv(decoder / "time_conv_out", x, config.picture_channels, clip));
  return g;
}

}  // namespace ringway::engine
