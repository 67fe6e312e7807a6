#include "engine/networks/autoencoder.h"

namespace ringway::engine {

std::int64_t Autoencoder::latent_channels() const {
  return std::visit([](const auto& network) { return network.latent_channels; }, network_);
}

std::int64_t Autoencoder::picture_channels() const {
  return std::visit([](const auto& network) { return network.picture_channels; }, network_);
}

// A distribution's means, and the logarithms of its variances; a tiny encoder gives the latents alone.
std::int64_t Autoencoder::encoded_channels() const { return latent_channels() * (tiny() ? 1 : 2); }

std::int64_t Autoencoder::halvings() const {
  return std::visit([](const auto& network) { return network.halvings(); }, network_);
}

double Autoencoder::scaling_factor() const {
  return std::visit([](const auto& network) { return network.scaling_factor; }, network_);
}

Graph Autoencoder::BuildDecoder(WeightSource& weights, std::int64_t height, std::int64_t width) const {
  if (const auto* kl = std::get_if<VaeConfig>(&network_))
    return BuildVaeDecoder(*kl, weights, 1, height, width);
  return BuildTinyDecoder(std::get<TinyVaeConfig>(network_), weights, height, width);
}

Graph Autoencoder::BuildEncoder(WeightSource& weights, std::int64_t height, std::int64_t width) const {
  height *= halvings();
  width *= halvings();
  if (const auto* kl = std::get_if<VaeConfig>(&network_))
    return BuildVaeEncoder(*kl, weights, 1, height, width);
  return BuildTinyEncoder(std::get<TinyVaeConfig>(network_), weights, height, width);
}

Autoencoder::Prefixes Autoencoder::encoder_prefixes() const {
  static const Prefixes kKl = {"encoder.", "quant_conv."}, kTiny = {"encoder."};
  return tiny() ? kTiny : kKl;
}

Autoencoder::Prefixes Autoencoder::decoder_prefixes() const {
  static const Prefixes kKl = {"decoder.", "post_quant_conv."}, kTiny = {"decoder."};
  return tiny() ? kTiny : kKl;
}

void Autoencoder::ForDecoder(std::span<float> latents) const {
  if (tiny()) SquashTinyLatents(latents);
}

void Autoencoder::FromDecoder(std::span<float> picture) const {
  if (!tiny()) return;
  for (float& x : picture) x = 2 * x - 1;
}

void Autoencoder::ForEncoder(std::span<float> picture) const {
  if (!tiny()) return;
  for (float& x : picture) x = (x + 1) / 2;
}

}  // namespace ringway::engine
