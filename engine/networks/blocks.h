// The blocks that diffusion networks share, under the names that diffusers gives their weights.
//
// Pictures are [n, h, w, c], tokens [n, tokens, 1, c]; a clip's frames follow each other in n, see
// tensor/shape.h. Each function adds one block to the scope's graph and returns its result. Nothing is
// optimised here: norms, activations, additions and repeated contexts are written as the reference writes
// them, and the passes make them fast. The grammar is that of diffusers (ResnetBlock2D, Transformer2DModel,
// BasicTransformerBlock, Attention, FeedForward).
#ifndef RINGWAY_ENGINE_NETWORKS_BLOCKS_H_
#define RINGWAY_ENGINE_NETWORKS_BLOCKS_H_

#include "engine/networks/weight_source.h"

namespace ringway::engine {

inline constexpr int kNormGroups = 32;  // where a configuration names no other number

ValueId LinearLayer(const Scope& scope, ValueId x, std::int64_t out, bool bias = true);
// Square kernels of an odd size, padded to keep the size (stride 1) or halve it (stride 2).
ValueId ConvLayer(const Scope& scope, ValueId x, std::int64_t out, int kernel = 3, int stride = 1);
ValueId GroupNormLayer(const Scope& scope, ValueId x, float epsilon, int groups = kNormGroups);
ValueId LayerNormLayer(const Scope& scope, ValueId x, float epsilon = 1e-5f);
// By the root of the mean square; with a weight.
ValueId RmsNormLayer(const Scope& scope, ValueId x, float epsilon);
ValueId Silu(Graph& graph, ValueId x);

// time -> sinusoid of `channels` -> linear_1, silu, linear_2: [n] to [n, out].
ValueId TimeEmbeddingLayer(const Scope& scope, ValueId sinusoid, std::int64_t hidden, std::int64_t out);

// `activated_time` is silu of the time embedding, [n or 1, e], or absent in a VAE.
ValueId ResnetBlock(const Scope& scope, ValueId x, ValueId activated_time, std::int64_t out, float epsilon,
                    int groups = kNormGroups);

struct AttentionSettings {
  int heads = 8;
  bool projection_bias = false;  // of q, k and v
};
// to_q, to_k, to_v, to_out.0; q is [b, l, p, c] and the context as attention wants it (op.h). The residual is
// not added.
ValueId AttentionLayer(const Scope& scope, ValueId x, ValueId context, const AttentionSettings& settings);
// net.0.proj, GEGLU, net.2
ValueId FeedForwardLayer(const Scope& scope, ValueId x);
// norm1 attn1 norm2 attn2 norm3 ff, each with its residual. An absent context makes attn2 attend to x itself.
ValueId TransformerBlock(const Scope& scope, ValueId tokens, ValueId context, int heads);

// Self-attention over the pixels of a picture as VAEs have it: group_norm, q, k, v with bias, residual. Takes
// the names of today (to_q, to_k, to_v, to_out.0) or, where only they are there, those of old exports (query,
// key, value, proj_attn).
ValueId PixelAttention(const Scope& scope, ValueId x, float epsilon, int groups = kNormGroups);

// [n, h, w, c] <-> [n, h * w, 1, c]
ValueId ToTokens(Graph& graph, ValueId pictures);
ValueId ToPictures(Graph& graph, ValueId tokens, std::int64_t height, std::int64_t width);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_BLOCKS_H_
