// The solver on data whose best denoiser is known in closed form: normal data with mean m and deviation s,
// where the exact path from noise z is x(lambda) = alpha m + sqrt(alpha^2 s^2 + sigma^2) z.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/sampler/dpm_solver.h"

namespace ringway::engine {
namespace {

constexpr double kMeans[] = {0.8, -0.3, 0.0, 0.5};
constexpr double kDeviations[] = {0.05, 0.2, 0.5, 1.5};
constexpr std::size_t kSize = 4;

double Spread(double s, const NoiseLevel& level) {
  return std::sqrt(level.alpha * level.alpha * s * s + level.sigma * level.sigma);
}

// The expectation of the clean sample given x.
float Posterior(std::size_t i, double x, const NoiseLevel& level) {
  const double s2 = kDeviations[i] * kDeviations[i];
  const double spread = Spread(kDeviations[i], level);
  return static_cast<float>((level.alpha * s2 * x + level.sigma * level.sigma * kMeans[i]) /
                            (spread * spread));
}

// Root mean square error at the end, over the dimensions, starting on the exact path with z = 1.
double Error(const std::vector<double>& lambdas) {
  DpmSolver solver(lambdas, kSize);
  float x[kSize], denoised[kSize];
  for (std::size_t i = 0; i < kSize; ++i)
    x[i] = static_cast<float>(solver.level(0).alpha * kMeans[i] + Spread(kDeviations[i], solver.level(0)));
  for (int step = 0; step < solver.steps(); ++step) {
    for (std::size_t i = 0; i < kSize; ++i) denoised[i] = Posterior(i, x[i], solver.level(step));
    solver.Advance(step, denoised, x);
  }
  const NoiseLevel end = solver.level(solver.steps());
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    const double exact = end.alpha * kMeans[i] + Spread(kDeviations[i], end);
    sum += (x[i] - exact) * (x[i] - exact);
  }
  return std::sqrt(sum / kSize);
}

TEST(DpmSolver, IsOfSecondOrder) {
  // Halving the step must divide the error by about four; floats keep enough digits down to 80 steps.
  for (const int steps : {20, 40}) {
    const double ratio = Error(UniformLambdas(-4, 3, steps)) / Error(UniformLambdas(-4, 3, 2 * steps));
    EXPECT_GT(std::log2(ratio), 1.7) << steps;
    EXPECT_LT(std::log2(ratio), 2.6) << steps;
  }
}

TEST(DpmSolver, FifteenStepsInLogSnrBeatFifteenInTime) {
  const TrainedSchedule trained = TrainedSchedule::ScaledLinear(1000, 0.00085, 0.012);
  const auto in_time = trained.LambdasUniformInTime(15);
  const double by_time = Error(in_time);
  const double by_log_snr = Error(UniformLambdas(in_time.front(), in_time.back(), 15));
  RecordProperty("times_better", static_cast<int>(by_time / by_log_snr));
  EXPECT_LT(by_log_snr * 2, by_time);
}

// Many samples at once, with fresh noise at every step: what comes out is distributed as the data.
TEST(DpmSolver, WithFreshNoiseTheSamplesAreSpreadAsTheDataIs) {
  constexpr std::size_t kSamples = 20'000;
  DpmSolver solver(UniformLambdas(-4, 3, 40), kSize * kSamples);
  std::vector<float> x(kSize * kSamples), denoised(x.size()), fresh(x.size());
  FillWithNoise(1, x);
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::size_t i = n % kSize;
    const NoiseLevel level = solver.level(0);
    x[n] = static_cast<float>(level.alpha * kMeans[i] + Spread(kDeviations[i], level) * x[n]);
  }
  for (int step = 0; step < solver.steps(); ++step) {
    for (std::size_t n = 0; n < x.size(); ++n) denoised[n] = Posterior(n % kSize, x[n], solver.level(step));
    FillWithNoise(1, fresh, static_cast<std::uint64_t>(step) + 1);
    solver.Advance(step, denoised, x, fresh);
  }
  const NoiseLevel end = solver.level(solver.steps());
  for (std::size_t i = 0; i < kSize; ++i) {
    double mean = 0, square = 0;
    for (std::size_t n = i; n < x.size(); n += kSize) mean += x[n] / kSamples;
    for (std::size_t n = i; n < x.size(); n += kSize) square += (x[n] - mean) * (x[n] - mean) / kSamples;
    const double spread = Spread(kDeviations[i], end);
    EXPECT_NEAR(mean, end.alpha * kMeans[i], 0.03 * spread) << i;
    EXPECT_NEAR(std::sqrt(square), spread, 0.03 * spread) << i;
  }
}

