// A palette for many frames: up to 255 colours that stand for all of them, and the nearest one to a colour.
//
// Median cut (Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982) over a histogram
// of 32 x 32 x 32 cells: the box with the largest spread, weighted by its pixels, is cut at its median until
// there are enough. Lookups are answered from a table of all 32768 cells, made once: O(cells x colours).
// Deterministic, for any number of threads: ties go to the box that was made first.
#ifndef RINGWAY_ENGINE_MEDIA_PALETTE_H_
#define RINGWAY_ENGINE_MEDIA_PALETTE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/media/picture.h"

namespace ringway::engine {

class Palette {
 public:
  using Color = std::array<std::uint8_t, 3>;
  Palette(std::span<const Picture> frames, std::size_t colors_max, int threads = 1);

  std::span<const Color> colors() const { return colors_; }
  std::uint8_t Nearest(int r, int g, int b) const {
    return nearest_[static_cast<std::size_t>((r >> 3) << 10 | (g >> 3) << 5 | b >> 3)];
  }

 private:
  void MapCells();
  std::vector<Color> colors_;
  std::vector<std::uint8_t> nearest_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_PALETTE_H_
