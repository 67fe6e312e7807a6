// Looking up a photo at places between its pixels, sharply: what draws every pixel of a film.
//
// Cubic convolution with a = -1/2 (Keys, IEEE ASSP 29(6), 1981) over 4 x 4 pixels, first down, then across,
// at one of 256 places between two pixels. All in whole numbers: a channel is kept as 64 times its value, a
// weight as 2^15 times its own, and a product is rounded to the nearest; the error is under a tenth of a
// step of a channel. The photo is copied once with four channels a pixel and a border of repeated pixels, so
// that the inner loop has no cases. One kernel for AVX-512, one for AVX2, one for NEON, one in plain C++,
// chosen at run time: the same bytes from each. Where a pixel looks is added up in the kernel too, in single
// precision without fused multiply-add. Immutable after construction; any thread.
#ifndef RINGWAY_ENGINE_MOTION_WARP_H_
#define RINGWAY_ENGINE_MOTION_WARP_H_

#include <cstdint>
#include <vector>

#include "engine/cpu/isa.h"
#include "engine/media/picture.h"

namespace ringway::engine {

// What kernels see of a photo.
struct WarpPixels {
  const std::int16_t* first;  // of the pixel at (-1, -1)
  std::int64_t pitch;         // numbers from a row to the next
  int width, height;
};

class WarpSource {
 public:
  static constexpr int kBorder = 2, kChannels = 4, kScaleBits = 6;
  explicit WarpSource(const Picture& photo);

  int width() const { return width_; }
  int height() const { return height_; }
  WarpPixels pixels() const;

 private:
  std::int64_t pitch() const { return (width_ + 2 * kBorder) * std::int64_t{kChannels}; }
  int width_, height_;
  std::vector<std::int16_t> pixels_;
};

// A line of a film: pixel i looks at (x, y) = (at_x[i] + sum of x.weights[k] * x.rows[k][i], at_y + ...), in
// pixels of the photo, the centre of the first at 0; beyond the photo it sees the nearest pixel, and the
// first where the place is no number.
struct WarpLine {
  struct Moved {
    const float* rows[4];
    float weights[4];
  };
  Moved x, y;
  const float* at_x;
  float at_y;
  int count;
};

// Writes line.count pixels of three bytes.
using WarpFn = void (*)(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb);
WarpFn WarpFor(Isa isa);

void WarpScalar(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb);
void WarpNeon(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb);
void WarpAvx2(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb);
void WarpAvx512(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb);

// The four weights of each of kPlaces places between two pixels, times 2^15: of the rows, each sixteen times,
// and of the columns, each four times, as the vectors want them.
struct WarpTable {
  static constexpr int kPlaceBits = 8, kPlaces = 1 << kPlaceBits;
  alignas(64) std::int16_t down[kPlaces][4][16];
  alignas(64) std::int16_t across[kPlaces][16];
};
const WarpTable& TheWarpTable();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WARP_H_
