#include "engine/networks/tiny_vae.h"

#include <cmath>

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kTinyLevelsMax = 8;
constexpr std::int64_t kTinyBlocksMax = 64;

ValueId Relu(Graph& g, ValueId x) { return g.Add(ActivateOp{Activation::kRelu}, {x}); }

ValueId TinyBlock(const Scope& block, ValueId x, std::int64_t channels) {
  Graph& g = block.graph();
  ValueId y = Relu(g, ConvLayer(block / "conv" / 0, x, channels));
  y = Relu(g, ConvLayer(block / "conv" / 2, y, channels));
  y = ConvLayer(block / "conv" / 4, y, channels);
  return Relu(g, g.Add(AddOp{}, {y, x}, block.prefix()));
}

ValueId PlainConv(const Scope& scope, ValueId x, std::int64_t channels) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const ValueId weight = scope.ConvWeight(channels, g.shape(x).dim(3), 3, 3);
  return g.Add(ConvOp{.stride = 1, .padding = {1, 1, 1, 1}}, {x, weight, kAbsent}, scope.prefix());
}

}  // namespace

absl::StatusOr<TinyVaeConfig> ReadTinyVaeConfig(Config config) {
  TinyVaeConfig tiny;
  if (config.Text("_class_name", "AutoencoderTiny") != "AutoencoderTiny")
    config.Refuse("_class_name", "AutoencoderTiny");
  tiny.channels = config.Integers("decoder_block_out_channels", tiny.channels, 0, 1, 8192);
  if (tiny.channels.size() > kTinyLevelsMax || tiny.channels.empty())
    config.Refuse("decoder_block_out_channels", "at most 8 levels");
  for (const std::int64_t c : tiny.channels)
    if (c != tiny.channels.front()) config.Refuse("decoder_block_out_channels", "equal numbers");
  tiny.blocks = config.Integers("num_decoder_blocks", tiny.blocks, tiny.channels.size(), 1, kTinyBlocksMax);
  tiny.latent_channels = config.Integer("latent_channels", 4, 1, 256);
  tiny.picture_channels = config.Integer("out_channels", 3, 3, 3);
  tiny.scaling_factor = config.Number("scaling_factor", 1);
  if (config.Integer("upsampling_scaling_factor", 2, 1, 8) != 2)
    config.Refuse("upsampling_scaling_factor", "2");
  if (config.Text("act_fn", "relu") != "relu") config.Refuse("act_fn", "relu");
  if (!(tiny.scaling_factor > 1e-6 && tiny.scaling_factor < 1e6))
    config.Refuse("scaling_factor", "a number above 0");
  if (!config.status().ok()) return config.status();
  return tiny;
}

void SquashTinyLatents(std::span<float> latents) {
  for (float& x : latents) x = std::tanh(x / 3) * 3;
}

Graph BuildTinyDecoder(const TinyVaeConfig& config, WeightSource& weights, std::int64_t height,
                       std::int64_t width) {
  Graph g;
  const Scope layers = Scope(g, weights) / "decoder" / "layers";
  std::int64_t at = 0;  // layers are numbered, those without weights too
  ValueId x = g.Input("latent", {1, height, width, config.latent_channels});
  x = Relu(g, ConvLayer(layers / at, x, config.channels[0]));
  at += 2;
  for (std::size_t level = 0; level < config.channels.size(); ++level) {
    const std::int64_t channels = config.channels[level];
    for (std::int64_t i = 0; i < config.blocks[level]; ++i) x = TinyBlock(layers / at++, x, channels);
    if (level + 1 == config.channels.size()) {
      g.Output("picture", ConvLayer(layers / at, x, config.picture_channels));
      break;
    }
    ++at;
    x = PlainConv(layers / at++, g.Add(UpsampleOp{}, {x}), channels);
  }
  return g;
}

}  // namespace ringway::engine
