// Pictures and animations as the engine handles them: 8-bit RGB in sRGB, row after row, no padding.
//
// Transparency has no meaning for a photo that is to be animated, so readers lay it over white. An animation
// is frames of one size with one time between them. The bounds here hold for everything that comes in and
// goes out: 64 million pixels a picture, 1024 frames, a billion pixels an animation; within them a reader
// needs at most about eight bytes a pixel.
#ifndef RINGWAY_ENGINE_MEDIA_PICTURE_H_
#define RINGWAY_ENGINE_MEDIA_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/check.h"

namespace ringway::engine {

inline constexpr std::int64_t kPicturePixelsMax = 64'000'000;
inline constexpr int kPictureSideMax = 32'768;
inline constexpr std::size_t kAnimationFramesMax = 1024;
inline constexpr std::int64_t kAnimationPixelsMax = 1'000'000'000;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // height x width x 3

  static Picture Blank(int width, int height) {
    RINGWAY_CHECK(width > 0 && height > 0);
    return {
        width, height,
        std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)};
  }
  std::uint8_t* At(int x, int y) {
    return rgb.data() +
           (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3;
  }
  const std::uint8_t* At(int x, int y) const { return const_cast<Picture*>(this)->At(x, y); }
  friend bool operator==(const Picture&, const Picture&) = default;
};

struct Animation {
  int delay_ms = 42;  // between frames; GIF rounds it to hundredths of a second
  std::vector<Picture> frames;
  std::vector<std::string> notes = {};  // for people: what of the request was not understood
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_PICTURE_H_
