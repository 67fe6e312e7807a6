#include "engine/motion/window.h"

#include <algorithm>
#include <cmath>

namespace ringway::engine {
namespace {

constexpr int kMoments = 32;
constexpr int kLooks = 25;  // along each side of the window
constexpr int kHalvings = 8;
constexpr int kCorrections = 3;
constexpr double kSlack = 1e-3;  // of the photo: less than a pixel of a small one

struct Range {
  double low = 1e9, high = -1e9;
  void Take(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool Inside() const { return low >= -kSlack && high <= 1 + kSlack; }
  double middle() const { return (low + high) / 2; }
};

class WindowSearch {
 public:
  explicit WindowSearch(const MotionField& field) : grid_(field.grid()) {
    const std::size_t size = 2 * static_cast<std::size_t>(grid_) * static_cast<std::size_t>(grid_);
    planes_.resize(kMoments * size);
    for (std::size_t m = 0; m < kMoments; ++m)
      field.At(static_cast<double>(m + 1) / kMoments, std::span(planes_).subspan(m * size, size));
  }

  // True when the window of this side, moved to where it fits best, never looks beyond the photo.
  bool Fits(double side, Window& window) const {
    window = {0.5, 0.5, side};
    for (int i = 0; i <= kCorrections; ++i) {
      Range x, y;
      Look(window, x, y);
      if (x.Inside() && y.Inside()) return true;
      window.middle_x = std::clamp(window.middle_x - (x.middle() - 0.5), side / 2, 1 - side / 2);
      window.middle_y = std::clamp(window.middle_y - (y.middle() - 0.5), side / 2, 1 - side / 2);
    }
    return false;
  }

 private:
  void Look(const Window& window, Range& x, Range& y) const {
    for (int j = 0; j < kLooks; ++j) {
      const double py = window.middle_y + (static_cast<double>(j) / (kLooks - 1) - 0.5) * window.side;
      const GridPlace down(py, grid_);
      for (int i = 0; i < kLooks; ++i) {
        const double px = window.middle_x + (static_cast<double>(i) / (kLooks - 1) - 0.5) * window.side;
        const GridPlace across(px, grid_);
        for (int m = 0; m < kMoments; ++m) {
          x.Take(px + At(2 * m, across, down));
          y.Take(py + At(2 * m + 1, across, down));
        }
      }
    }
  }

  double At(int plane, const GridPlace& across, const GridPlace& down) const {
    const float* cells = planes_.data() + static_cast<std::ptrdiff_t>(plane) * grid_ * grid_;
    float sum = 0;
    for (int r = 0; r < 4; ++r)
      for (int k = 0; k < 4; ++k)
        sum += down.weight[r] * across.weight[k] * cells[down.cell[r] * grid_ + across.cell[k]];
    return sum;
  }

  int grid_;
  std::vector<float> planes_;  // [moment][component][y][x]
};

}  // namespace

GridPlace::GridPlace(double at, int grid) {
  const double place = at * grid - 0.5;
  const double below = std::floor(place);
  const CubicWeights cubic(static_cast<float>(place - below));
  for (int k = 0; k < 4; ++k) {
    cell[k] = std::clamp(static_cast<int>(below) - 1 + k, 0, grid - 1);
    weight[k] = cubic.w[k];
  }
}

Window FindWindow(const MotionField& field) {
  const WindowSearch search(field);
  Window best;
  if (search.Fits(Window::kSideMost, best)) return best;
  double fits = Window::kSideLeast, sticks_out = Window::kSideMost;
  if (!search.Fits(fits, best)) return best;
  for (int i = 0; i < kHalvings; ++i) {
    Window window;
    const double side = (fits + sticks_out) / 2;
    if (search.Fits(side, window)) {
      fits = side;
      best = window;
    } else {
      sticks_out = side;
    }
  }
  return best;
}

}  // namespace ringway::engine
