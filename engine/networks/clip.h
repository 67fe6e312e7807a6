// CLIP's two encoders (Radford et al., arXiv:2103.00020), as transformers names their weights.
//
// Text: "ids" i32 [n, tokens] to "hidden" [n, tokens, 1, d], after the last norm, which is the context of
// Stable Diffusion; `skipped` leaves the last layers out (what people call clip skip), the norm stays. What
// Stable Diffusion XL reads is the layer before the last, as it is, and "summary" [1, projection], the row of
// token number "end" i32 [1] after all layers and the last norm, projected.
// Picture: "picture" [1, size, size, 3], normalised, to "embedding" [1, projection], which is the context of
// Stable Video Diffusion; one picture at a time. Both are stacks of layer_norm1, self_attn, layer_norm2, mlp.
#ifndef RINGWAY_ENGINE_NETWORKS_CLIP_H_
#define RINGWAY_ENGINE_NETWORKS_CLIP_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct ClipConfig {
  std::int64_t channels = 768, hidden = 3072, layers = 12, heads = 12;
  Activation activation = Activation::kQuickGelu;
  std::int64_t vocabulary = 49408, tokens_max = 77;               // text
  std::int64_t picture_size = 224, patch = 32, projection = 512;  // picture
};
absl::StatusOr<ClipConfig> ReadClipConfig(Config config);

enum class ClipTextResult : std::uint8_t { kNormed, kBeforeLast, kBeforeLastAndSummary };
// A summary is of one text.
// `rows`: "rows" [texts, tokens, 1, d] instead of "ids", the rows of the table that the numbers stand for.
Graph BuildClipText(const ClipConfig& config, WeightSource& weights, std::int64_t texts,
                    std::int64_t skipped = 0, ClipTextResult result = ClipTextResult::kNormed,
                    bool rows = false);
inline constexpr char kClipTable[] = "text_model.embeddings.token_embedding.weight";
Graph BuildClipVision(const ClipConfig& config, WeightSource& weights);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_CLIP_H_
