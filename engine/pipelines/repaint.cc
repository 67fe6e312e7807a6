#include "engine/pipelines/repaint.h"

#include <algorithm>
#include <cmath>

#include "engine/media/resize.h"

namespace ringway::engine {

Repaint::Repaint(const Picture& mask, const Size& size) : size_(size) {
  const std::vector<float> resized = ResizeToFloats(mask, size.width, size.height);
  pixels_.resize(resized.size() / 3);
  for (std::size_t i = 0; i < pixels_.size(); ++i)
    pixels_[i] =
        std::clamp((resized[3 * i] + resized[3 * i + 1] + resized[3 * i + 2]) / (3 * 255.0f), 0.0f, 1.0f);
  const int columns = size.width / size.scale, rows = size.height / size.scale;
  const auto area = static_cast<float>(size.scale * size.scale);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int y = 0; y < size.scale; ++y)
        for (int x = 0; x < size.scale; ++x)
          sum += pixels_[static_cast<std::size_t>((row * size.scale + y) * size.width + column * size.scale +
                                                  x)];
      latents_.push_back(sum / area);
    }
}

std::vector<float> Repaint::Masked(std::span<const float> photo) const {
  std::vector<float> masked(photo.begin(), photo.end());
  for (std::size_t i = 0; i < masked.size(); ++i)
    if (pixels_[i / 3] >= 0.5f) masked[i] = 0;
  return masked;
}

std::vector<float> Repaint::Told(std::span<const float> masked_latents) const {
  const auto channels = static_cast<std::size_t>(size_.channels);
  std::vector<float> told;
  told.reserve(latents_.size() * (channels + 1));
  for (std::size_t i = 0; i < latents_.size(); ++i) {
    told.push_back(latents_[i] >= 0.5f ? 1.0f : 0.0f);
    told.insert(told.end(), masked_latents.begin() + static_cast<std::ptrdiff_t>(i * channels),
                masked_latents.begin() + static_cast<std::ptrdiff_t>((i + 1) * channels));
  }
  return told;
}

void Repaint::Hold(std::span<const float> photo_latents, std::span<const float> noise,
                   const NoiseLevel& level, std::span<float> x) const {
  const auto channels = static_cast<std::size_t>(size_.channels);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float anew = latents_[i / channels];
    const float held =
        static_cast<float>(level.alpha) * photo_latents[i] + static_cast<float>(level.sigma) * noise[i];
    x[i] = anew * x[i] + (1 - anew) * held;
  }
}

void Repaint::LayOver(const std::vector<float>& photo, Picture& drawn) const {
  for (std::size_t i = 0; i < drawn.rgb.size(); ++i) {
    const float anew = pixels_[i / 3];
    const float mixed = anew * static_cast<float>(drawn.rgb[i]) + (1 - anew) * (photo[i] + 1) * 127.5f;
    drawn.rgb[i] = static_cast<std::uint8_t>(std::clamp(std::lround(mixed), 0L, 255L));
  }
}

}  // namespace ringway::engine
