// The autoencoders between pictures and latents: for pictures (AutoencoderKL; Kingma and Welling,
// arXiv:1312.6114, as Rombach et al., arXiv:2112.10752, have it) and with a decoder that looks along time
// (AutoencoderKLTemporalDecoder). They share the encoder.
//
// Encoder: "picture" [n, h, w, 3] in [-1, 1] to "moments" [n, h/8, w/8, 2 * latent]: the mean in the first
// half of the channels, the logarithm of the variance in the second, before scaling. Decoders: "latent" [n,
// h, w, latent] ([clips * frames, h, w, latent]), already divided by the scaling factor, to "picture". The
// sizes are those of four blocks; a block less halves once less.
#ifndef RINGWAY_ENGINE_NETWORKS_VAE_H_
#define RINGWAY_ENGINE_NETWORKS_VAE_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/unet_svd.h"

namespace ringway::engine {

struct VaeConfig {
  std::vector<std::int64_t> channels = {128, 256, 512, 512};
  int layers = 2;
  int norm_groups = 32;
  std::int64_t picture_channels = 3, latent_channels = 4;
  double scaling_factor = 0.18215;

  std::int64_t halvings() const { return std::int64_t{1} << (channels.size() - 1); }  // of each side
};
absl::StatusOr<VaeConfig> ReadVaeConfig(Config config);

// height and width of the picture.
Graph BuildVaeEncoder(const VaeConfig& config, WeightSource& weights, std::int64_t pictures,
                      std::int64_t height, std::int64_t width);
// height and width of the latents, here and below.
Graph BuildVaeDecoder(const VaeConfig& config, WeightSource& weights, std::int64_t pictures,
                      std::int64_t height, std::int64_t width);
Graph BuildVaeTemporalDecoder(const VaeConfig& config, WeightSource& weights, const ClipSize& size);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_VAE_H_
