// From a field to frames: unpacking, interpolation, the window, regions, films.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/rng.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/resize.h"
#include "engine/motion/film.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

MotionFieldConfig ConfigOfOnes() {
  MotionFieldConfig config;
  config.scale_per_frame.assign(16, 0.5f);
  return config;
}

// A field given as a function of frame, cell and component, in widths and heights.
template <typename Fn>
MotionField FieldOf(Fn fn) {
  const MotionFieldConfig config = ConfigOfOnes();
  std::vector<float> packed(config.elements());
  for (int f = 0; f < 16; ++f)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x)
        for (int c = 0; c < 2; ++c) {
          const int token = (f / 2 * 8 + y / 2) * 8 + x / 2;
          const int channel = ((f % 2 * 2 + y % 2) * 2 + x % 2) * 2 + c;
          packed[static_cast<std::size_t>(token * 16 + channel)] =
              static_cast<float>(fn((f + 1) / 16.0, (x + 0.5) / 16, (y + 0.5) / 16, c)) / 0.5f;
        }
  return MotionField(config, packed);
}

TEST(MotionField, PassesThroughItsFramesAndStartsAtRest) {
  const MotionField field =
      FieldOf([](double t, double x, double y, int c) { return c == 0 ? t * x : -t * y; });
  std::vector<float> cells(512);
  for (const double t : {0.0, 1 / 16.0, 0.5, 1.0, 0.37}) {  // linear in time, so between frames too
    field.At(t, cells);
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) {
        EXPECT_NEAR(cells[static_cast<std::size_t>(y * 16 + x)], t * (x + 0.5) / 16, 1e-6);
        EXPECT_NEAR(cells[static_cast<std::size_t>(256 + y * 16 + x)], -t * (y + 0.5) / 16, 1e-6);
      }
  }
}

constexpr std::int64_t kSide = 4;
const MotionFieldConfig kSmall{.grid = kSide, .frames = 4, .patch = 2, .scale_per_frame = {}};

std::vector<float> Waves(float frequency) {
  std::vector<float> packed(kSmall.elements());
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = std::sin(frequency * static_cast<float>(i));
  return packed;
}

// The sum of `packed` times weigh(x, y) over the cells of a frame's component, by frame and component.
template <typename Weigh>
std::vector<float> Sums(const std::vector<float>& packed, Weigh weigh) {
  std::vector<float> sums;
  for (std::int64_t f = 0; f < kSmall.frames; ++f)
    for (std::int64_t c = 0; c < 2; ++c) {
      sums.push_back(0);
      for (std::int64_t y = 0; y < kSide; ++y)
        for (std::int64_t x = 0; x < kSide; ++x)
          sums.back() += packed[kSmall.PlaceOf(f, c, y, x)] * static_cast<float>(weigh(x, y));
    }
  return sums;
}

TEST(MotionField, WhatItsCellsShareIsScaledByComponent) {
  const std::vector<float> before = Waves(7);
  std::vector<float> after = before;
  ScaleCommonPart(kSmall, {1, 2}, after);
  for (std::int64_t f = 0; f < kSmall.frames; ++f) {
    float mean = 0;
    for (std::int64_t i = 0; i < 16; ++i) mean += before[kSmall.PlaceOf(f, 1, i / 4, i % 4)] / 16;
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::size_t x = kSmall.PlaceOf(f, 0, i / 4, i % 4), y = kSmall.PlaceOf(f, 1, i / 4, i % 4);
      EXPECT_EQ(after[x], before[x]);
      EXPECT_NEAR(after[y], before[y] + mean, 1e-5);
    }
  }
}

