// Looking up a photo at places between its pixels, sharply: what draws every pixel of a film.
//
// Cubic convolution with a = -1/2 (Keys, IEEE ASSP 29(6), 1981) over 4 x 4 pixels, weights from a table of
// 256 places between two pixels. The photo is copied once with four bytes a pixel and a border of repeated
// pixels, so that the inner loop has no cases: coordinates are clamped to the photo, and a row of four pixels
// is one vector of sixteen numbers. One kernel for AVX-512, one for AVX2, one in plain C++, chosen at run
// time; they agree to one step of a channel (fused multiply-add). About 2.5 ns a pixel with AVX-512 (one
// core, Zen 5). Immutable after construction; any thread.
#ifndef RINGWAY_ENGINE_MOTION_WARP_H_
#define RINGWAY_ENGINE_MOTION_WARP_H_

#include <cstdint>
#include <vector>

#include "engine/cpu/isa.h"
#include "engine/media/picture.h"

namespace ringway::engine {

class WarpSource {
 public:
  static constexpr int kBorder = 2;
  explicit WarpSource(const Picture& photo);

  int width() const { return width_; }
  int height() const { return height_; }
  std::int64_t pitch() const { return (width_ + 2 * kBorder) * std::int64_t{4}; }  // bytes
  // The bytes of pixel x, y; up to kBorder beyond the photo.
  const std::uint8_t* At(int x, int y) const {
    return pixels_.data() + (y + kBorder) * pitch() + (x + kBorder) * 4;
  }

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;
};

// rgb[i] = photo at (x[i], y[i]), in pixels, the centre of the first pixel at 0; `count` pixels of three
// bytes.
using WarpRow = void (*)(const WarpSource& source, const float* x, const float* y, int count,
                         std::uint8_t* rgb);
WarpRow WarpRowFor(Isa isa);

void WarpRowScalar(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb);
void WarpRowAvx2(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb);
void WarpRowAvx512(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb);

// The four weights of each of kPlaces places between two pixels, and each weight four times over, for
// vectors.
struct WarpTable {
  static constexpr int kPlaces = 256;
  alignas(64) float repeated[kPlaces][16];
  float weights[kPlaces][4];
};
const WarpTable& TheWarpTable();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WARP_H_
