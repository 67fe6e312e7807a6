#include "engine/motion/field.h"

#include <algorithm>
#include <cmath>

namespace ringway::engine {

absl::StatusOr<MotionFieldConfig> ReadMotionFieldConfig(Config config) {
  MotionFieldConfig c;
  c.grid = config.Integer("grid", c.grid, 4, 128);
  c.frames = config.Integer("frames", c.frames, 2, 64);
  c.patch = config.Integer("patch", c.patch, 1, 4);
  if (c.grid % c.patch != 0 || c.frames % c.patch != 0)
    config.Refuse("patch", "a divisor of grid and frames");
  if (config.Integer("components", 2, 1, 8) != 2) config.Refuse("components", "2");
  const Json* scales = config.json().Find("scale_per_frame");
  const Json::Array* items = scales == nullptr ? nullptr : scales->array();
  for (std::size_t i = 0; items != nullptr && i < items->size() && i < 64; ++i)
    if ((*items)[i].IsNumber()) c.scale_per_frame.push_back(static_cast<float>((*items)[i].number()));
  const bool sane =
      std::all_of(c.scale_per_frame.begin(), c.scale_per_frame.end(), [](float s) { return s > 0 && s < 1; });
  if (items == nullptr || !sane || c.scale_per_frame.size() != static_cast<std::size_t>(c.frames))
    config.Refuse("scale_per_frame", "one number between 0 and 1 for each frame");
  if (!config.status().ok()) return config.status();
  return c;
}

namespace {

// Calls plane(component, each) for every frame and component; each(what) calls what(place, x, y) for every
// cell, x and y from -1 to 1.
template <typename Plane>
void ForEachPlane(const MotionFieldConfig& config, Plane plane) {
  const auto side = [&](std::int64_t i) {
    return 2 * static_cast<double>(i) / static_cast<double>(config.grid - 1) - 1;
  };
  for (std::int64_t f = 0; f < config.frames; ++f) {
    for (std::int64_t c = 0; c < 2; ++c) {
      plane(static_cast<std::size_t>(c), [&](auto what) {
        for (std::int64_t y = 0; y < config.grid; ++y)
          for (std::int64_t x = 0; x < config.grid; ++x) what(config.PlaceOf(f, c, y, x), side(x), side(y));
      });
    }
  }
}

}  // namespace

void ScaleCommonPart(const MotionFieldConfig& config, std::array<float, 2> by, std::span<float> packed) {
  RINGWAY_CHECK(packed.size() == config.elements());
  if (by[0] == 1 && by[1] == 1) return;
  const auto cells = static_cast<double>(config.grid * config.grid);
  ForEachPlane(config, [&](std::size_t component, auto each) {
    double sum = 0;
    each([&](std::size_t place, double, double) { sum += packed[place]; });
    const auto more = static_cast<float>((by[component] - 1) * sum / cells);
    each([&](std::size_t place, double, double) { packed[place] += more; });
  });
}

void CopyAffinePart(const MotionFieldConfig& config, std::span<const float> from, std::span<float> to) {
  RINGWAY_CHECK(from.size() == config.elements() && to.size() == from.size());
  const auto cells = static_cast<double>(config.grid * config.grid);
  ForEachPlane(config, [&](std::size_t, auto each) {
    // 1, x and y are orthogonal on the grid, so each has its own least squares.
    double level = 0, along_x = 0, along_y = 0, square = 0;
    each([&](std::size_t place, double x, double y) {
      const double change = from[place] - to[place];
      level += change, along_x += change * x, along_y += change * y, square += x * x;
    });
    each([&](std::size_t place, double x, double y) {
      to[place] += static_cast<float>(level / cells + along_x / square * x + along_y / square * y);
    });
  });
}

MotionField::MotionField(const MotionFieldConfig& config, std::span<const float> packed)
    : grid_(static_cast<int>(config.grid)), frames_(static_cast<int>(config.frames)) {
  RINGWAY_CHECK(packed.size() == config.elements());
  const std::size_t plane = static_cast<std::size_t>(grid_) * static_cast<std::size_t>(grid_);
  knots_.resize((static_cast<std::size_t>(frames_) + 1) * 2 * plane);
  for (std::int64_t f = 0; f < config.frames; ++f) {
    const float scale = config.scale_per_frame[static_cast<std::size_t>(f)];
    for (int c = 0; c < 2; ++c) {
      float* to = knots_.data() + static_cast<std::size_t>((f + 1) * 2 + c) * plane;
      for (std::int64_t y = 0; y < config.grid; ++y) {
        for (std::int64_t x = 0; x < config.grid; ++x) *to++ = scale * packed[config.PlaceOf(f, c, y, x)];
      }
    }
  }
}

void MotionField::At(double time, std::span<float> out) const {
  const std::size_t size = 2 * static_cast<std::size_t>(grid_) * static_cast<std::size_t>(grid_);
  RINGWAY_CHECK(out.size() == size);
  const double at = std::clamp(time, 0.0, 1.0) * frames_;
  const int knot = std::min(static_cast<int>(at), frames_ - 1);
  CubicWeights weights(static_cast<float>(at - knot));
  // Beyond both ends the field goes on straight: d[-1] = 2 d[0] - d[1].
  float* w = weights.w;
  if (knot == 0) w[1] += 2 * w[0], w[2] -= w[0], w[0] = 0;
  if (knot == frames_ - 1) w[2] += 2 * w[3], w[1] -= w[3], w[3] = 0;
  const auto knot_at = [&](int k) {
    return knots_.data() + static_cast<std::size_t>(std::clamp(k, 0, frames_)) * size;
  };
  const float *a = knot_at(knot - 1), *b = knot_at(knot), *c = knot_at(knot + 1), *d = knot_at(knot + 2);
  for (std::size_t i = 0; i < size; ++i) out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
}

}  // namespace ringway::engine
