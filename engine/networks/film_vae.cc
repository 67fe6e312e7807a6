#include "engine/networks/film_vae.h"

#include <algorithm>

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

constexpr float kPixelEpsilon = 1e-8f;  // of the norms over a pixel's channels, which no configuration names
constexpr int kTaps = 3;
constexpr std::size_t kFilmBlocksMax = 8;

class DecoderWriter {
 public:
  DecoderWriter(Graph& graph, const FilmVaeConfig& config) : g_(graph), config_(config) {}

  ValueId Conv(const Scope& scope, ValueId x, std::int64_t out, int taps = kTaps) const {
    if (x == kAbsent) return kAbsent;
    const Scope conv = scope / "conv";
    const ValueId weight = conv.FilmConvWeight(out, g_.shape(x).dim(-1), taps, taps, taps);
    const int pad = taps / 2, front = config_.causal ? taps - 1 : pad;
    return g_.Add(ConvOp{.padding = {pad, pad, pad, pad}, .front = front},
                  {x, weight, conv.Weight("bias", {out})}, conv.prefix());
  }

  ValueId NormedSilu(ValueId x) const {
    return Silu(g_, g_.Add(LayerNormOp{.epsilon = kPixelEpsilon, .centred = false}, {x}));
  }

  ValueId Resnet(const Scope& scope, ValueId x, std::int64_t out) const {
    ValueId h = Conv(scope / "conv1", NormedSilu(x), out);
    h = Conv(scope / "conv2", NormedSilu(h), out);
    if (x != kAbsent && g_.shape(x).dim(-1) != out)
      x = Conv(scope / "conv_shortcut", LayerNormLayer(scope / "norm3", x, config_.epsilon), out, 1);
    return g_.Add(AddOp{}, {h, x}, scope.prefix());
  }

  // Eight times the channels become twice the frames but for the first, twice the height and twice the width.
  ValueId Doubled(const Scope& scope, ValueId x, std::int64_t channels) const {
    const ValueId deep = Conv(scope / "conv", x, 8 * channels);
    return g_.Add(DepthToSpaceOp{.frames = 2, .height = 2, .width = 2, .skipped = 1}, {deep}, scope.prefix());
  }

  ValueId UpBlock(const Scope& scope, ValueId x, std::size_t level) const {
    const std::int64_t channels = config_.channels[level];
    if (x != kAbsent && g_.shape(x).dim(-1) != channels) x = Resnet(scope / "conv_in", x, channels);
    if (config_.doubles[level]) x = Doubled(scope / "upsamplers" / 0, x, channels);
    for (std::int64_t i = 0; i < config_.layers[level]; ++i) x = Resnet(scope / "resnets" / i, x, channels);
    return x;
  }

 private:
  Graph& g_;
  const FilmVaeConfig& config_;
};

// What the transformer knows has mean 0 and deviation 1 in every channel.
ValueId Restored(const Scope& root, ValueId latent, const FilmVaeConfig& config) {
  Graph& g = root.graph();
  const Shape row = {1, 1, 1, config.latent_channels};
  const ValueId deviation = g.Add(ReshapeOp{row}, {root.Weight("latents_std", {config.latent_channels})});
  const ValueId mean = g.Add(ReshapeOp{row}, {root.Weight("latents_mean", {config.latent_channels})});
  return g.Add(ScaleOp{}, {latent, deviation, mean}, "latents");
}

void RefuseLaterKinds(Config& config) {
  if (config.Boolean("timestep_conditioning", false)) config.Refuse("timestep_conditioning", "false");
  for (const char* key : {"decoder_inject_noise", "upsample_residual"})
    for (const bool on : config.Booleans(key, {false}, 0))
      if (on) config.Refuse(key, "false for every block");
  for (const std::int64_t factor : config.Integers("upsample_factor", {1}, 0, 1, 64))
    if (factor != 1) config.Refuse("upsample_factor", "1 for every block");
}

}  // namespace

int FilmVaeConfig::doublings() const {
  return static_cast<int>(std::count(doubles.begin(), doubles.end(), true));
}

absl::StatusOr<FilmVaeConfig> ReadFilmVaeConfig(Config config) {
  FilmVaeConfig vae;
  vae.channels = config.Integers("decoder_block_out_channels", vae.channels, 0, 1, 8192);
  if (vae.channels.size() > kFilmBlocksMax) config.Refuse("decoder_block_out_channels", "at most 8 blocks");
  const std::size_t blocks = vae.channels.size();
  vae.doubles = config.Booleans("decoder_spatio_temporal_scaling", vae.doubles, blocks);
  vae.layers = config.Integers("decoder_layers_per_block", vae.layers, blocks + 1, 0, 16);
  if (vae.doubles.size() != blocks) config.Refuse("decoder_spatio_temporal_scaling", "one for each block");
  if (vae.layers.size() != blocks + 1)
    config.Refuse("decoder_layers_per_block", "one for each block and one for the middle");
  vae.latent_channels = config.Integer("latent_channels", vae.latent_channels, 1, 4096);
  vae.picture_channels = config.Integer("out_channels", vae.picture_channels, 3, 3);
  vae.patch = config.Integer("patch_size", vae.patch, 1, 16);
  vae.frame_patch = config.Integer("patch_size_t", vae.frame_patch, 1, 1);
  vae.epsilon = static_cast<float>(config.Number("resnet_norm_eps", vae.epsilon));
  if (!(vae.epsilon > 0 && vae.epsilon < 1)) config.Refuse("resnet_norm_eps", "a number from 0 to 1");
  vae.scaling_factor = config.Number("scaling_factor", vae.scaling_factor);
  if (!(vae.scaling_factor > 0 && vae.scaling_factor < 1e6))
    config.Refuse("scaling_factor", "a number above 0");
  vae.causal = config.Boolean("decoder_causal", false);
  RefuseLaterKinds(config);
  if (!config.status().ok()) return config.status();
  return vae;
}

Graph BuildFilmVaeDecoder(const FilmVaeConfig& config, WeightSource& weights, const FilmVaeSize& size) {
  Graph g;
  const Scope root(g, weights), decoder = root / "decoder";
  const DecoderWriter write(g, config);
  ValueId x = g.Input("latent", {size.frames, size.height, size.width, config.latent_channels});
  x = write.Conv(decoder / "conv_in", Restored(root, x, config), config.channels.back());
  for (std::int64_t i = 0; i < config.layers.back(); ++i)
    x = write.Resnet(decoder / "mid_block" / "resnets" / i, x, config.channels.back());
  for (std::size_t i = 0; i < config.channels.size(); ++i)
    x = write.UpBlock(decoder / "up_blocks" / static_cast<std::int64_t>(i), x,
                      config.channels.size() - 1 - i);
  x = write.Conv(decoder / "conv_out", write.NormedSilu(x),
                 config.picture_channels * config.patch * config.patch);
  const int patch = static_cast<int>(config.patch);
  g.Output("picture", g.Add(DepthToSpaceOp{.height = patch, .width = patch, .width_first = true}, {x},
                            "decoder.unpatchify"));
  return g;
}

}  // namespace ringway::engine
