// The diffusion transformer of the LTX-Video class (LTXVideoTransformer3DModel), as diffusers names its
// weights.
//
// Inputs: "sample" [batch, tokens, 1, in_channels], a token for each latent, frame by frame and line by line;
// "context" [batch, words, 1, caption_channels], the text encoder's rows; "mask" [batch, words], 0 for a word
// that counts and a large negative number for padding, added to the scores of cross-attention; "time" [1],
// the level of noise times 1000, for the whole batch; "turns" [tokens, channels], what FilmTurns makes.
// Output: "prediction" like the sample, the velocity of flow matching (arXiv:2210.02747).
//
// A block is self-attention whose normed queries and keys are turned by the places of their latents in time,
// height and width (arXiv:2104.09864), cross-attention to the words without turning, and a feed-forward
// layer; the first and the last are scaled, shifted and gated by rows of the time's embedding plus a table of
// the block's own (adaLN-single, arXiv:2310.00426). The rows are computed once and the table is a weight.
#ifndef RINGWAY_ENGINE_NETWORKS_FILM_TRANSFORMER_H_
#define RINGWAY_ENGINE_NETWORKS_FILM_TRANSFORMER_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct FilmTransformerConfig {
  std::int64_t in_channels = 128, out_channels = 128, heads = 32, head_channels = 64, layers = 28;
  std::int64_t caption_channels = 4096;
  bool attention_bias = true, out_bias = true, norm_weights = false;
  float epsilon = 1e-6f;
  std::int64_t channels() const { return heads * head_channels; }
};
absl::StatusOr<FilmTransformerConfig> ReadFilmTransformerConfig(Config config);

struct FilmTransformerSize {
  std::int64_t batch = 1, tokens = 1, words = 1;
};
Graph BuildFilmTransformer(const FilmTransformerConfig& config, WeightSource& weights,
                           const FilmTransformerSize& size);

// Latents of a film, and how far one is from the next: seconds in time, pixels in height and width.
struct FilmGrid {
  std::int64_t frames = 1, height = 1, width = 1;
  double seconds = 1, pixels = 1;
};
// Cosines and sines in pairs, [tokens, channels].
std::vector<float> FilmTurns(const FilmGrid& grid, std::int64_t channels);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_FILM_TRANSFORMER_H_
