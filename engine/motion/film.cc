#include "engine/motion/film.h"

#include <algorithm>
#include <cmath>

#include "engine/cpu/parallel.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

constexpr int kRowsPerTask = 16;

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
      across_(MakeAxis(size_.width, window_.middle_x, true)),
      down_(MakeAxis(size_.height, window_.middle_y, false)),
      source_(Fitting(photo, size_, window_.side)) {
  const auto grid = static_cast<std::size_t>(field.grid()), width = static_cast<std::size_t>(size_.width);
  cells_.resize(2 * grid * grid);
  stretched_.resize(2 * grid * width);
  scratch_.resize(static_cast<std::size_t>(settings.threads) * 2 * width);
}

Film::Axis Film::MakeAxis(int pixels, double middle, bool across) const {
  Axis axis;
  for (int i = 0; i < pixels; ++i) {
    const double at = middle + ((i + 0.5) / pixels - 0.5) * window_.side;
    axis.at.push_back(at);
    axis.place.emplace_back(at, field_.grid());
    const auto p = static_cast<float>(at);
    axis.soft.push_back(!settings_.region ? 1.0f
                        : across          ? SoftX(*settings_.region, p)
                                          : SoftY(*settings_.region, p));
  }
  return axis;
}

// Both components of all rows of cells, at every column of the film.
void Film::StretchAcross() {
  const int grid = field_.grid();
  for (int row = 0; row < 2 * grid; ++row) {
    const float* cells = cells_.data() + row * grid;
    float* to = stretched_.data() + static_cast<std::ptrdiff_t>(row) * size_.width;
    for (int x = 0; x < size_.width; ++x) {
      const GridPlace& place = across_.place[static_cast<std::size_t>(x)];
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += place.weight[k] * cells[place.cell[k]];
      to[x] = sum * across_.soft[static_cast<std::size_t>(x)];
    }
  }
}

void Film::DrawRow(int y, float* scratch, Picture& picture) const {
  const int width = size_.width, grid = field_.grid();
  const auto row = static_cast<std::size_t>(y);
  const GridPlace& place = down_.place[row];
  const float size[2] = {static_cast<float>(source_.width()), static_cast<float>(source_.height())};
  for (int c = 0; c < 2; ++c) {
    float* to = scratch + static_cast<std::ptrdiff_t>(c) * width;
    const float* from[4];
    float weight[4];
    for (int k = 0; k < 4; ++k) {
      from[k] = stretched_.data() + static_cast<std::ptrdiff_t>(c * grid + place.cell[k]) * width;
      weight[k] = place.weight[k] * down_.soft[row] * size[c];
    }
    for (int x = 0; x < width; ++x)
      to[x] =
          weight[0] * from[0][x] + weight[1] * from[1][x] + weight[2] * from[2][x] + weight[3] * from[3][x];
    for (int x = 0; x < width; ++x) {
      const double at = c == 0 ? across_.at[static_cast<std::size_t>(x)] : down_.at[row];
      to[x] += static_cast<float>(at) * size[c] - 0.5f;
    }
  }
  static const WarpRow warp = WarpRowFor(BestIsa());
  warp(source_, scratch, scratch + width, width, picture.At(0, y));
}

Picture Film::Frame(int frame) {
  RINGWAY_CHECK(frame >= 0 && frame < settings_.frames);
  field_.At(settings_.frames == 1 ? 0.0 : static_cast<double>(frame) / (settings_.frames - 1), cells_);
  StretchAcross();
  Picture picture = Picture::Blank(size_.width, size_.height);
  const int tasks = (size_.height + kRowsPerTask - 1) / kRowsPerTask;
  ParallelFor(tasks, settings_.threads, [&](std::int64_t task, int thread) {
    float* scratch = scratch_.data() + static_cast<std::ptrdiff_t>(thread) * 2 * size_.width;
    const int first = static_cast<int>(task) * kRowsPerTask;
    for (int y = first; y < std::min(first + kRowsPerTask, size_.height); ++y) DrawRow(y, scratch, picture);
  });
  return picture;
}

}  // namespace ringway::engine
