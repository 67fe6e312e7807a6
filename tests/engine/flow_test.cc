// Levels of flow matching against their definition, and Euler's method where the way is known in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/sampler/flow.h"

namespace ringway::engine {
namespace {

absl::StatusOr<FlowConfig> Read(std::string_view text, std::string_view class_name = FlowConfig::kClass) {
  return ReadFlowConfig(Config(Json::Parse(text, "test").value(), "scheduler_config.json"), class_name);
}

// As the released model has it.
constexpr char kReleased[] = R"({"_class_name":"FlowMatchEulerDiscreteScheduler","base_image_seq_len":1024,
  "base_shift":0.95,"invert_sigmas":false,"max_image_seq_len":4096,"max_shift":2.05,"num_train_timesteps":1000,
  "shift":1.0,"shift_terminal":0.1,"use_beta_sigmas":false,"use_dynamic_shifting":true,
  "use_exponential_sigmas":false,"use_karras_sigmas":false})";

TEST(Flow, LevelsAreEvenWithoutAShift) {
  const std::vector<double> levels = FlowLevels(Read("{}").value(), 4, 99);
  EXPECT_THAT(levels,
              testing::Pointwise(testing::DoubleNear(1e-12), std::vector<double>{1, 0.75, 0.5, 0.25, 0}));
}

TEST(Flow, AFixedShiftLeansToNoise) {
  // 3 s / (1 + 2 s)
  const std::vector<double> levels = FlowLevels(Read(R"({"shift":3})").value(), 4, 99);
  EXPECT_THAT(levels,
              testing::Pointwise(testing::DoubleNear(1e-12), std::vector<double>{1, 0.9, 0.75, 0.5, 0}));
}

// e^mu / (e^mu + 1 / s - 1), mu on the line through (1024, 0.95) and (4096, 2.05), then stretched to end at
// 0.1.
TEST(Flow, ADynamicShiftGrowsWithTheTokensAndEndsAtItsTerminal) {
  const FlowConfig config = Read(kReleased).value();
  for (const std::int64_t tokens : {88, 1024, 2560, 4096}) {
    const double mu = 0.95 + (2.05 - 0.95) * static_cast<double>(tokens - 1024) / 3072;
    const auto shifted = [&](double s) { return std::exp(mu) / (std::exp(mu) + 1 / s - 1); };
    const std::vector<double> levels = FlowLevels(config, 10, tokens);
    ASSERT_EQ(levels.size(), 11u);
    const double last = 1 - shifted(0.1);
    for (int i = 0; i < 10; ++i)
      EXPECT_NEAR(levels[static_cast<std::size_t>(i)], 1 - (1 - shifted(1 - i / 10.0)) * 0.9 / last, 1e-12);
    EXPECT_NEAR(levels[9], 0.1, 1e-12);
    EXPECT_EQ(levels[10], 0);
  }
  EXPECT_THAT(FlowLevels(config, 1, 2560), testing::ElementsAre(1, 0));
}

// For data of one point the velocity is (x - point) / level: Euler's method is exact, whatever the levels.
TEST(Flow, GoesStraightToAPoint) {
  const std::vector<double> levels = FlowLevels(Read(kReleased).value(), 7, 3000);
  const std::vector<float> point = {0.25f, -3, 7};
  std::vector<float> x = {1, 2, -0.5f}, velocity(3);
  for (std::size_t step = 0; step + 1 < levels.size(); ++step) {
    for (std::size_t i = 0; i < 3; ++i) velocity[i] = (x[i] - point[i]) / static_cast<float>(levels[step]);
    FlowStep(levels[step], levels[step + 1], velocity, x);
  }
  EXPECT_THAT(x, testing::Pointwise(testing::FloatNear(1e-5f), point));
}

// For data spread normally with deviation d the way from x is x * sqrt(level'^2 + d^2 (1 - level')^2) / the
// same of the first level; with twice the steps Euler's method is about twice as near.
TEST(Flow, IsOfFirstOrderOnNormalData) {
  const FlowConfig config = Read("{}").value();
  const double d = 0.6;
  const auto error = [&](int steps) {
    const std::vector<double> levels = FlowLevels(config, steps, 1);
    std::vector<float> x = {1}, velocity(1);
    for (int step = 0; step < steps; ++step) {
      const double s = levels[static_cast<std::size_t>(step)], a = 1 - s;
      // The mean of noise - clean, given x.
      velocity[0] = static_cast<float>(x[0] * (s - d * d * a) / (s * s + d * d * a * a));
      FlowStep(s, levels[static_cast<std::size_t>(step) + 1], velocity, x);
    }
    return std::abs(x[0] - d);
  };
  EXPECT_LT(error(64), 0.02);
  EXPECT_GT(error(64) / error(128), 1.7);
  EXPECT_LT(error(64) / error(128), 2.3);
}

TEST(Flow, RefusesWhatItWouldSpaceOtherwise) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"use_karras_sigmas":true})", "scheduler_config.json: \"use_karras_sigmas\" is"},
      {R"({"invert_sigmas":true})", "\"invert_sigmas\" is"},
      {R"({"shift":0})", "\"shift\" is 0; allowed: a number above 0"},
      {R"({"shift_terminal":1})", "\"shift_terminal\" is 1"},
      {R"({"max_shift":1e9})", "\"max_shift\" is"},
      {R"({"base_image_seq_len":4096,"max_image_seq_len":256})", "\"max_image_seq_len\" is 256"}};
  for (const auto& [text, says] : wrong) {
    EXPECT_THAT(std::string(Read(text).status().message()), testing::HasSubstr(says)) << text;
  }
  EXPECT_THAT(
      std::string(Read("{}", "DDIMScheduler").status().message()),
      testing::HasSubstr("the scheduler is a \"DDIMScheduler\"; allowed: FlowMatchEulerDiscreteScheduler"));
}

}  // namespace
}  // namespace ringway::engine
