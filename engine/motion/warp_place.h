// Where a pixel's 4 x 4 neighbours lie, for the warp kernels: shared text, compiled for each instruction set.
//
// Internal linkage on purpose, as in cpu/vector_scalar.h: an inline function shared between files that are
// compiled for different processors could be linked from the wrong one. A place that is no number counts as
// the first pixel.
#ifndef RINGWAY_ENGINE_MOTION_WARP_PLACE_H_
#define RINGWAY_ENGINE_MOTION_WARP_PLACE_H_

#include "engine/motion/warp.h"

namespace ringway::engine {
namespace {

struct WarpPlace {
  const std::uint8_t* first;  // the neighbour at the top left
  int across, down;           // rows of the table

  WarpPlace(const WarpSource& source, float x, float y) {
    const int px = Split(x, source.width(), across);
    const int py = Split(y, source.height(), down);
    first = source.At(px - 1, py - 1);
  }

 private:
  // The pixel before the place; the place within it, in steps of the table.
  static int Split(float at, int size, int& place) {
    const float last = static_cast<float>(size - 1);
    const float inside = at > 0.0f ? (at < last ? at : last) : 0.0f;
    const int steps = static_cast<int>(inside * WarpTable::kPlaces + 0.5f);
    place = steps % WarpTable::kPlaces;
    return steps / WarpTable::kPlaces;
  }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WARP_PLACE_H_
