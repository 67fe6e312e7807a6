#include "engine/media/resize.h"

#include <algorithm>
#include <cmath>

namespace ringway::engine {
namespace {

// The old places that make up each new one.
struct Axis {
  struct Span {
    int first = 0;
    std::vector<float> weights;
  };
  std::vector<Span> spans;
};

float Keys(double distance) {
  const double x = std::abs(distance);
  if (x < 1) return static_cast<float>((1.5 * x - 2.5) * x * x + 1);
  if (x < 2) return static_cast<float>(((-0.5 * x + 2.5) * x - 4) * x + 2);
  return 0.0f;
}

Axis::Span Covered(double begin, double end, int from) {
  Axis::Span span{static_cast<int>(begin), {}};
  for (int i = span.first; i < from && i < end; ++i)
    span.weights.push_back(static_cast<float>(std::min<double>(end, i + 1) - std::max<double>(begin, i)));
  return span;
}

Axis::Span Around(double center, int from) {
  const int left = static_cast<int>(std::floor(center)) - 1;
  Axis::Span span{std::clamp(left, 0, from - 1), {}};
  const int last = std::clamp(left + 3, 0, from - 1);
  span.weights.resize(static_cast<std::size_t>(last - span.first + 1));
  for (int i = left; i < left + 4; ++i)
    span.weights[static_cast<std::size_t>(std::clamp(i, span.first, last) - span.first)] += Keys(center - i);
  return span;
}

Axis MakeAxis(int from, int to) {
  Axis axis;
  const double step = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    Axis::Span span =
        step > 1 ? Covered(i * step, (i + 1) * step, from) : Around((i + 0.5) * step - 0.5, from);
    float sum = 0;
    for (const float w : span.weights) sum += w;
    for (float& w : span.weights) w /= sum;
    axis.spans.push_back(std::move(span));
  }
  return axis;
}

}  // namespace

std::vector<float> ResizeToFloats(const Picture& picture, int width, int height) {
  const Axis across = MakeAxis(picture.width, width), down = MakeAxis(picture.height, height);
  const auto row = static_cast<std::size_t>(width) * 3;
  std::vector<float> between(row * static_cast<std::size_t>(picture.height));
  for (int y = 0; y < picture.height; ++y) {
    float* to = between.data() + static_cast<std::size_t>(y) * row;
    for (const Axis::Span& span : across.spans) {
      const std::uint8_t* from = picture.At(span.first, y);
      float sum[3] = {};
      for (const float w : span.weights)
        for (float& s : sum) s += w * static_cast<float>(*from++);
      to = std::copy(sum, sum + 3, to);
    }
  }
  std::vector<float> out(row * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    const Axis::Span& span = down.spans[static_cast<std::size_t>(y)];
    float* to = out.data() + static_cast<std::size_t>(y) * row;
    const float* from = between.data() + static_cast<std::size_t>(span.first) * row;
    for (const float w : span.weights)
      for (std::size_t i = 0; i < row; ++i) to[i] += w * *from++;
  }
  return out;
}

Picture Resize(const Picture& picture, int width, int height) {
  if (width == picture.width && height == picture.height) return picture;
  Picture out = Picture::Blank(width, height);
  const std::vector<float> values = ResizeToFloats(picture, width, height);
  std::transform(values.begin(), values.end(), out.rgb.begin(),
                 [](float v) { return static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L)); });
  return out;
}

}  // namespace ringway::engine
