#include "router/dispatch/alias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/rng.h"

namespace ringway::dispatch {
namespace {

std::vector<double> Frequencies(const AliasTable& table, std::size_t n, int draws, Rng& rng) {
  std::vector<double> seen(n);
  for (int i = 0; i < draws; ++i) seen[table.Pick(rng.Next())] += 1.0 / draws;
  return seen;
}

TEST(AliasTable, NothingToChooseFrom) {
  EXPECT_TRUE(AliasTable().empty());
  EXPECT_TRUE(AliasTable(std::vector<double>{}).empty());
  EXPECT_TRUE(AliasTable(std::vector<double>{0, 0}).empty());
}

TEST(AliasTable, OneChoiceIsAlwaysTaken) {
  const AliasTable table(std::vector<double>{0.25});
  for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    EXPECT_EQ(table.Pick(random), 0u);
  }
}

TEST(AliasTable, ZeroWeightIsNeverPicked) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> weights(1 + rng.Below(12));
    for (double& w : weights) w = rng.Chance(0.4) ? 0 : rng.Uniform();
    const AliasTable table(weights);
    if (table.empty()) continue;
    for (int i = 0; i < 2000; ++i) EXPECT_GT(weights[table.Pick(rng.Next())], 0);
  }
}

TEST(AliasTable, FrequenciesMatchTheWeights) {
  Rng rng(5);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> weights(1 + rng.Below(40));
    double sum = 0;
    for (double& w : weights) sum += w = std::pow(rng.Uniform(), 4);
    constexpr int kDraws = 40000;
    const auto seen = Frequencies(AliasTable(weights), weights.size(), kDraws, rng);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double p = weights[i] / sum;
      EXPECT_NEAR(seen[i], p, 5 * std::sqrt(p * (1 - p) / kDraws) + 1e-4) << "choice " << i;
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