TEST(DpmSolver, FreshNoiseTakesTheOldOnesPlace) {
  // Nothing but noise, and a network that says so: its deviation is the level's, and little of the first is
  // left.
  constexpr std::size_t kCount = 20'000;
  DpmSolver solver({-2, 1}, kCount);
  std::vector<float> x(kCount), first, fresh(kCount);
  const std::vector<float> denoised(kCount, 0.0f);
  FillWithNoise(3, x);
  for (float& value : x) value *= static_cast<float>(solver.level(0).sigma);
  first = x;
  FillWithNoise(3, fresh, 1);
  solver.Advance(0, denoised, x, fresh);
  double square = 0, with_first = 0, firsts = 0;
  for (std::size_t n = 0; n < kCount; ++n) {
    square += x[n] * x[n] / kCount;
    with_first += x[n] * first[n] / kCount;
    firsts += first[n] * first[n] / kCount;
  }
  EXPECT_NEAR(std::sqrt(square), solver.level(1).sigma, 0.02);
  EXPECT_NEAR(with_first / std::sqrt(square * firsts), std::exp(-3), 0.02);
}

TEST(DpmSolver, OneStepToTheEndIsTheDenoisedSample) {
  DpmSolver solver({-3, 40}, 2);
  float x[] = {5, -7};
  const float denoised[] = {0.25f, -0.5f};
  solver.Advance(0, denoised, x);
  EXPECT_NEAR(x[0], 0.25f, 1e-6);
  EXPECT_NEAR(x[1], -0.5f, 1e-6);
}

TEST(Prediction, AllThreeNameTheSameSample) {
  const NoiseLevel level = LevelOf(0.7);
  const float clean = 0.3f, noise = -1.1f;
  const auto a = static_cast<float>(level.alpha), s = static_cast<float>(level.sigma);
  const float x[] = {a * clean + s * noise};
  const std::pair<Prediction, float> cases[] = {{Prediction::kNoise, noise},
                                                {Prediction::kVelocity, a * noise - s * clean},
                                                {Prediction::kSample, clean}};
  for (const auto& [kind, output] : cases) {
    float out[] = {output};
    ToDenoised(kind, level, x, out);
    EXPECT_NEAR(out[0], clean, 1e-6);
  }
}

TEST(Guide, WeighsPictureAndText) {
  const float none[] = {1}, image[] = {3};
  float both[] = {4};
  Guide({.image = 1.5f, .text = 2.0f}, none, image, both);
  EXPECT_EQ(both[0], 1 + 1.5f * 2 + 2.0f * 1);
  float plain[] = {4};
  Guide({}, none, image, plain);
  EXPECT_EQ(plain[0], 4);
}

TEST(Schedule, TranslatesBetweenTimeAndLambda) {
  const TrainedSchedule trained = TrainedSchedule::ScaledLinear(1000, 0.00085, 0.012);
  for (const double time : {0.0, 0.5, 10.25, 500.0, 998.9, 999.0})
    EXPECT_NEAR(trained.TimeOf(trained.LambdaOf(time)), time, 1e-6);
  EXPECT_EQ(trained.TimeOf(100), 0);
  EXPECT_EQ(trained.TimeOf(-100), 999);
  // alphas_cumprod[999] of Stable Diffusion is 0.0047.
  const NoiseLevel last = LevelOf(trained.LambdaOf(999));
  EXPECT_NEAR(last.alpha * last.alpha, 0.0047, 1e-4);
  EXPECT_NEAR(last.alpha * last.alpha + last.sigma * last.sigma, 1, 1e-12);
}

TEST(Noise, DependsOnTheSeedAlone) {
  std::vector<float> a(1000), b(1000), c(1000);
  FillWithNoise(1, a);
  FillWithNoise(1, b);
  FillWithNoise(2, c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  FillWithNoise(1, c, /*draw=*/1);
  EXPECT_NE(a, c);
  double mean = 0, square = 0;
  for (const float x : a) mean += x / 1000, square += x * x / 1000;
  EXPECT_NEAR(mean, 0, 0.1);
  EXPECT_NEAR(square, 1, 0.15);
}

}  // namespace
}  // namespace ringway::engine
