#include <webp/decode.h>

#include "absl/status/status.h"
#include "engine/media/decode.h"

namespace ringway::engine {

absl::StatusOr<Picture> DecodeWebp(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    return absl::InvalidArgumentError("WebP picture is damaged: its header cannot be read");
  if (features.has_animation != 0)
    return absl::InvalidArgumentError("WebP picture is an animation already; a still picture is needed");
  if (absl::Status status = CheckPictureSize(features.width, features.height, "WebP"); !status.ok())
    return status;
  Picture picture = Picture::Blank(features.width, features.height);
  if (features.has_alpha == 0) {
    const int stride = picture.width * 3;
    if (WebPDecodeRGBInto(data, bytes.size(), picture.rgb.data(), picture.rgb.size(), stride) == nullptr)
      return absl::InvalidArgumentError("WebP picture is damaged or truncated");
    return picture;
  }
  std::vector<std::uint8_t> rgba(picture.rgb.size() / 3 * 4);
  if (WebPDecodeRGBAInto(data, bytes.size(), rgba.data(), rgba.size(), picture.width * 4) == nullptr)
    return absl::InvalidArgumentError("WebP picture is damaged or truncated");
  for (std::size_t pixel = 0; pixel < rgba.size() / 4; ++pixel) {
    const int alpha = rgba[pixel * 4 + 3];
    for (std::size_t c = 0; c < 3; ++c)
      picture.rgb[pixel * 3 + c] =
          static_cast<std::uint8_t>((rgba[pixel * 4 + c] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
  return picture;
}

}  // namespace ringway::engine
