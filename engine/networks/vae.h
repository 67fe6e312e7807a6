// The autoencoder between pictures and latents, with a decoder that looks along time
// (AutoencoderKLTemporalDecoder).
//
// Encoder: "picture" [n, h, w, 3] in [-1, 1] to "moments" [n, h/8, w/8, 2 * latent]: the mean in the first
// half of the channels, the logarithm of the variance in the second, before scaling. Decoder: "latent" [clips
// * frames, h, w, latent], already divided by the scaling factor, to "picture". The sizes are those of four
// blocks; a block less halves once less.
#ifndef RINGWAY_ENGINE_NETWORKS_VAE_H_
#define RINGWAY_ENGINE_NETWORKS_VAE_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/unet_svd.h"

namespace ringway::engine {

struct VaeConfig {
  std::vector<std::int64_t> channels = {128, 256, 512, 512};
  int layers = 2;
  std::int64_t picture_channels = 3, latent_channels = 4;
  double scaling_factor = 0.18215;
};
absl::StatusOr<VaeConfig> ReadVaeConfig(Config config);

// height and width of the picture.
Graph BuildVaeEncoder(const VaeConfig& config, WeightSource& weights, std::int64_t pictures,
                      std::int64_t height, std::int64_t width);
// height and width of the latents.
Graph BuildVaeTemporalDecoder(const VaeConfig& config, WeightSource& weights, const ClipSize& size);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_VAE_H_
