#include "engine/networks/tiny_vae.h"

#include <cmath>

#include "absl/strings/str_cat.h"
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

ValueId PlainConv(const Scope& scope, ValueId x, int stride) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const std::int64_t channels = g.shape(x).dim(3);
  const ValueId weight = scope.ConvWeight(channels, channels, 3, 3);
  return g.Add(ConvOp{.stride = stride, .padding = {1, 1, 1, 1}}, {x, weight, kAbsent}, scope.prefix());
}

// The levels of one half, "decoder" or "encoder": how many channels all of them have, and blocks each has.
struct Half {
  std::int64_t channels = 64;
  std::vector<std::int64_t> blocks;
};
Half ReadHalf(Config& config, const char* name, const std::vector<std::int64_t>& usual) {
  const std::string widths = absl::StrCat(name, "_block_out_channels");
  const std::vector<std::int64_t> channels = config.Integers(widths, {64, 64, 64, 64}, 0, 1, 8192);
  if (channels.size() > kTinyLevelsMax || channels.empty()) config.Refuse(widths, "1 to 8 levels");
  for (const std::int64_t c : channels)
    if (c != channels.front()) config.Refuse(widths, "equal numbers");
  return {channels.empty() ? 64 : channels.front(),
          config.Integers(absl::StrCat("num_", name, "_blocks"), usual, channels.size(), 1, kTinyBlocksMax)};
}

}  // namespace

absl::StatusOr<TinyVaeConfig> ReadTinyVaeConfig(Config config) {
  TinyVaeConfig tiny;
  if (config.Text("_class_name", "AutoencoderTiny") != "AutoencoderTiny")
    config.Refuse("_class_name", "AutoencoderTiny");
  Half decoder = ReadHalf(config, "decoder", tiny.blocks);
  Half encoder = ReadHalf(config, "encoder", tiny.encoder_blocks);
  if (encoder.blocks.size() != decoder.blocks.size())
    config.Refuse("num_encoder_blocks", "as many levels as the decoder has");
  tiny.channels = decoder.channels;
  tiny.encoder_channels = encoder.channels;
  tiny.blocks = std::move(decoder.blocks);
  tiny.encoder_blocks = std::move(encoder.blocks);
  tiny.latent_channels = config.Integer("latent_channels", 4, 1, 256);
  tiny.picture_channels = config.Integer("out_channels", 3, 3, 3);
  config.Integer("in_channels", 3, 3, 3);
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
  x = Relu(g, ConvLayer(layers / at, x, config.channels));
  at += 2;
  for (std::size_t level = 0; level < config.blocks.size(); ++level) {
    for (std::int64_t i = 0; i < config.blocks[level]; ++i) x = TinyBlock(layers / at++, x, config.channels);
    if (level + 1 == config.blocks.size()) {
      g.Output("picture", ConvLayer(layers / at, x, config.picture_channels));
      break;
    }
    ++at;
    x = PlainConv(layers / at++, g.Add(UpsampleOp{}, {x}), 1);
  }
  return g;
}

Graph BuildTinyEncoder(const TinyVaeConfig& config, WeightSource& weights, std::int64_t height,
                       std::int64_t width) {
  Graph g;
  const Scope layers = Scope(g, weights) / "encoder" / "layers";
  std::int64_t at = 0;
  ValueId x = g.Input("picture", {1, height, width, config.picture_channels});
  for (std::size_t level = 0; level < config.encoder_blocks.size(); ++level) {
    const Scope first = layers / at++;
    x = level == 0 ? ConvLayer(first, x, config.encoder_channels) : PlainConv(first, x, 2);
    for (std::int64_t i = 0; i < config.encoder_blocks[level]; ++i)
      x = TinyBlock(layers / at++, x, config.encoder_channels);
  }
  g.Output("moments", ConvLayer(layers / at, x, config.latent_channels));
  return g;
}

}  // namespace ringway::engine
