// The decoder of a tiny autoencoder (TAESD, by O. Boer Bohan; diffusers: AutoencoderTiny): latents to
// pictures in a hundredth of the time, good enough to look at.
//
// Input of the graph: "latent" [1, h, w, c], squashed by SquashTinyLatents, in the scale that the UNet knows.
// Output: "picture" [1, 8h, 8w, 3] from 0 to 1, not clamped. Blocks are three convolutions with ReLU and a
// residual. The encoder's weights, in the same file, are left alone. Configurations are bounded: 8 levels, 64
// blocks each. Pure; O(weights).
#ifndef RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_
#define RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_

#include <span>
#include <vector>

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct TinyVaeConfig {
  std::vector<std::int64_t> channels = {64, 64, 64, 64};
  std::vector<std::int64_t> blocks = {3, 3, 3, 1};
  std::int64_t latent_channels = 4, picture_channels = 3;
  double scaling_factor = 1;

  std::int64_t doublings() const { return std::int64_t{1} << (channels.size() - 1); }  // of each side
};
absl::StatusOr<TinyVaeConfig> ReadTinyVaeConfig(Config config);

// No number beyond 3, so that no outlier spoils a preview.
void SquashTinyLatents(std::span<float> latents);
Graph BuildTinyDecoder(const TinyVaeConfig& config, WeightSource& weights, std::int64_t height,
                       std::int64_t width);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_TINY_VAE_H_
