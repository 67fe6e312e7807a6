#include "engine/media/exif.h"

#include <algorithm>

namespace ringway::engine {
namespace {

constexpr std::size_t kEntriesMax = 1000;
constexpr std::uint32_t kOrientationTag = 0x0112;

// Reads numbers of a TIFF in its byte order; what lies outside reads as zero.
class Tiff {
 public:
  explicit Tiff(std::string_view bytes) : bytes_(bytes), big_(bytes.starts_with("MM")) {}
  std::uint32_t Number(std::size_t at, std::size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return 0;
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t place = big_ ? at + i : at + width - 1 - i;
      n = n << 8 | static_cast<std::uint8_t>(bytes_[place]);
    }
    return n;
  }

 private:
  std::string_view bytes_;
  bool big_;
};

}  // namespace

int ExifOrientation(std::string_view segment) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  if (!segment.starts_with(kExif)) return 1;
  segment.remove_prefix(kExif.size());
  if (!segment.starts_with("MM") && !segment.starts_with("II")) return 1;
  const Tiff tiff(segment);
  if (tiff.Number(2, 2) != 42) return 1;
  const std::size_t directory = tiff.Number(4, 4);
  const std::size_t entries = std::min<std::size_t>(tiff.Number(directory, 2), kEntriesMax);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * 12;
    if (tiff.Number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = tiff.Number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Picture TurnUpright(Picture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  // Codes 5 to 8 are transposed; the low bits say which of the stored axes run backwards.
  const bool transposed = orientation >= 5;
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const int width = transposed ? picture.height : picture.width;
  const int height = transposed ? picture.width : picture.height;
  Picture upright = Picture::Blank(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int from_x = transposed ? y : x;
      int from_y = transposed ? x : y;
      if (flip_x) from_x = picture.width - 1 - from_x;
      if (flip_y) from_y = picture.height - 1 - from_y;
      std::copy_n(picture.At(from_x, from_y), 3, upright.At(x, y));
    }
  }
  return upright;
}

}  // namespace ringway::engine
