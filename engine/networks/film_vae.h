// The decoder of the LTX-Video class's autoencoder (AutoencoderKLLTXVideo), as diffusers names its weights.
//
// "latent" [frames, height, width, latent_channels], as the transformer has them, to "picture"
// [frames', height', width', 3], -1 black and 1 white, of one film: every up-sampling makes 2 f - 1 frames of
// f and doubles the sides, and the last layer's channels become patch_size times as many pixels a side.
// Latents are first brought back by the checkpoint's means and deviations. A resnet is RMS norm over a
// pixel's channels (no weight), silu, a convolution over frames, twice, and the residual; where the number of
// channels changes it goes through a layer norm and a convolution of one tap. Convolutions over frames see
// the same number of frames before and after, or, where the configuration says causal, those before alone;
// the film's first and last frame last beyond its ends. The encoder is not read: films start from noise. What
// later checkpoints of the class add (noise in the decoder, a time it is told, residuals in up-sampling) is
// refused by its key.
#ifndef RINGWAY_ENGINE_NETWORKS_FILM_VAE_H_
#define RINGWAY_ENGINE_NETWORKS_FILM_VAE_H_

#include "engine/checkpoint/model_directory.h"
#include "engine/networks/weight_source.h"

namespace ringway::engine {

struct FilmVaeConfig {
  std::vector<std::int64_t> channels = {128, 256, 512, 512};  // finest first
  std::vector<bool> doubles = {true, true, true, false};      // up-sampling, as channels
  std::vector<std::int64_t> layers = {4, 3, 3, 3, 4};         // as channels, and the middle's
  std::int64_t latent_channels = 128, picture_channels = 3, patch = 4, frame_patch = 1;
  float epsilon = 1e-6f;
  double scaling_factor = 1;
  bool causal = false;

  int doublings() const;
  // Pixels a side, and frames, that a latent stands for; the first frame has a latent of its own.
  std::int64_t side_of_latent() const { return patch << doublings(); }
  std::int64_t frames_of_latent() const { return frame_patch << doublings(); }
};
absl::StatusOr<FilmVaeConfig> ReadFilmVaeConfig(Config config);

struct FilmVaeSize {
  std::int64_t frames = 1, height = 1, width = 1;  // latents
};
Graph BuildFilmVaeDecoder(const FilmVaeConfig& config, WeightSource& weights, const FilmVaeSize& size);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_FILM_VAE_H_
