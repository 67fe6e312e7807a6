// A tiny autoencoder (TAESD, by O. Boer Bohan; diffusers: AutoencoderTiny): latents to pictures in a
// hundredth of the time, good enough to look at; of a model that was made for it, good enough to keep.
//
// Decoder: "latent" [1, h, w, c], squashed by SquashTinyLatents, in the scale that the UNet knows, to
// "picture" [1, 8h, 8w, 3] from 0 to 1, not clamped. Encoder: "picture" from 0 to 1 to "moments" [1, h, w,
// c], the latents, which are no distribution here. Blocks are three convolutions with ReLU and a residual.
// Configurations are bounded: 8 levels, 64 blocks each. Pure; O(weights).
#ifndef RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_
#define RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_

#include <span>
#include <vector>

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct TinyVaeConfig {
  std::int64_t channels = 64, encoder_channels = 64;
  std::vector<std::int64_t> blocks = {3, 3, 3, 1}, encoder_blocks = {1, 3, 3, 3};  // of each level
  std::int64_t latent_channels = 4, picture_channels = 3;
  double scaling_factor = 1;

  std::int64_t halvings() const { return std::int64_t{1} << (blocks.size() - 1); }  // of each side
};
absl::StatusOr<TinyVaeConfig> ReadTinyVaeConfig(Config config);

// No number beyond 3, so that no outlier spoils a preview.
void SquashTinyLatents(std::span<float> latents);
Graph BuildTinyDecoder(const TinyVaeConfig& config, WeightSource& weights, std::int64_t height,
                       std::int64_t width);
// height and width of the picture.
Graph BuildTinyEncoder(const TinyVaeConfig& config, WeightSource& weights, std::int64_t height,
                       std::int64_t width);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_
