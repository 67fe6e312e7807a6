// What the vector kernels of the warp share: where its bytes lie, and how the last pixels of a line are
// written. Compiled for each instruction set.
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
void StoreFirst(const std::uint8_t (&eight)[32], int pixels, std::uint8_t* rgb) {
  for (int i = 0; i < pixels; ++i) std::memcpy(rgb + 3 * i, eight + 16 * (i / 4) + 3 * (i % 4), 3);
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WARP_ADDRESSES_H_
