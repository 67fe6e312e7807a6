#include "engine/networks/spatio_temporal.h"

namespace ringway::engine {
namespace {

// [clips * frames, h, w, c] as [clips, frames, h * w, c].
ValueId AlongTime(Graph& g, ValueId x, const ClipShape& clip) {
  if (x == kAbsent) return kAbsent;
  const Shape& s = g.shape(x);
  return g.Add(
      ReshapeOp{{clip.clips, clip.frames, s.elements() / (clip.clips * clip.frames * s.dim(-1)), s.dim(-1)}},
      {x});
}

ValueId LikeShape(Graph& g, ValueId x, const Shape& shape) {
  return x == kAbsent ? kAbsent : g.Add(ReshapeOp{shape}, {x});
}

// sigmoid(mix_factor) of the first and the rest of the second, or the other way round.
ValueId Mixed(const Scope& scope, ValueId spatial, ValueId temporal, bool swapped) {
  Graph& g = scope.graph();
  const ValueId amount =
      g.Add(ActivateOp{Activation::kSigmoid}, {(scope / "time_mixer").Weight("mix_factor", {1})});
  if (swapped) return g.Add(BlendOp{}, {temporal, spatial, amount}, scope.prefix());
  return g.Add(BlendOp{}, {spatial, temporal, amount}, scope.prefix());
}

ValueId TimeConv(const Scope& scope, ValueId x, std::int64_t out) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const ValueId weight = scope.ConvWeight(out, g.shape(x).dim(-1), 3, 1, /*frames=*/true);
  return g.Add(ConvOp{.padding = {1, 0, 1, 0}}, {x, weight, scope.Weight("bias", {out})}, scope.prefix());
}

// x is [clips, frames, pixels, c]; the norms go over all frames of a clip.
ValueId TemporalResnet(const Scope& scope, ValueId x, ValueId activated_time, float epsilon, int groups) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  const std::int64_t channels = g.shape(x).dim(-1);
  ValueId h =
      TimeConv(scope / "conv1", Silu(g, GroupNormLayer(scope / "norm1", x, epsilon, groups)), channels);
  if (activated_time != kAbsent) {
    const ValueId row = LinearLayer(scope / "time_emb_proj", activated_time, channels);
    h = g.Add(AddOp{}, {h, LikeShape(g, row, {g.shape(activated_time).dim(0), 1, 1, channels})},
              scope.prefix());
  }
  h = TimeConv(scope / "conv2", Silu(g, GroupNormLayer(scope / "norm2", h, epsilon, groups)), channels);
  return g.Add(AddOp{}, {h, x}, scope.prefix());
}

// tokens and their context along time: q [clips, frames, pixels, c].
ValueId TemporalTransformerBlock(const Scope& scope, ValueId x, ValueId context, int heads) {
  Graph& g = scope.graph();
  x = g.Add(AddOp{}, {FeedForwardLayer(scope / "ff_in", LayerNormLayer(scope / "norm_in", x)), x});
  return TransformerBlock(scope, x, context, heads);
}

// What tells frames apart: an embedding of their number, [1, frames, 1, c]; constant, so folded when the plan
// is frozen.
ValueId FrameEmbedding(const Scope& scope, const ClipShape& clip, std::int64_t channels) {
  Graph& g = scope.graph();
  Tensor numbers(DType::kF32, {clip.frames});
  for (std::int64_t f = 0; f < clip.frames; ++f)
    numbers.As<float>()[static_cast<std::size_t>(f)] = static_cast<float>(f);
  const ValueId sinusoid = g.Add(TimeEmbeddingOp{channels}, {g.Constant(std::move(numbers), scope.prefix())});
  const ValueId embedding = TimeEmbeddingLayer(scope / "time_pos_embed", sinusoid, 4 * channels, channels);
  return LikeShape(g, embedding, {1, clip.frames, 1, channels});
}

}  // namespace

ValueId SpatioTemporalResnet(const Scope& scope, ValueId x, ValueId activated_time, std::int64_t out,
                             const ClipShape& clip, const SpatioTemporalSettings& settings) {
  Graph& g = scope.graph();
  ValueId frame_time = activated_time;
  if (activated_time != kAbsent && clip.clips > 1)
    frame_time = g.Add(ExpandOp{0, clip.frames}, {activated_time});
  const ValueId spatial = ResnetBlock(scope / "spatial_res_block", x, frame_time, out,
                                      settings.spatial_epsilon, settings.norm_groups);
  const ValueId by_time = AlongTime(g, spatial, clip);
  const ValueId temporal = TemporalResnet(scope / "temporal_res_block", by_time, activated_time,
                                          settings.temporal_epsilon, settings.norm_groups);
  return LikeShape(g, Mixed(scope, by_time, temporal, settings.swapped_mix), g.shape(spatial));
}

ValueId SpatioTemporalTransformer(const Scope& scope, ValueId x, ValueId context, const ClipShape& clip,
                                  int layers, int heads, int norm_groups) {
  Graph& g = scope.graph();
  if (x == kAbsent || context == kAbsent) return kAbsent;
  const Shape shape = g.shape(x);
  const std::int64_t channels = shape.dim(3), pixels = shape.dim(1) * shape.dim(2);
  const ValueId frame_context = g.Add(ExpandOp{0, clip.frames}, {context}, scope.prefix());
  const ValueId pixel_context = g.Add(ExpandOp{2, pixels}, {context}, scope.prefix());
  const ValueId frame_numbers = FrameEmbedding(scope, clip, channels);
  ValueId tokens = ToTokens(g, GroupNormLayer(scope / "norm", x, 1e-6f, norm_groups));
  tokens = LinearLayer(scope / "proj_in", tokens, channels);
  for (int i = 0; i < layers; ++i) {
    tokens = TransformerBlock(scope / "transformer_blocks" / i, tokens, frame_context, heads);
    const ValueId spatial = AlongTime(g, tokens, clip);
    const ValueId numbered = g.Add(AddOp{}, {spatial, frame_numbers});
    const ValueId temporal =
        TemporalTransformerBlock(scope / "temporal_transformer_blocks" / i, numbered, pixel_context, heads);
    tokens = LikeShape(g, Mixed(scope, spatial, temporal, false), {shape.dim(0), pixels, 1, channels});
  }
  const ValueId out = LinearLayer(scope / "proj_out", tokens, channels);
  return g.Add(AddOp{}, {LikeShape(g, out, shape), x}, scope.prefix());
}

ValueId FrameConv(const Scope& scope, ValueId x, std::int64_t out, const ClipShape& clip) {
  Graph& g = scope.graph();
  if (x == kAbsent) return kAbsent;
  Shape shape = g.shape(x);
  shape.set_dim(-1, out);
  return LikeShape(g, TimeConv(scope, AlongTime(g, x, clip), out), shape);
}

}  // namespace ringway::engine
