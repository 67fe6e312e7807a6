#include "core/rng.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(RngTest, SameSeedAndStreamGiveTheSameNumbers) {
  Rng a(7, 1);
  Rng b(7, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
}

TEST(RngTest, StreamsOfOneSeedDiffer) {
  Rng a(7, 1);
  Rng b(7, 2);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const auto x = a.Next();
    const auto y = b.Next();
    equal += x == y;
  }
  EXPECT_EQ(equal, 0);
}

TEST(RngTest, BelowIsInRangeAndCoversIt) {
  Rng rng(1);
  int seen[5] = {};
  for (int i = 0; i < 10000; ++i) {
    const auto x = rng.Below(5);
    ASSERT_LT(x, 5u);
    ++seen[x];
  }
  // Four standard deviations of a binomial(10000, 1/5) are 160.
  for (int n : seen) EXPECT_NEAR(n, 2000, 160);
}

TEST(RngTest, DistributionsHaveTheirMoments) {
  Rng rng(3);
  constexpr int kDraws = 200000;
  double exponential = 0, normal = 0, normal_squared = 0, log_normal = 0, log_normal_squared = 0;
  for (int i = 0; i < kDraws; ++i) {
    exponential += rng.Exponential();
    const double n = rng.Normal();
    normal += n;
    normal_squared += n * n;
    const double l = rng.LogNormal(2, 0.5);
    log_normal += l;
    log_normal_squared += l * l;
  }
  EXPECT_NEAR(exponential / kDraws, 1, 0.01);
  EXPECT_NEAR(normal / kDraws, 0, 0.01);
  EXPECT_NEAR(normal_squared / kDraws, 1, 0.02);
  const double mean = log_normal / kDraws;
  EXPECT_NEAR(mean, 2, 0.02);
  EXPECT_NEAR(std::sqrt(log_normal_squared / kDraws - mean * mean) / mean, 0.5, 0.02);
}

}  // namespace
}  // namespace ringway
