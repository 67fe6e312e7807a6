#include "engine/networks/t5.h"

#include <algorithm>
#include <cmath>

#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

// The number of each pair's bucket, [queries, keys].
Tensor Buckets(const T5Config& config, std::int64_t tokens) {
  Tensor buckets(DType::kI32, {tokens, tokens});
  auto to = buckets.As<std::int32_t>().begin();
  for (std::int64_t query = 0; query < tokens; ++query)
    for (std::int64_t key = 0; key < tokens; ++key) *to++ = T5Bucket(config, key - query);
  return buckets;
}

// What is added to the scores, [1, queries, keys, heads].
ValueId RelativeBias(const Scope& attention, const T5Config& config, std::int64_t tokens) {
  Graph& g = attention.graph();
  const Scope scope = attention / "relative_attention_bias";
  const ValueId table = scope.Weight("weight", {config.buckets, config.heads});
  const ValueId bias = g.Add(LookupOp{}, {table, g.Constant(Buckets(config, tokens))}, scope.prefix());
  return g.Add(ReshapeOp{{1, tokens, tokens, config.heads}}, {bias});
}

ValueId SelfAttention(const Scope& scope, ValueId x, ValueId bias, const T5Config& config) {
  Graph& g = scope.graph();
  const std::int64_t inner = config.heads * config.head_channels;
  const ValueId q = LinearLayer(scope / "q", x, inner, /*bias=*/false);
  const ValueId k = LinearLayer(scope / "k", x, inner, /*bias=*/false);
  const ValueId v = LinearLayer(scope / "v", x, inner, /*bias=*/false);
  const ValueId attended = g.Add(AttentionOp{.heads = static_cast<int>(config.heads), .scale = 1.0f},
                                 {q, k, v, bias}, scope.prefix());
  return LinearLayer(scope / "o", attended, config.channels, /*bias=*/false);
}

ValueId GatedFeedForward(const Scope& scope, ValueId x, const T5Config& config) {
  Graph& g = scope.graph();
  const ValueId gate = g.Add(ActivateOp{Activation::kGeluTanh},
                             {LinearLayer(scope / "wi_0", x, config.hidden, /*bias=*/false)});
  const ValueId value = LinearLayer(scope / "wi_1", x, config.hidden, /*bias=*/false);
  return LinearLayer(scope / "wo", g.Add(ScaleOp{}, {value, gate}, scope.prefix()), config.channels,
                     /*bias=*/false);
}

}  // namespace

absl::StatusOr<T5Config> ReadT5Config(Config config) {
  T5Config t5;
  t5.channels = config.Integer("d_model", t5.channels, 1, 16384);
  t5.head_channels = config.Integer("d_kv", t5.head_channels, 1, 512);
  t5.hidden = config.Integer("d_ff", t5.hidden, 1, 131072);
  t5.layers = config.Integer("num_layers", t5.layers, 1, 128);
  t5.heads = config.Integer("num_heads", t5.heads, 1, 256);
  t5.vocabulary = config.Integer("vocab_size", t5.vocabulary, 3, 1'000'000);
  t5.buckets = config.Integer("relative_attention_num_buckets", t5.buckets, 4, 4096);
  if (t5.buckets % 4 != 0) config.Refuse("relative_attention_num_buckets", "multiples of 4");
  t5.distance_max = config.Integer("relative_attention_max_distance", t5.distance_max, 2, 1 << 20);
  if (t5.distance_max <= t5.buckets / 4)
    config.Refuse("relative_attention_max_distance", "more than a quarter of the buckets");
  t5.epsilon = static_cast<float>(config.Number("layer_norm_epsilon", t5.epsilon));
  if (!(t5.epsilon > 0 && t5.epsilon < 1)) config.Refuse("layer_norm_epsilon", "a number from 0 to 1");
  if (config.Text("feed_forward_proj", "relu") != "gated-gelu")
    config.Refuse("feed_forward_proj", "gated-gelu (T5 in version 1.1)");
  if (!config.status().ok()) return config.status();
  return t5;
}

std::int32_t T5Bucket(const T5Config& config, std::int64_t distance) {
  const std::int64_t half = config.buckets / 2, exact = half / 2;
  const std::int64_t side = distance > 0 ? half : 0, far = std::abs(distance);
  if (far < exact) return static_cast<std::int32_t>(side + far);
  const double share = std::log(static_cast<double>(far) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(config.distance_max) / static_cast<double>(exact));
  const auto beyond = static_cast<std::int64_t>(share * static_cast<double>(half - exact));
  return static_cast<std::int32_t>(side + std::min(exact + beyond, half - 1));
}

Graph BuildT5Encoder(const T5Config& config, WeightSource& weights, std::int64_t texts, std::int64_t tokens) {
  Graph g;
  const Scope root(g, weights);
  const ValueId table = (root / "shared").Weight("weight", {config.vocabulary, config.channels});
  ValueId x = g.Add(LookupOp{}, {table, g.Input("ids", {texts, tokens, 1}, DType::kI32)}, "shared");
  const Scope encoder = root / "encoder";
  const ValueId bias = RelativeBias(encoder / "block" / 0 / "layer" / 0 / "SelfAttention", config, tokens);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const Scope attention = encoder / "block" / i / "layer" / 0, feed = encoder / "block" / i / "layer" / 1;
    const ValueId n1 = RmsNormLayer(attention / "layer_norm", x, config.epsilon);
    x = g.Add(AddOp{}, {SelfAttention(attention / "SelfAttention", n1, bias, config), x});
    const ValueId n2 = RmsNormLayer(feed / "layer_norm", x, config.epsilon);
    x = g.Add(AddOp{}, {GatedFeedForward(feed / "DenseReluDense", n2, config), x});
  }
  g.Output("hidden", RmsNormLayer(encoder / "final_layer_norm", x, config.epsilon));
  return g;
}

}  // namespace ringway::engine
