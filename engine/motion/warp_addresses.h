// What the kernels of the warp share: where pixels look, where the bytes for that lie, and how the last
// pixels of a line are written. Plain loops, compiled for each instruction set, which the compiler turns into
// its vectors.
//
// Internal linkage on purpose, as in cpu/vector_scalar.h: an inline function shared between files that are
// compiled for different processors could be linked from the wrong one.
#ifndef RINGWAY_ENGINE_MOTION_WARP_ADDRESSES_H_
#define RINGWAY_ENGINE_MOTION_WARP_ADDRESSES_H_

#include <cstring>

#include "engine/motion/warp.h"

namespace ringway::engine {
namespace {

constexpr int kStretch = 256;  // of a line

float Moved(const WarpLine::Moved& moved, int i) {
  float sum = moved.weights[0] * moved.rows[0][i];
  for (int k = 1; k < 4; ++k) sum += moved.weights[k] * moved.rows[k][i];
  return sum;
}

// A place in steps of the table, kept inside the photo; 0 where it is no number.
std::int32_t Steps(float at, float last) {
  const float least = at > 0.0f ? at : 0.0f;
  const float inside = least < last ? least : last;
  return static_cast<std::int32_t>(inside * WarpTable::kPlaces + 0.5f);
}

// Where the pixels of a stretch look, as offsets in bytes. All are found before the first is drawn, so that
// drawing never waits for a place.
struct WarpPlaces {
  // From the photo's first number to the neighbour at the top left, and into the table. A vector of eight may
  // read beyond the last that was found: those are the photo's first pixel.
  std::uint32_t first[kStretch] = {}, across[kStretch] = {}, down[kStretch] = {};

  void Find(const WarpPixels& photo, const WarpLine& line, int begin, int count) {
    constexpr std::int32_t kPlace = WarpTable::kPlaces - 1;
    const auto pitch = static_cast<std::uint32_t>(photo.pitch) * std::uint32_t{sizeof(std::int16_t)};
    const float last_x = static_cast<float>(photo.width - 1), last_y = static_cast<float>(photo.height - 1);
    const WarpLine::Moved moved_x = line.x, moved_y = line.y;
    const float* at_x = line.at_x;
    const float at_y = line.at_y;
    for (int i = 0; i < count; ++i) {
      const std::int32_t x = Steps(Moved(moved_x, begin + i) + at_x[begin + i], last_x);
      const std::int32_t y = Steps(Moved(moved_y, begin + i) + at_y, last_y);
      first[i] = static_cast<std::uint32_t>(y >> WarpTable::kPlaceBits) * pitch +
                 static_cast<std::uint32_t>(x >> WarpTable::kPlaceBits) * kPixelBytes;
      across[i] = static_cast<std::uint32_t>(x & kPlace) * std::uint32_t{sizeof(WarpTable::across[0])};
      down[i] = static_cast<std::uint32_t>(y & kPlace) * std::uint32_t{sizeof(WarpTable::down[0])};
    }
  }
  static constexpr std::uint32_t kPixelBytes = WarpSource::kChannels * sizeof(std::int16_t);
};

// Addresses to which a place's offsets in bytes are added as they are.
struct WarpAddresses {
  const char* rows[4];  // of a neighbourhood
  const char* down;
  const char* across;

  WarpAddresses(const WarpPixels& photo, const WarpTable& table)
      : down(reinterpret_cast<const char*>(table.down)), across(reinterpret_cast<const char*>(table.across)) {
    for (int r = 0; r < 4; ++r) rows[r] = reinterpret_cast<const char*>(photo.first + r * photo.pitch);
  }
};

// The first of eight pixels, of which each half holds four in its first twelve bytes.
[[maybe_unused]] void StoreFirst(const std::uint8_t (&eight)[32], int pixels, std::uint8_t* rgb) {
  for (int i = 0; i < pixels; ++i) std::memcpy(rgb + 3 * i, eight + 16 * (i / 4) + 3 * (i % 4), 3);
}

// Draws a line, `kPixels` of them at a time: whole(places, i, rgb) the pixels from the i-th place on, and
// first(places, i, pixels, rgb) the last ones, of which the other places look somewhere.
template <int kPixels, typename Whole, typename First>
void DrawLine(const WarpPixels& photo, const WarpLine& line, std::uint8_t* rgb, Whole whole, First first) {
  WarpPlaces places;
  for (int begin = 0; begin < line.count; begin += kStretch) {
    const int count = line.count - begin < kStretch ? line.count - begin : kStretch;
    places.Find(photo, line, begin, count);
    int i = 0;
    for (; i + kPixels <= count; i += kPixels, rgb += 3 * kPixels) whole(places, i, rgb);
    if (i < count) first(places, i, count - i, rgb);
  }
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WARP_ADDRESSES_H_