// Least squares: against 1, x and y the result has the sums of the one, against all that is orthogonal to
// them those of the other.
TEST(MotionField, AffinePartsAreCopiedAndTheRestStays) {
  const std::vector<float> from = Waves(7), before = Waves(11);
  std::vector<float> after = before;
  CopyAffinePart(kSmall, from, after);
  using testing::FloatNear;
  using testing::Not;
  using testing::Pointwise;
  const auto expect_sums = [&](const std::vector<float>& like, auto weigh) {
    EXPECT_THAT(Sums(after, weigh), Pointwise(FloatNear(1e-4f), Sums(like, weigh)));
    EXPECT_THAT(Sums(from, weigh), Not(Pointwise(FloatNear(1e-2f), Sums(before, weigh)))) << "a test of it";
  };
  expect_sums(from, [](auto, auto) { return 1; });
  expect_sums(from, [](auto x, auto) { return x; });
  expect_sums(from, [](auto, auto y) { return y; });
  expect_sums(before, [](auto x, auto y) { return (2 * x - 3) * (2 * y - 3); });
  expect_sums(before, [](auto x, auto) { return (2 * x - 3) * (2 * x - 3) - 5; });
}

TEST(Window, IsLargestForPhotosThatRest) {
  const Window window = FindWindow(FieldOf([](double, double, double, int) { return 0.0; }));
  EXPECT_EQ(window.side, Window::kSideMost);
  EXPECT_EQ(window.middle_x, 0.5);
}

// A pan looks to the right of the window: the window stands left of the middle and leaves just that much.
TEST(Window, LeansAgainstAPan) {
  const Window window =
      FindWindow(FieldOf([](double t, double, double, int c) { return c == 0 ? 0.2 * t : 0.0; }));
  EXPECT_NEAR(window.side, 0.8, 0.01);
  EXPECT_NEAR(window.middle_x, 0.4, 0.01);
  EXPECT_NEAR(window.middle_y, 0.5, 0.06);
}

TEST(Window, NeverLooksBeyondThePhoto) {
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const double a = rng.Normal() * 0.05, b = rng.Normal() * 0.05, spin = rng.Normal() * 0.1,
                 zoom = rng.Normal() * 0.1;
    const MotionField field = FieldOf([&](double t, double x, double y, int c) {
      return t * (c == 0 ? a + zoom * (x - 0.5) - spin * (y - 0.5) : b + zoom * (y - 0.5) + spin * (x - 0.5));
    });
    const Window w = FindWindow(field);
    for (const double u : {-0.5, 0.5})
      for (const double v : {-0.5, 0.5}) {
        const double x = w.middle_x + u * w.side, y = w.middle_y + v * w.side;
        EXPECT_GE(x + a + zoom * (x - 0.5) - spin * (y - 0.5), -0.01) << i;
        EXPECT_LE(y + b + zoom * (y - 0.5) + spin * (x - 0.5), 1.01) << i;
      }
  }
}

TEST(Region, IsReadInPixelsAndHundredths) {
  EXPECT_EQ(*ParseRegion("10,20,50,80", 100, 200), (Region{0.1, 0.1, 0.5, 0.4}));
  EXPECT_EQ(*ParseRegion("10%,20%,50%,100%", 100, 200), (Region{0.1, 0.2, 0.5, 1.0}));
  for (const char* wrong :
       {"", "1,2,3", "a,b,c,d", "50,20,10,80", "-1,0,10,10", "nan,0,10,10", "0,0,1,1", "1,2,3,4,5"})
    EXPECT_FALSE(ParseRegion(wrong, 100, 200).ok()) << wrong;
  EXPECT_EQ(*ParseRegion("0,0,100,200", 100, 200), (Region{0, 0, 1, 1}));
  for (const char* beyond : {"0,0,100000,100000", "0,0,101,200", "0,0,100,201", "0%,0%,101%,100%"}) {
    const auto region = ParseRegion(beyond, 100, 200);
    ASSERT_FALSE(region.ok()) << beyond;
    EXPECT_NE(region.status().message().find("beyond the picture, which is 100 x 200 pixels"),
              absl::string_view::npos)
        << region.status();
  }
}

