#include "engine/motion/warp.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/motion/field.h"
#include "engine/motion/warp_place.h"

namespace ringway::engine {

WarpSource::WarpSource(const Picture& photo) : width_(photo.width), height_(photo.height) {
  const int columns = width_ + 2 * kBorder;
  pixels_.resize(static_cast<std::size_t>(pitch()) * static_cast<std::size_t>(height_ + 2 * kBorder));
  std::uint8_t* to = pixels_.data();
  for (int y = -kBorder; y < height_ + kBorder; ++y) {
    for (int x = -kBorder; x < columns - kBorder; ++x, to += 4)
      std::memcpy(to, photo.At(std::clamp(x, 0, width_ - 1), std::clamp(y, 0, height_ - 1)), 3);
  }
}

const WarpTable& TheWarpTable() {
  static const WarpTable table = [] {
    WarpTable t;
    for (int i = 0; i < WarpTable::kPlaces; ++i) {
      const CubicWeights cubic(static_cast<float>(i) / WarpTable::kPlaces);
      for (int k = 0; k < 16; ++k) t.repeated[i][k] = cubic.w[k / 4];
      std::copy(cubic.w, cubic.w + 4, t.weights[i]);
    }
    return t;
  }();
  return table;
}

void WarpRowScalar(const WarpSource& source, const float* x, const float* y, int count, std::uint8_t* rgb) {
  const WarpTable& table = TheWarpTable();
  for (int i = 0; i < count; ++i) {
    const WarpPlace place(source, x[i], y[i]);
    float sum[3] = {};
    for (int r = 0; r < 4; ++r) {
      const std::uint8_t* row = place.first + r * source.pitch();
      for (int k = 0; k < 4; ++k) {
        const float w = table.weights[place.down][r] * table.weights[place.across][k];
        for (int c = 0; c < 3; ++c) sum[c] += w * static_cast<float>(row[k * 4 + c]);
      }
    }
    for (const float s : sum) *rgb++ = static_cast<std::uint8_t>(std::clamp(std::lrint(s), 0L, 255L));
  }
}

WarpRow WarpRowFor(Isa isa) {
  if (isa >= Isa::kAvx512) return WarpRowAvx512;
  return isa == Isa::kAvx2 ? WarpRowAvx2 : WarpRowScalar;
}

}  // namespace ringway::engine
