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

}  // namespace ringway::engine