TEST(Region, CoversCellsAndFadesOutsideItself) {
  const Region region{0.25, 0.25, 0.75, 0.75};
  EXPECT_EQ(Coverage(region, 0, 0, 8), 0.0f);
  EXPECT_EQ(Coverage(region, 3, 3, 8), 1.0f);
  EXPECT_FLOAT_EQ(Coverage(region, 0, 1, 3), 0.25f);  // a quarter of the cell's width
  EXPECT_EQ(SoftX(region, 0.5f), 1.0f);
  EXPECT_NEAR(SoftX(region, 0.25f), 0.5f, 1e-5f);
  EXPECT_EQ(SoftX(region, 0.15f), 0.0f);
  EXPECT_EQ(SoftX(Region{0, 0, 1, 1}, 0.0f), 1.0f);  // no edge at the photo's own border
}

TEST(Film, ShiftsThePhotoByTheField) {
  const Picture photo = DrawPicture(128, 96);
  // A pan by exactly 8 pixels of the photo; the region is the whole photo, so there is no window.
  const MotionField field =
      FieldOf([](double t, double, double, int c) { return c == 0 ? t * 8 / 128 : 0.0; });
  Film film(photo, field, {.frames = 9, .side_max = 128, .region = Region{0, 0, 1, 1}});
  EXPECT_EQ(film.Frame(0), photo);
  const Picture last = film.Frame(8);
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 119; ++x) EXPECT_NEAR(last.At(x, y)[1], photo.At(x + 8, y)[1], 1) << x << "," << y;
}

TEST(Film, MovesNothingFarFromTheRegion) {
  const Picture photo = DrawPicture(128, 96);
  const MotionField field = FieldOf([](double t, double, double, int) { return 0.1 * t; });
  Film film(photo, field, {.frames = 3, .side_max = 128, .region = Region{0.5, 0.25, 0.9, 0.75}});
  const Picture last = film.Frame(2);
  double inside = 0, outside = 0;
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 128; ++x) {
      const double change = std::abs(last.At(x, y)[0] - photo.At(x, y)[0]);
      const bool in = x >= 70 && x < 108 && y >= 30 && y < 66;
      (in ? inside : outside) += x < 52 || in ? change : 0;
    }
  EXPECT_GT(inside, 1000);
  EXPECT_EQ(outside, 0);
}

TEST(Film, DrawsTheSameFramesSideBySide) {
  const Picture photo = DrawPicture(160, 120);
  const MotionField field = FieldOf(
      [](double t, double x, double y, int c) { return 0.03 * std::sin(6 * t + 9 * (c == 0 ? y : x)); });
  const Film film(photo, field, {.frames = 12, .side_max = 100});
  EXPECT_LT(film.window().side, 0.95);
  std::vector<Picture> frames(12);
  ParallelFor(12, 3, [&](std::int64_t f, int) {
    frames[static_cast<std::size_t>(f)] = film.Frame(static_cast<int>(f));
  });
  for (int f = 0; f < 12; ++f) EXPECT_EQ(frames[static_cast<std::size_t>(f)], film.Frame(f)) << f;
}

TEST(Film, HasEvenSidesAndKeepsTheShape) {
  EXPECT_EQ(SizeOfFilm(4000, 3000, 768).height, 576);
  EXPECT_EQ(SizeOfFilm(333, 111, 768).width, 334);  // the nearest even number
  EXPECT_EQ(SizeOfFilm(5, 4000, 768).width, 2);
}

TEST(Resize, KeepsMeansAndConstants) {
  Picture flat = Picture::Blank(37, 23);
  std::fill(flat.rgb.begin(), flat.rgb.end(), std::uint8_t{200});
  for (const auto& [w, h] : {std::pair{64, 64}, {5, 7}, {37, 10}})
    for (const float v : ResizeToFloats(flat, w, h)) EXPECT_NEAR(v, 200, 1e-3);
  const Picture photo = DrawPicture(120, 90);
  double large = 0, small = 0;
  for (const std::uint8_t v : photo.rgb) large += v;
  for (const float v : ResizeToFloats(photo, 16, 12)) small += v;
  EXPECT_NEAR(large / static_cast<double>(photo.rgb.size()), small / (16 * 12 * 3), 1e-2);
}

}  // namespace
}  // namespace ringway::engine
