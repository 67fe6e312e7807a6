// The autoencoder of a latent diffusion model, of whichever class the checkpoint has it: AutoencoderKL
// (vae.h), or AutoencoderTiny (tiny_vae.h), which few-step models are often drawn with.
//
// Their networks differ in what their numbers mean. What is said here holds for both: pictures from -1 to 1,
// latents in the autoencoder's scale, one picture at a time. A decoder's input is `ForDecoder` of the latents
// and its output `FromDecoder` to a picture; an encoder's input is `ForEncoder` of the picture, and the first
// latent_channels() of the encoded_channels() that it gives for each place are the latents. Pure; O(numbers).
#ifndef RINGWAY_ENGINE_NETWORKS_AUTOENCODER_H_
#define RINGWAY_ENGINE_NETWORKS_AUTOENCODER_H_

#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "engine/networks/tiny_vae.h"
#include "engine/networks/vae.h"

namespace ringway::engine {

class Autoencoder {
 public:
  using Prefixes = std::initializer_list<std::string_view>;

  Autoencoder() = default;
  explicit Autoencoder(VaeConfig config) : network_(std::move(config)) {}
  explicit Autoencoder(TinyVaeConfig config) : network_(std::move(config)) {}

  std::int64_t latent_channels() const;
  std::int64_t picture_channels() const;
  std::int64_t encoded_channels() const;
  std::int64_t halvings() const;  // of each side
  double scaling_factor() const;

  // Height and width of the latents. Inputs "latent" and "picture", outputs "picture" and "moments".
  Graph BuildDecoder(WeightSource& weights, std::int64_t height, std::int64_t width) const;
  Graph BuildEncoder(WeightSource& weights, std::int64_t height, std::int64_t width) const;
  // Of the tensors that the decoder leaves to the encoder, and the other way round.
  Prefixes encoder_prefixes() const;
  Prefixes decoder_prefixes() const;

  void ForDecoder(std::span<float> latents) const;
  void FromDecoder(std::span<float> picture) const;
  void ForEncoder(std::span<float> picture) const;

 private:
  bool tiny() const { return std::holds_alternative<TinyVaeConfig>(network_); }

  std::variant<VaeConfig, TinyVaeConfig> network_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_AUTOENCODER_H_
