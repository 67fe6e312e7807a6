#include <png.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"

namespace ringway::engine {

absl::StatusOr<Picture> DecodePng(std::string_view bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto failed = [&image] {
    const std::string why = image.message;
    png_image_free(&image);
    return absl::InvalidArgumentError(absl::StrCat("PNG picture is damaged: ", why));
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return failed();
  if (absl::Status status = CheckPictureSize(image.width, image.height, "PNG"); !status.ok()) {
    png_image_free(&image);
    return status;
  }
  image.format = PNG_FORMAT_RGB;
  // Sixteen bits say how fine the steps are, not that they are linear in light, as libpng's simple reader
  // would have it: without this a photo of 16 bits comes out washed out. A file's own gAMA or sRGB still
  // counts.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  Picture picture = Picture::Blank(static_cast<int>(image.width), static_cast<int>(image.height));
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.rgb.data(), 0, nullptr) == 0) return failed();
  return picture;
}

absl::StatusOr<std::optional<Picture>> DecodePngTransparency(std::string_view bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto failed = [&image] {
    const std::string why = image.message;
    png_image_free(&image);
    return absl::InvalidArgumentError(absl::StrCat("PNG picture is damaged: ", why));
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return failed();
  const absl::Status fits = CheckPictureSize(image.width, image.height, "PNG");
  if (!fits.ok() || (image.format & PNG_FORMAT_FLAG_ALPHA) == 0) {
    png_image_free(&image);
    if (!fits.ok()) return fits;
    return std::optional<Picture>();
  }
  image.format = PNG_FORMAT_RGBA;
  Picture mask = Picture::Blank(static_cast<int>(image.width), static_cast<int>(image.height));
  std::vector<std::uint8_t> pixels(mask.rgb.size() / 3 * 4);
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) return failed();
  for (std::size_t i = 0; i < mask.rgb.size(); ++i)
    mask.rgb[i] = static_cast<std::uint8_t>(255 - pixels[i / 3 * 4 + 3]);
  return std::optional<Picture>(std::move(mask));
}

}  // namespace ringway::engine
