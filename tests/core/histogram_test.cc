#include "core/histogram.h"

#include <algorithm>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(HistogramTest, QuantilesAreWithinOnePercentOfTheSortedValues) {
  Rng rng(1);
  Histogram histogram(1e-6);
  std::vector<double> values;
  for (int i = 0; i < 100000; ++i) {
    values.push_back(rng.LogNormal(0.05, 2));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double exact = values[static_cast<std::size_t>(q * 100000) - 1];
    EXPECT_NEAR(histogram.Quantile(q), exact, exact * 0.01) << q;
  }
  EXPECT_EQ(histogram.Quantile(1), values.back());
  EXPECT_EQ(histogram.count(), 100000u);
}

TEST(HistogramTest, ZeroTinyAndHugeValuesHaveAPlace) {
  Histogram histogram(1e-3);
  EXPECT_EQ(histogram.Quantile(0.5), 0);
  histogram.Add(0, 98);
  histogram.Add(1e-9);
  histogram.Add(1e30);
  EXPECT_EQ(histogram.Quantile(0.99), 0);
  EXPECT_GT(histogram.Quantile(1), 1e8);
  EXPECT_EQ(histogram.max(), 1e30);
}

TEST(HistogramTest, MergingShardsEqualsTheWhole) {
  Rng rng(2);
  Histogram whole, first, second;
  for (int i = 0; i < 10000; ++i) {
    const double value = rng.Exponential();
    whole.Add(value);
    (i % 3 == 0 ? first : second).Add(value);
  }
  first.Merge(second);
  EXPECT_EQ(first.count(), whole.count());
  for (const double q : {0.01, 0.5, 0.99}) EXPECT_EQ(first.Quantile(q), whole.Quantile(q));
}

}  // namespace
}  // namespace ringway
