#include "engine/networks/film_transformer.h"

#include <cmath>
#include <numbers>

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

constexpr float kQueryEpsilon = 1e-5f;  // of the norms of queries and keys, which no configuration names
constexpr float kLastEpsilon = 1e-6f;
constexpr std::int64_t kTimeChannels = 256, kRowsOfBlock = 6;
// The span that the angles were trained for: seconds, and pixels of either side; and the longest period.
constexpr double kTrainedSeconds = 20, kTrainedPixels = 2048, kPeriodMax = 10000;

// Rows [1, rows * c] of an embedding plus the table's, as rows of their own [1, 1, 1, c].
std::vector<ValueId> RowsOf(const Scope& scope, ValueId embedding, std::int64_t rows, std::int64_t channels) {
  Graph& g = scope.graph();
  const ValueId table =
      g.Add(ReshapeOp{{1, rows * channels}}, {scope.Weight("scale_shift_table", {rows, channels})});
  const ValueId sum = g.Add(AddOp{}, {embedding, table}, scope.prefix());
  std::vector<ValueId> values;
  for (std::int64_t row = 0; row < rows; ++row)
    values.push_back(
        g.Add(ReshapeOp{{1, 1, 1, channels}}, {g.Add(SliceOp{row * channels, channels}, {sum})}));
  return values;
}

class BlockWriter {
 public:
  BlockWriter(const Scope& scope, const FilmTransformerConfig& config, ValueId turns)
      : scope_(scope), g_(scope.graph()), config_(config), turns_(turns) {}

  ValueId Write(ValueId x, ValueId context, ValueId mask, ValueId embedding) const {
    const std::vector<ValueId> rows = RowsOf(scope_, embedding, kRowsOfBlock, config_.channels());
    const ValueId seen = Modulated("norm1", x, rows[0], rows[1]);
    x = g_.Add(ScaleOp{}, {Attention(scope_ / "attn1", seen, seen, turns_, kAbsent), rows[2], x});
    x = g_.Add(AddOp{}, {Attention(scope_ / "attn2", x, context, kAbsent, mask), x});
    const ValueId fed = FeedForward(Modulated("norm2", x, rows[3], rows[4]));
    return g_.Add(ScaleOp{}, {fed, rows[5], x}, scope_.prefix());
  }

 private:
  ValueId Modulated(const char* norm, ValueId x, ValueId shift, ValueId scale) const {
    const Scope below = scope_ / norm;
    const ValueId weight = config_.norm_weights ? below.Weight("weight", {config_.channels()}) : kAbsent;
    const ValueId normed =
        g_.Add(LayerNormOp{.epsilon = config_.epsilon, .centred = false}, {x, weight}, below.prefix());
    return g_.Add(ScaleOp{.plus_one = true}, {normed, scale, shift}, below.prefix());
  }

  // Queries and keys are normed over all heads together.
  ValueId Attention(const Scope& scope, ValueId x, ValueId context, ValueId turns, ValueId bias) const {
    const std::int64_t channels = config_.channels();
    ValueId q = LinearLayer(scope / "to_q", x, channels, config_.attention_bias);
    ValueId k = LinearLayer(scope / "to_k", context, channels, config_.attention_bias);
    const ValueId v = LinearLayer(scope / "to_v", context, channels, config_.attention_bias);
    q = RmsNormLayer(scope / "norm_q", q, kQueryEpsilon);
    k = RmsNormLayer(scope / "norm_k", k, kQueryEpsilon);
    if (turns != kAbsent) {
      q = g_.Add(RotateOp{}, {q, turns}, scope.prefix());
      k = g_.Add(RotateOp{}, {k, turns}, scope.prefix());
    }
    std::vector<ValueId> inputs = {q, k, v};
    if (bias != kAbsent) inputs.push_back(bias);
    const ValueId attended =
        g_.Add(AttentionOp{static_cast<int>(config_.heads)}, std::move(inputs), scope.prefix());
    return LinearLayer(scope / "to_out" / 0, attended, channels, config_.out_bias);
  }

  ValueId FeedForward(ValueId x) const {
    const Scope net = scope_ / "ff" / "net";
    const ValueId wide = LinearLayer(net / 0 / "proj", x, 4 * config_.channels());
    return LinearLayer(net / 2, g_.Add(ActivateOp{Activation::kGeluTanh}, {wide}), config_.channels());
  }

  Scope scope_;
  Graph& g_;
  const FilmTransformerConfig& config_;
  ValueId turns_;
};

ValueId CaptionProjection(const Scope& scope, ValueId context, std::int64_t channels) {
  Graph& g = scope.graph();
  const ValueId first = LinearLayer(scope / "linear_1", context, channels);
  return LinearLayer(scope / "linear_2", g.Add(ActivateOp{Activation::kGeluTanh}, {first}), channels);
}

}  // namespace

