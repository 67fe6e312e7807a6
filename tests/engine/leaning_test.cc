// Noise that leans: on waves whose loudness in both directions is known. tests/training/model_test.py asks
// the same of the Python that trains the bundled model.
#include "engine/motion/leaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace ringway::engine {
namespace {

const MotionFieldConfig kWide{.grid = 8, .frames = 6, .patch = 2, .scale_per_frame = {}};

// Waves of one length for each component, forth and back this loud, beside what no long wave is.
std::vector<float> Travelling(std::array<std::array<double, 2>, 2> loud) {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::vector<float> packed(kWide.elements());
  for (std::int64_t f = 0; f < kWide.frames; ++f)
    for (std::int64_t y = 0; y < kWide.grid; ++y)
      for (std::int64_t x = 0; x < kWide.grid; ++x) {
        const double t = kTurn * static_cast<double>(f) / 6, across = kTurn * static_cast<double>(y) / 8,
                     along = kTurn * static_cast<double>(x) / 8;
        const double of_x = loud[0][0] * std::sin(t - across + 1) + loud[0][1] * std::sin(t + across + 2);
        const double of_y = loud[1][0] * std::sin(t - 2 * along) + loud[1][1] * std::sin(t + 2 * along + 3);
        packed[kWide.PlaceOf(f, 0, y, x)] =
            static_cast<float>(of_x + std::cos(along) + 0.5 + std::cos(3 * across));
        packed[kWide.PlaceOf(f, 1, y, x)] = static_cast<float>(of_y + std::cos(t - across) - std::cos(2 * t));
      }
  return packed;
}

// First noise whose coins say: forth in x, back in y.
std::vector<float> ForthAndBack() {
  std::vector<float> first(kWide.elements());
  first[kWide.PlaceOf(0, 0, 0, 0)] = 0.3f;
  first[kWide.PlaceOf(0, 1, 0, 0)] = -0.3f;
  return first;
}

TEST(Leaning, WavesOfOneDirectionGrowAndTheOthersShrink) {
  Leaning leaning(kWide, 0.6f, ForthAndBack());
  const double more = std::sqrt(1.6), less = std::sqrt(0.4);
  for (const auto& [a, b, c, d] : {std::array{2.0, 1.0, 0.5, 0.7}, std::array{0.1, 3.0, 1.0, 0.0}}) {
    std::vector<float> noise = Travelling({{{a, b}, {c, d}}});
    leaning.Apply(noise);
    const std::vector<float> wanted = Travelling({{{a * more, b * less}, {c * less, d * more}}});
    EXPECT_THAT(noise, testing::Pointwise(testing::FloatNear(1e-5f), wanted));
  }
}

TEST(Leaning, LeaningNowhereChangesNothingAndAllTheWayLeavesOneWay) {
  const std::vector<float> before = Travelling({{{2, 1}, {0.5, 0.7}}});
  std::vector<float> after = before;
  Leaning(kWide, 0, ForthAndBack()).Apply(after);
  EXPECT_EQ(after, before);
  Leaning(kWide, 1, ForthAndBack()).Apply(after);
  const double more = std::sqrt(2.0);
  EXPECT_THAT(after,
              testing::Pointwise(testing::FloatNear(1e-5f), Travelling({{{2 * more, 0}, {0, 0.7 * more}}})));
}

TEST(Leaning, FitsFieldsFinerThanItsShortestWaves) {
  EXPECT_TRUE(Leaning::Fits(kWide));
  EXPECT_FALSE(Leaning::Fits({.grid = 4, .frames = 4, .patch = 2, .scale_per_frame = {}}));
  EXPECT_FALSE(Leaning::Fits({.grid = 8, .frames = 2, .patch = 2, .scale_per_frame = {}}));
}

}  // namespace
}  // namespace ringway::engine
