#include "core/check.h"
#include "engine/media/decode.h"
#include "engine/media/exif.h"
#include "tests/engine/fuzz/targets.h"

namespace ringway::engine {
namespace {

// What is accepted is a whole picture within the bounds.
bool Whole(const absl::StatusOr<Picture>& picture) {
  if (!picture.ok()) return false;
  const auto pixels = std::int64_t{picture->width} * picture->height;
  RINGWAY_CHECK(pixels > 0 && pixels <= kPicturePixelsMax);
  RINGWAY_CHECK(picture->rgb.size() == static_cast<std::size_t>(pixels) * 3);
  return true;
}

}  // namespace

bool FuzzPng(std::string_view bytes) { return Whole(DecodePng(bytes)); }
bool FuzzJpeg(std::string_view bytes) { return Whole(DecodeJpeg(bytes)); }
bool FuzzWebp(std::string_view bytes) { return Whole(DecodeWebp(bytes)); }
bool FuzzExif(std::string_view bytes) {
  const int orientation = ExifOrientation(bytes);
  RINGWAY_CHECK(orientation >= 1 && orientation <= 8);
  return orientation != 1;
}

}  // namespace ringway::engine
