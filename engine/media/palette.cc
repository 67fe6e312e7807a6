#include "engine/media/palette.h"

#include <algorithm>
#include <utility>

#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kCells = 32 * 32 * 32;
constexpr int kPartsMax = 16;  // histograms at once, 1 MB each

struct Cell {
  std::array<std::uint64_t, 3> sum{};
  std::uint64_t count = 0;
};

struct Box {
  std::size_t begin = 0;  // of the list of used cells
  std::size_t end = 0;
  int axis = 0;       // the widest one
  double spread = 0;  // its variance times the pixels
};

double MeanOf(const Cell& cell, int axis) {
  return static_cast<double>(cell.sum[static_cast<std::size_t>(axis)]) / static_cast<double>(cell.count);
}

void Measure(std::span<const Cell> cells, Box& box) {
  box.spread = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double n = 0, s1 = 0, s2 = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      const double weight = static_cast<double>(cells[i].count);
      const double x = MeanOf(cells[i], axis);
      n += weight;
      s1 += weight * x;
      s2 += weight * x * x;
    }
    const double spread = box.end - box.begin < 2 ? 0 : s2 - s1 * s1 / n;
    if (spread > box.spread) {
      box.spread = spread;
      box.axis = axis;
    }
  }
}

// Cuts at the median pixel and returns the upper part; both parts keep at least one cell.
Box Cut(std::span<Cell> cells, Box& box) {
  const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(box.begin);
  const auto end = cells.begin() + static_cast<std::ptrdiff_t>(box.end);
  std::stable_sort(begin, end,
                   [&](const Cell& a, const Cell& b) { return MeanOf(a, box.axis) < MeanOf(b, box.axis); });
  std::uint64_t total = 0;
  for (std::size_t i = box.begin; i < box.end; ++i) total += cells[i].count;
  std::uint64_t below = 0;
  std::size_t cut = box.begin;
  while (cut + 1 < box.end - 1 && below + cells[cut].count <= total / 2) below += cells[cut++].count;
  cut = std::max(cut, box.begin + 1);
  Box upper{cut, box.end};
  box.end = cut;
  Measure(cells, box);
  Measure(cells, upper);
  return upper;
}

using Histogram = std::vector<Cell>;  // [kCells]

void Count(const Picture& frame, Histogram& histogram) {
  for (std::size_t i = 0; i + 2 < frame.rgb.size(); i += 3) {
    const std::uint8_t* p = &frame.rgb[i];
    Cell& cell = histogram[static_cast<std::size_t>((p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3)];
    for (std::size_t c = 0; c < 3; ++c) cell.sum[c] += p[c];
    ++cell.count;
  }
}

// Every part of the frames is counted by itself; whole numbers add up to the same in any order.
std::vector<Cell> UsedCells(std::span<const Picture> frames, int threads) {
  const auto parts = static_cast<std::size_t>(std::clamp(threads, 1, kPartsMax));
  std::vector<Histogram> counted(parts, Histogram(kCells));
  ParallelFor(static_cast<std::int64_t>(parts), threads, [&](std::int64_t task, int) {
    const auto part = static_cast<std::size_t>(task);
    for (std::size_t f = part; f < frames.size(); f += parts) Count(frames[f], counted[part]);
  });
  Histogram& cells = counted.front();
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t i = 0; i < kCells; ++i) {
      for (std::size_t c = 0; c < 3; ++c) cells[i].sum[c] += counted[part][i].sum[c];
      cells[i].count += counted[part][i].count;
    }
  }
  std::erase_if(cells, [](const Cell& cell) { return cell.count == 0; });
  return std::move(cells);
}

}  // namespace

Palette::Palette(std::span<const Picture> frames, std::size_t colors_max, int threads) : nearest_(kCells) {
  std::vector<Cell> cells = UsedCells(frames, threads);
  std::vector<Box> boxes = {{0, cells.size()}};
  Measure(cells, boxes[0]);
  while (boxes.size() < colors_max) {
    const auto widest = std::max_element(boxes.begin(), boxes.end(),
                                         [](const Box& a, const Box& b) { return a.spread < b.spread; });
    if (widest->end - widest->begin < 2) break;
    const Box upper = Cut(cells, *widest);
    boxes.push_back(upper);
  }
  for (const Box& box : boxes) {
    std::array<std::uint64_t, 3> sum{};
    std::uint64_t count = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      for (std::size_t c = 0; c < 3; ++c) sum[c] += cells[i].sum[c];
      count += cells[i].count;
    }
    Color& color = colors_.emplace_back();
    for (std::size_t c = 0; c < 3; ++c) color[c] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
  }
  MapCells();
}

void Palette::MapCells() {
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const int at[3] = {static_cast<int>(cell >> 10) * 8 + 4, static_cast<int>(cell >> 5 & 31) * 8 + 4,
                       static_cast<int>(cell & 31) * 8 + 4};
    int best = 1 << 30;
    for (std::size_t i = 0; i < colors_.size(); ++i) {
      int distance = 0;
      for (std::size_t c = 0; c < 3; ++c) distance += (at[c] - colors_[i][c]) * (at[c] - colors_[i][c]);
      if (distance < best) {
        best = distance;
        nearest_[cell] = static_cast<std::uint8_t>(i);
      }
    }
  }
}

}  // namespace ringway::engine
