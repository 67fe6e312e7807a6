#include "engine/motion/warp.h"

#include <algorithm>
#include <cmath>

#include "engine/motion/cubic_weights.h"
#include "engine/motion/warp_addresses.h"

namespace ringway::engine {
namespace {

constexpr int kOne = 1 << 15;

std::int16_t Weight(float w) {
  return static_cast<std::int16_t>(std::min(std::lrint(w * kOne), static_cast<long>(kOne - 1)));
}

// The product of a channel or a sum and a weight, rounded.
int Times(int value, int weight) { return (value * weight + kOne / 2) >> 15; }

}  // namespace

WarpSource::WarpSource(const Picture& photo) : width_(photo.width), height_(photo.height) {
  const int columns = width_ + 2 * kBorder;
  pixels_.resize(static_cast<std::size_t>(pitch()) * static_cast<std::size_t>(height_ + 2 * kBorder));
  std::int16_t* to = pixels_.data();
  for (int y = -kBorder; y < height_ + kBorder; ++y) {
    for (int x = -kBorder; x < columns - kBorder; ++x, to += kChannels) {
      const std::uint8_t* from = photo.At(std::clamp(x, 0, width_ - 1), std::clamp(y, 0, height_ - 1));
      for (int c = 0; c < 3; ++c) to[c] = static_cast<std::int16_t>(from[c] << kScaleBits);
    }
  }
}

WarpPixels WarpSource::pixels() const {
  return {pixels_.data() + (kBorder - 1) * (pitch() + kChannels), pitch(), width_, height_};
}

const WarpTable& TheWarpTable() {
  static const WarpTable table = [] {
    WarpTable t;
    for (int i = 0; i < WarpTable::kPlaces; ++i) {
      const CubicWeights cubic(static_cast<float>(i) / WarpTable::kPlaces);
      for (int r = 0; r < 4; ++r) std::fill_n(t.down[i][r], 16, Weight(cubic.w[r]));
      for (int k = 0; k < 16; ++k) t.across[i][k] = Weight(cubic.w[k / 4]);
    }
    return t;
  }();
  return table;
}

void WarpScalar(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb) {
  const WarpAddresses addresses(photo, TheWarpTable());
  const auto numbers = [](const char* p) { return reinterpret_cast<const std::int16_t*>(p); };
  WarpPlaces places;
  for (int begin = 0; begin < line.count; begin += kStretch) {
    const int count = std::min(line.count - begin, kStretch);
    places.Find(photo, line, begin, count);
    for (int i = 0; i < count; ++i) {
      const std::int16_t* down = numbers(addresses.down + places.down[i]);
      const std::int16_t* across = numbers(addresses.across + places.across[i]);
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int k = 0; k < 4; ++k) {
          int column = 0;
          for (int r = 0; r < 4; ++r)
            column += Times(numbers(addresses.rows[r] + places.first[i])[k * WarpSource::kChannels + c],
                            down[16 * r]);
          sum += Times(column, across[4 * k]);
        }
        const int rounded = (sum + (1 << (WarpSource::kScaleBits - 1))) >> WarpSource::kScaleBits;
        *rgb++ = static_cast<std::uint8_t>(std::clamp(rounded, 0, 255));
      }
    }
  }
}

WarpFn WarpFor([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa >= Isa::kAvx512) return WarpAvx512;
  if (isa == Isa::kAvx2) return WarpAvx2;
#elif defined(__aarch64__)
  if (isa == Isa::kNeon) return WarpNeon;
#endif
  return WarpScalar;
}

}  // namespace ringway::engine
