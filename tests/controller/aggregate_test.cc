#include "controller/fleet/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ringway::controller {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

MetricSpec Spec(Aggregation aggregation, double capacity, bool per_worker = false) {
  MetricSpec spec;
  spec.name = "m";
  spec.aggregation = aggregation;
  spec.capacity = capacity;
  spec.capacity_per_worker = per_worker;
  spec.max_age = Seconds(30);
  return spec;
}

struct Case {
  const char* what;
  MetricSpec spec;
  std::vector<double> values;
  WorkerCount workers;
  double load;  // negative: no reading
};

TEST(AggregateTest, EachAggregationAgainstProvisionedCapacity) {
  MetricSpec median = Spec(Aggregation::kQuantile, 10);
  median.quantile = 0.5;
  const std::vector<Case> cases = {
      {"sum per worker", Spec(Aggregation::kSum, 1, true), {1, 0.5, 0, 0.5}, {4, 4}, 0.5},
      {"sum, absolute", Spec(Aggregation::kSum, 8), {1, 1, 1, 1}, {4, 4}, 0.5},
      {"half dead, rest busy: half the load", Spec(Aggregation::kSum, 1, true), {1, 1}, {4, 2}, 0.5},
      {"mean", Spec(Aggregation::kMean, 2), {1, 2}, {2, 2}, 0.75},
      {"mean, half dead", Spec(Aggregation::kMean, 1), {1, 1}, {4, 2}, 0.5},
      {"max", Spec(Aggregation::kMax, 4), {1, 3, 2}, {3, 3}, 0.75},
      {"median", median, {9, 1, 5}, {3, 3}, 0.5},
      {"one of three unreported: the others stand for it",
       Spec(Aggregation::kSum, 1, true),
       {1, 1},
       {3, 3},
       1},
      {"one is not a number", Spec(Aggregation::kSum, 1, true), {0.5, kNan, 0.5}, {3, 3}, 0.5},
      {"one is negative", Spec(Aggregation::kMean, 1), {0.5, -4, 0.5}, {3, 3}, 0.5},
      {"most are not a number", Spec(Aggregation::kSum, 1, true), {0.5, kNan, INFINITY}, {3, 3}, -1},
      {"nobody says anything", Spec(Aggregation::kSum, 1, true), {}, {3, 3}, -1},
      {"nobody is alive", Spec(Aggregation::kSum, 1, true), {}, {3, 0}, 0},
      {"nobody is provisioned", Spec(Aggregation::kSum, 1, true), {}, {0, 0}, -1},
      {"more than provisioned", Spec(Aggregation::kMean, 1), {1, 1}, {1, 2}, 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    std::vector<MetricValue> values;
    for (double v : c.values) values.push_back({v, Seconds(1)});
    std::string problem;
    const auto reading = ReadMetric(c.spec, values, c.workers, problem);
    ASSERT_EQ(reading.has_value(), c.load >= 0);
    if (reading) {
      EXPECT_NEAR(reading->load, c.load, 1e-12);
    }
    if (reading && reading->bad > 0) {
      EXPECT_NE(problem, "");
    }
    if (!reading && c.workers.provisioned > 0) {
      EXPECT_NE(problem, "");
    }
  }
}

TEST(AggregateTest, OldValuesDoNotCountAndTheAgeIsTheMeanOfTheRest) {
  const MetricSpec spec = Spec(Aggregation::kMean, 1);
  std::string problem;
  const auto reading =
      ReadMetric(spec, {{0.2, Seconds(2)}, {0.4, Seconds(4)}, {9, Seconds(31)}}, {3, 3}, problem);
  ASSERT_TRUE(reading);
  EXPECT_NEAR(reading->load, 0.3, 1e-12);
  EXPECT_EQ(reading->age, Seconds(3));
  EXPECT_EQ(reading->old, 1);
  EXPECT_NE(problem.find("1 too old"), std::string::npos);
}

TEST(AggregateTest, PrometheusValuesAreScaledTheSameWay) {
  std::string problem;
  EXPECT_NEAR(ReadAggregated(Spec(Aggregation::kSum, 1, true), {5, {}}, {10, 5}, problem)->load, 0.5, 1e-12);
  EXPECT_NEAR(ReadAggregated(Spec(Aggregation::kMean, 1), {1, {}}, {10, 5}, problem)->load, 0.5, 1e-12);
  EXPECT_EQ(problem, "");
  EXPECT_FALSE(ReadAggregated(Spec(Aggregation::kMean, 1), {kNan, {}}, {10, 5}, problem));
  EXPECT_NE(problem.find("Prometheus"), std::string::npos);
  problem.clear();
  EXPECT_FALSE(ReadAggregated(Spec(Aggregation::kMean, 1), {1, Minutes(1)}, {10, 5}, problem));
  EXPECT_NE(problem.find("1m"), std::string::npos);
}

TEST(AggregateTest, NearestRankTakesAnExistingValue) {
  EXPECT_EQ(NearestRank({1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(NearestRank({4, 1, 3, 2}, 0.95), 4);
  EXPECT_EQ(NearestRank({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(NearestRank({7}, 1), 7);
}

}  // namespace
}  // namespace ringway::controller
