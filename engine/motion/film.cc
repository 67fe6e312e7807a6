#include "engine/motion/film.h"

#include <algorithm>
#include <cmath>

#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

int Even(double x) { return std::max(2, static_cast<int>(std::lround(x / 2)) * 2); }

// The photo with pixels as large as the film's, or its own if those are larger already.
Picture Fitting(const Picture& photo, const FilmSize& film, double side) {
  const int width = static_cast<int>(std::lround(film.width / side));
  const int height = static_cast<int>(std::lround(film.height / side));
  if (width >= photo.width || height >= photo.height) return photo;
  return Resize(photo, width, height);
}

}  // namespace

FilmSize SizeOfFilm(int photo_width, int photo_height, int side_max) {
  const double shrink = std::min(1.0, static_cast<double>(side_max) / std::max(photo_width, photo_height));
  return {Even(photo_width * shrink), Even(photo_height * shrink)};
}

Film::Film(const Picture& photo, const MotionField& field, const FilmSettings& settings)
    : field_(field),
      settings_(settings),
      window_(settings.region ? Window{} : FindWindow(field)),
      size_(SizeOfFilm(photo.width, photo.height, settings.side_max)),
      source_(Fitting(photo, size_, window_.side)),
      across_(MakeAxis(size_.width, window_.middle_x, true)),
      down_(MakeAxis(size_.height, window_.middle_y, false)) {}

Film::Axis Film::MakeAxis(int pixels, double middle, bool across) const {
  const int size = across ? source_.width() : source_.height();
  Axis axis;
  for (int i = 0; i < pixels; ++i) {
    const double at = middle + ((i + 0.5) / pixels - 0.5) * window_.side;
    axis.at.push_back(static_cast<float>(at * size - 0.5));
    axis.place.emplace_back(at, field_.grid());
    const auto p = static_cast<float>(at);
    axis.soft.push_back(!settings_.region ? 1.0f
                        : across          ? SoftX(*settings_.region, p)
                                          : SoftY(*settings_.region, p));
  }
  return axis;
}

// Both components of all rows of cells, at every column of the film: [2][grid][film width].
std::vector<float> Film::StretchedAcross(int frame) const {
  const int grid = field_.grid();
  const auto width = static_cast<std::size_t>(size_.width), rows = 2 * static_cast<std::size_t>(grid);
  std::vector<float> cells(rows * static_cast<std::size_t>(grid)), stretched(rows * width);
  field_.At(settings_.frames == 1 ? 0.0 : static_cast<double>(frame) / (settings_.frames - 1), cells);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* from = cells.data() + row * static_cast<std::size_t>(grid);
    float* to = stretched.data() + row * width;
    for (std::size_t x = 0; x < width; ++x) {
      const GridPlace& place = across_.place[x];
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += place.weight[k] * from[place.cell[k]];
      to[x] = sum * across_.soft[x];
    }
  }
  return stretched;
}

WarpLine Film::Line(int y, const std::vector<float>& stretched) const {
  const auto row = static_cast<std::size_t>(y);
  const GridPlace& place = down_.place[row];
  WarpLine line{.x = {}, .y = {}, .at_x = across_.at.data(), .at_y = down_.at[row], .count = size_.width};
  for (int c = 0; c < 2; ++c) {
    WarpLine::Moved& moved = c == 0 ? line.x : line.y;
    const auto size = static_cast<float>(c == 0 ? source_.width() : source_.height());
    for (int k = 0; k < 4; ++k) {
      moved.rows[k] =
          stretched.data() + static_cast<std::ptrdiff_t>(c * field_.grid() + place.cell[k]) * size_.width;
      moved.weights[k] = place.weight[k] * down_.soft[row] * size;
    }
  }
  return line;
}

Picture Film::Frame(int frame) const {
  RINGWAY_CHECK(frame >= 0 && frame < settings_.frames);
  static const WarpFn warp = WarpFor(BestIsa());
  const std::vector<float> stretched = StretchedAcross(frame);
  Picture picture = Picture::Blank(size_.width, size_.height);
  for (int y = 0; y < size_.height; ++y) warp(source_.pixels(), Line(y, stretched), picture.At(0, y));
  return picture;
}

}  // namespace ringway::engine
