#include "engine/motion/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace ringway::engine {
namespace {

constexpr int kMoments = 32;
constexpr int kPlanes = 2 * kMoments;  // components x moments
constexpr int kLooks = 25;             // along each side of the window
constexpr int kHalvings = 8;
constexpr int kCorrections = 3;
constexpr double kSlack = 1e-3;  // of the photo: less than a pixel of a small one

struct Range {
  double low = 1e9, high = -1e9;
  void Take(double at, std::span<const float, kMoments> moved) {
    float least = moved[0], most = moved[0];
    for (const float m : moved) {
      least = std::min(least, m);
      most = std::max(most, m);
    }
    low = std::min(low, at + least);
    high = std::max(high, at + most);
  }
  bool Inside() const { return low >= -kSlack && high <= 1 + kSlack; }
  double middle() const { return (low + high) / 2; }
};

class WindowSearch {
 public:
  explicit WindowSearch(const MotionField& field) : grid_(field.grid()) {
    const std::size_t cells = static_cast<std::size_t>(grid_) * static_cast<std::size_t>(grid_);
    std::vector<float> moment(2 * cells);
    cells_.resize(cells * kPlanes);
    for (std::size_t m = 0; m < kMoments; ++m) {
      field.At(static_cast<double>(m + 1) / kMoments, moment);
      for (std::size_t at = 0; at < 2 * cells; ++at)
        cells_[at % cells * kPlanes + at / cells * kMoments + m] = moment[at];
    }
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
  // Separably: each row of looks is first made of four rows of cells, for all moments at once.
  void Look(const Window& window, Range& x, Range& y) const {
    std::vector<float> row(static_cast<std::size_t>(grid_) * kPlanes);
    std::array<float, kPlanes> here;
    for (int j = 0; j < kLooks; ++j) {
      const double py = window.middle_y + (static_cast<double>(j) / (kLooks - 1) - 0.5) * window.side;
      const GridPlace down(py, grid_);
      const auto cells = [&](int r) { return cells_.data() + down.cell[r] * grid_ * kPlanes; };
      WeightedSum(down.weight, cells(0), cells(1), cells(2), cells(3), row);
      for (int i = 0; i < kLooks; ++i) {
        const double px = window.middle_x + (static_cast<double>(i) / (kLooks - 1) - 0.5) * window.side;
        const GridPlace across(px, grid_);
        const auto cell = [&](int k) { return row.data() + across.cell[k] * kPlanes; };
        WeightedSum(across.weight, cell(0), cell(1), cell(2), cell(3), here);
        x.Take(px, std::span(here).first<kMoments>());
        y.Take(py, std::span(here).last<kMoments>());
      }
    }
  }

  static void WeightedSum(const float (&weight)[4], const float* a, const float* b, const float* c,
                          const float* d, std::span<float> out) {
    for (std::size_t n = 0; n < out.size(); ++n)
      out[n] = weight[0] * a[n] + weight[1] * b[n] + weight[2] * c[n] + weight[3] * d[n];
  }

  int grid_;
  std::vector<float> cells_;  // [y][x][component][moment]
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