absl::StatusOr<FilmTransformerConfig> ReadFilmTransformerConfig(Config config) {
  FilmTransformerConfig film;
  film.in_channels = config.Integer("in_channels", film.in_channels, 1, 4096);
  film.out_channels = config.Integer("out_channels", film.in_channels, 1, 4096);
  film.heads = config.Integer("num_attention_heads", film.heads, 1, 256);
  film.head_channels = config.Integer("attention_head_dim", film.head_channels, 2, 512);
  film.layers = config.Integer("num_layers", film.layers, 1, 256);
  film.caption_channels = config.Integer("caption_channels", film.caption_channels, 1, 65536);
  if (film.channels() % 2 != 0 || film.channels() < 6)
    config.Refuse("attention_head_dim",
                  "such that all heads together have an even number of channels, 6 or more");
  if (config.Integer("cross_attention_dim", film.channels(), 1, 1 << 20) != film.channels())
    config.Refuse("cross_attention_dim", "num_attention_heads times attention_head_dim");
  for (const char* patch : {"patch_size", "patch_size_t"})
    if (config.Integer(patch, 1, 1, 64) != 1) config.Refuse(patch, "1");
  if (config.Text("qk_norm", "rms_norm_across_heads") != "rms_norm_across_heads")
    config.Refuse("qk_norm", "rms_norm_across_heads");
  if (config.Text("activation_fn", "gelu-approximate") != "gelu-approximate")
    config.Refuse("activation_fn", "gelu-approximate");
  film.attention_bias = config.Boolean("attention_bias", true);
  film.out_bias = config.Boolean("attention_out_bias", true);
  film.norm_weights = config.Boolean("norm_elementwise_affine", false);
  film.epsilon = static_cast<float>(config.Number("norm_eps", film.epsilon));
  if (!(film.epsilon > 0 && film.epsilon < 1)) config.Refuse("norm_eps", "a number from 0 to 1");
  if (!config.status().ok()) return config.status();
  return film;
}

Graph BuildFilmTransformer(const FilmTransformerConfig& config, WeightSource& weights,
                           const FilmTransformerSize& size) {
  Graph g;
  const Scope root(g, weights);
  const std::int64_t channels = config.channels();
  ValueId x = g.Input("sample", {size.batch, size.tokens, 1, config.in_channels});
  const ValueId words = g.Input("context", {size.batch, size.words, 1, config.caption_channels});
  const ValueId mask =
      g.Add(ReshapeOp{{size.batch, 1, size.words, 1}}, {g.Input("mask", {size.batch, size.words})});
  const ValueId time = g.Input("time", {1}), turns = g.Input("turns", {size.tokens, channels});

  x = LinearLayer(root / "proj_in", x, channels);
  const Scope embedder = root / "time_embed";
  const ValueId sinusoid = g.Add(TimeEmbeddingOp{kTimeChannels}, {time});
  const ValueId embedded =
      TimeEmbeddingLayer(embedder / "emb" / "timestep_embedder", sinusoid, channels, channels);
  const ValueId rows = LinearLayer(embedder / "linear", Silu(g, embedded), kRowsOfBlock * channels);
  const ValueId context = CaptionProjection(root / "caption_projection", words, channels);
  for (std::int64_t i = 0; i < config.layers; ++i)
    x = BlockWriter(root / "transformer_blocks" / i, config, turns).Write(x, context, mask, rows);

  const std::vector<ValueId> last =
      RowsOf(root, g.Add(ConcatOp{}, {embedded, embedded}), 2, channels);  // shift, scale
  x = g.Add(LayerNormOp{kLastEpsilon}, {x}, "norm_out");
  x = g.Add(ScaleOp{.plus_one = true}, {x, last[1], last[0]}, "norm_out");
  g.Output("prediction", LinearLayer(root / "proj_out", x, config.out_channels));
  return g;
}

std::vector<float> FilmTurns(const FilmGrid& grid, std::int64_t channels) {
  const std::int64_t waves = channels / 6, still = channels % 6 / 2;  // pairs that are not turned come first
  std::vector<float> turns;
  turns.reserve(static_cast<std::size_t>(grid.frames * grid.height * grid.width * channels));
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < waves; ++i) {
    const double share = waves == 1 ? 0 : static_cast<double>(i) / static_cast<double>(waves - 1);
    frequencies.push_back(std::pow(kPeriodMax, share) * std::numbers::pi / 2);
  }
  for (std::int64_t token = 0; token < grid.frames * grid.height * grid.width; ++token) {
    const std::int64_t x = token % grid.width, y = token / grid.width % grid.height;
    const std::int64_t frame = token / (grid.width * grid.height);
    const double places[] = {static_cast<double>(frame) * grid.seconds / kTrainedSeconds,
                             static_cast<double>(y) * grid.pixels / kTrainedPixels,
                             static_cast<double>(x) * grid.pixels / kTrainedPixels};
    for (std::int64_t i = 0; i < still; ++i) turns.insert(turns.end(), {1.0f, 0.0f});
    for (const double frequency : frequencies)
      for (const double place : places) {
        const double angle = frequency * (2 * place - 1);
        turns.push_back(static_cast<float>(std::cos(angle)));
        turns.push_back(static_cast<float>(std::sin(angle)));
      }
  }
  return turns;
}

}  // namespace ringway::engine
