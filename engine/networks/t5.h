// T5's encoder in version 1.1 (Raffel et al., arXiv:1910.10683; Shazeer, arXiv:2002.05202), as transformers
// names its weights: what a film's transformer is told of a prompt.
//
// "ids" i32 [texts, tokens] to "hidden" [texts, tokens, 1, d_model], after the last norm. A layer is RMS
// norm, self-attention, residual, RMS norm, gelu of wi_0 times wi_1, wo, residual; no layer has a bias.
// Scores are not scaled; what tells places apart is a number for each head and bucket of distances, which the
// first block's table holds for all blocks and which is derived once, with the weights. Buckets are as many
// for keys behind a query as for keys before it: half of them a distance each, the rest in a logarithm of it
// up to the longest. Padding is not hidden, for the models that read this encoder were trained so.
#ifndef RINGWAY_ENGINE_NETWORKS_T5_H_
#define RINGWAY_ENGINE_NETWORKS_T5_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct T5Config {
  std::int64_t channels = 512, head_channels = 64, hidden = 1024, layers = 8, heads = 6;
  std::int64_t vocabulary = 32128, buckets = 32, distance_max = 128;
  float epsilon = 1e-6f;
};
absl::StatusOr<T5Config> ReadT5Config(Config config);

// The bucket of a key that is `distance` tokens after its query.
std::int32_t T5Bucket(const T5Config& config, std::int64_t distance);

Graph BuildT5Encoder(const T5Config& config, WeightSource& weights, std::int64_t texts, std::int64_t tokens);
// The table's second name in checkpoints that store it twice.
inline constexpr char kT5TableCopy[] = "encoder.embed_tokens.";

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_T5_H_
