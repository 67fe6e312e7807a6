// The warp kernels of every instruction set against each other and against the convolution in double.
//
// They need a photo and the kernels, no more: these tests are compiled for other processors too
// (tests/engine/arm/emulated.sh).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/rng.h"
#include "engine/motion/cubic_weights.h"
#include "engine/motion/warp.h"
#include "tests/engine/levels.h"

namespace ringway::engine {
namespace {

// Smooth and rough parts.
Picture Photo(int width, int height) {
  Rng rng(7);
  Picture photo = Picture::Blank(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        photo.At(x, y)[c] = static_cast<std::uint8_t>(x < width / 2 ? 2 * (x + y) + 30 * c : rng.Below(256));
  return photo;
}

// A line of pixels that look anywhere, some of them nowhere.
struct RandomLine {
  static constexpr std::size_t kCount = 333;
  std::vector<float> rows[2][4], at = std::vector<float>(kCount);
  WarpLine line{};

  explicit RandomLine(std::uint64_t seed) {
    Rng rng(seed);
    for (int c = 0; c < 2; ++c) {
      WarpLine::Moved& moved = c == 0 ? line.x : line.y;
      for (int k = 0; k < 4; ++k) {
        rows[c][k].resize(kCount);
        for (float& r : rows[c][k]) r = static_cast<float>(rng.Uniform() * 24 - 12);
        moved.rows[k] = rows[c][k].data();
        moved.weights[k] = static_cast<float>(rng.Uniform() - 0.3);
      }
    }
    for (float& x : at) x = static_cast<float>(rng.Uniform() * 70 - 3);
    rows[0][1][0] = std::nanf(""), rows[1][2][1] = 1e30f, at[2] = -1e30f, at[331] = 1e30f;
    line.at_x = at.data();
    line.at_y = static_cast<float>(rng.Uniform() * 48);
  }
};

TEST(Warp, EveryKernelGivesTheSameBytes) {
  const WarpSource source(Photo(64, 48));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomLine random(seed);
    random.line.count = static_cast<int>(RandomLine::kCount - seed);
    const auto bytes = static_cast<std::size_t>(random.line.count) * 3;
    std::vector<std::uint8_t> plain(bytes + 1, 77);
    WarpScalar(source.pixels(), random.line, plain.data());
    EXPECT_EQ(plain.back(), 77);
    for (const Isa isa : LevelsOfArchitecture()) {
      if (!HasIsa(isa)) continue;
      std::vector<std::uint8_t> fast(bytes + 1, 77);
      WarpFor(isa)(source.pixels(), random.line, fast.data());
      EXPECT_TRUE(fast == plain) << IsaName(isa) << ", seed " << seed;
    }
  }
}

// Along one line, without displacement.
std::vector<std::uint8_t> Looked(const Picture& photo, const std::vector<float>& x, float y) {
  const std::vector<float> still(x.size());
  const WarpLine::Moved moved{{still.data(), still.data(), still.data(), still.data()}, {}};
  std::vector<std::uint8_t> rgb(3 * x.size());
  const WarpSource source(photo);
  WarpFor(BestIsa())(source.pixels(), {moved, moved, x.data(), y, static_cast<int>(x.size())}, rgb.data());
  return rgb;
}

TEST(Warp, KeepsPixels) {
  Picture photo = Photo(64, 48);
  for (int x = 0; x < 64; ++x)
    photo.At(x, 7)[0] = static_cast<std::uint8_t>(x % 2 * 255);  // as sharp as can be
  std::vector<float> x(64);
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<std::uint8_t> row = Looked(photo, x, 7);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), photo.At(0, 7)));
  const std::vector<std::uint8_t> beyond = Looked(photo, {std::nanf(""), -1e30f, 1e30f}, 7);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(beyond[static_cast<std::size_t>(c)], photo.At(0, 7)[c]);
    EXPECT_EQ(beyond[static_cast<std::size_t>(3 + c)], photo.At(0, 7)[c]);
    EXPECT_EQ(beyond[static_cast<std::size_t>(6 + c)], photo.At(63, 7)[c]);
  }
}

TEST(Warp, TakesTheNearestPlaceOfItsTable) {
  Picture photo = Picture::Blank(16, 16);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) photo.At(x, y)[0] = static_cast<std::uint8_t>((x + y) % 2 * 255);
  const auto at = [&](float place) { return Looked(photo, {5 + place / 256}, 6 + place / 256)[0]; };
  EXPECT_NE(at(70), at(71));
  EXPECT_EQ(at(70.6f), at(71));
  EXPECT_EQ(at(70.4f), at(70));
}

// Keys's convolution in double precision, at the table's places.
double Exactly(const Picture& photo, double x, double y, int c) {
  const CubicWeights across(static_cast<float>(x - std::floor(x))),
      down(static_cast<float>(y - std::floor(y)));
  double sum = 0;
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 4; ++k)
      sum += static_cast<double>(down.w[r]) * static_cast<double>(across.w[k]) *
             photo.At(static_cast<int>(x) - 1 + k, static_cast<int>(y) - 1 + r)[c];
  return std::clamp(sum, 0.0, 255.0);
}

TEST(Warp, RoundsToTheNearestStepOfAChannel) {
  Rng rng(3);
  Picture photo = Picture::Blank(32, 32);
  for (std::uint8_t& byte : photo.rgb) byte = rng.Uniform() < 0.3 ? 255 : 0;
  for (int i = 0; i < 200; ++i) {
    const double x = 2 + std::floor(rng.Uniform() * 27 * 256) / 256,
                 y = 2 + std::floor(rng.Uniform() * 27 * 256) / 256;
    const std::vector<std::uint8_t> rgb = Looked(photo, {static_cast<float>(x)}, static_cast<float>(y));
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(rgb[static_cast<std::size_t>(c)], Exactly(photo, x, y, c), 0.6) << x << ", " << y;
  }
}

}  // namespace
}  // namespace ringway::engine
