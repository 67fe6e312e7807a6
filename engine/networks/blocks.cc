#include "engine/networks/blocks.h"

namespace ringway::engine {
namespace {

// A failed value has no shape; whatever is built on it fails silently.
std::int64_t Channels(const Graph& graph, ValueId x) {
  const Shape& shape = graph.shape(x);
  return shape.rank() == 0 ? 1 : shape.dim(-1);
}

}  // namespace

ValueId LinearLayer(const Scope& scope, ValueId x, std::int64_t out, bool bias) {
  Graph& g = scope.graph();
  const ValueId weight = scope.Weight("weight", {out, Channels(g, x)});
  const ValueId b = bias ? scope.Weight("bias", {out}) : kAbsent;
  return g.Add(LinearOp{}, {x, weight, b}, scope.prefix());
}

ValueId ConvLayer(const Scope& scope, ValueId x, std::int64_t out, int kernel, int stride) {
  Graph& g = scope.graph();
  const int pad = kernel / 2;
  const ValueId weight = scope.ConvWeight(out, Channels(g, x), kernel, kernel);
  return g.Add(ConvOp{.stride = stride, .padding = {pad, pad, pad, pad}},
               {x, weight, scope.Weight("bias", {out})}, scope.prefix());
}

ValueId GroupNormLayer(const Scope& scope, ValueId x, float epsilon, int groups) {
  const std::int64_t channels = Channels(scope.graph(), x);
  return scope.graph().Add(GroupNormOp{groups, epsilon},
                           {x, scope.Weight("weight", {channels}), scope.Weight("bias", {channels})},
                           scope.prefix());
}

ValueId LayerNormLayer(const Scope& scope, ValueId x, float epsilon) {
  const std::int64_t channels = Channels(scope.graph(), x);
  return scope.graph().Add(LayerNormOp{epsilon},
                           {x, scope.Weight("weight", {channels}), scope.Weight("bias", {channels})},
                           scope.prefix());
}

ValueId RmsNormLayer(const Scope& scope, ValueId x, float epsilon) {
  const ValueId weight = scope.Weight("weight", {Channels(scope.graph(), x)});
  return scope.graph().Add(LayerNormOp{.epsilon = epsilon, .centred = false}, {x, weight}, scope.prefix());
}

ValueId Silu(Graph& graph, ValueId x) { return graph.Add(ActivateOp{Activation::kSilu}, {x}); }

ValueId TimeEmbeddingLayer(const Scope& scope, ValueId sinusoid, std::int64_t hidden, std::int64_t out) {
  const ValueId first = LinearLayer(scope / "linear_1", sinusoid, hidden);
  return LinearLayer(scope / "linear_2", Silu(scope.graph(), first), out);
}

ValueId ResnetBlock(const Scope& scope, ValueId x, ValueId activated_time, std::int64_t out, float epsilon,
                    int groups) {
  Graph& g = scope.graph();
  ValueId h = ConvLayer(scope / "conv1", Silu(g, GroupNormLayer(scope / "norm1", x, epsilon, groups)), out);
  if (activated_time != kAbsent) {
    const ValueId row = LinearLayer(scope / "time_emb_proj", activated_time, out);
    h = g.Add(AddOp{}, {h, g.Add(ReshapeOp{{g.shape(activated_time).dim(0), 1, 1, out}}, {row})},
              scope.prefix());
  }
  h = ConvLayer(scope / "conv2", Silu(g, GroupNormLayer(scope / "norm2", h, epsilon, groups)), out);
  if (Channels(g, x) != out) x = ConvLayer(scope / "conv_shortcut", x, out, 1);
  return g.Add(AddOp{}, {h, x}, scope.prefix());
}

ValueId AttentionLayer(const Scope& scope, ValueId x, ValueId context, const AttentionSettings& settings) {
  Graph& g = scope.graph();
  const std::int64_t channels = Channels(g, x);
  const ValueId q = LinearLayer(scope / "to_q", x, channels, settings.projection_bias);
  const ValueId k = LinearLayer(scope / "to_k", context, channels, settings.projection_bias);
  const ValueId v = LinearLayer(scope / "to_v", context, channels, settings.projection_bias);
  const ValueId attended = g.Add(AttentionOp{settings.heads}, {q, k, v}, scope.prefix());
  return LinearLayer(scope / "to_out" / 0, attended, channels);
}

ValueId FeedForwardLayer(const Scope& scope, ValueId x) {
  Graph& g = scope.graph();
  const std::int64_t channels = Channels(g, x);
  const ValueId wide = LinearLayer(scope / "net" / 0 / "proj", x, 8 * channels);
  return LinearLayer(scope / "net" / 2, g.Add(GegluOp{}, {wide}, scope.prefix()), channels);
}

ValueId TransformerBlock(const Scope& scope, ValueId x, ValueId context, int heads) {
  Graph& g = scope.graph();
  const ValueId n1 = LayerNormLayer(scope / "norm1", x);
  x = g.Add(AddOp{}, {AttentionLayer(scope / "attn1", n1, n1, {heads}), x});
  const ValueId n2 = LayerNormLayer(scope / "norm2", x);
  const ValueId seen = context == kAbsent ? n2 : context;
  x = g.Add(AddOp{}, {AttentionLayer(scope / "attn2", n2, seen, {heads}), x});
  return g.Add(AddOp{}, {FeedForwardLayer(scope / "ff", LayerNormLayer(scope / "norm3", x)), x});
}

namespace {

// One head over all pixels. Stable Diffusion 1.5's autoencoder is older than today's names of its weights.
ValueId WholeAttention(const Scope& scope, ValueId tokens) {
  Graph& g = scope.graph();
  if (scope.Has("to_q.weight") || !scope.Has("query.weight"))
    return AttentionLayer(scope, tokens, tokens, {.heads = 1, .projection_bias = true});
  const std::int64_t channels = Channels(g, tokens);
  const ValueId q = LinearLayer(scope / "query", tokens, channels);
  const ValueId k = LinearLayer(scope / "key", tokens, channels);
  const ValueId v = LinearLayer(scope / "value", tokens, channels);
  return LinearLayer(scope / "proj_attn", g.Add(AttentionOp{1}, {q, k, v}, scope.prefix()), channels);
}

}  // namespace

ValueId PixelAttention(const Scope& scope, ValueId x, float epsilon, int groups) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const Shape shape = g.shape(x);
  const ValueId tokens = ToTokens(g, GroupNormLayer(scope / "group_norm", x, epsilon, groups));
  const ValueId attended = WholeAttention(scope, tokens);
  return g.Add(AddOp{}, {ToPictures(g, attended, shape.dim(1), shape.dim(2)), x}, scope.prefix());
}

ValueId ToTokens(Graph& graph, ValueId pictures) {
  if (pictures == kAbsent) return kAbsent;
  const Shape& s = graph.shape(pictures);
  return graph.Add(ReshapeOp{{s.dim(0), s.dim(1) * s.dim(2), 1, s.dim(3)}}, {pictures});
}

ValueId ToPictures(Graph& graph, ValueId tokens, std::int64_t height, std::int64_t width) {
  if (tokens == kAbsent) return kAbsent;
  const Shape& s = graph.shape(tokens);
  return graph.Add(ReshapeOp{{s.elements() / (height * width * s.dim(-1)), height, width, s.dim(-1)}},
                   {tokens});
}

}  // namespace ringway::engine
