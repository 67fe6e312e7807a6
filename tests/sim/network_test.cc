#include "sim/network.h"

#include "gtest/gtest.h"

namespace ringway::sim {
namespace {

World ThreeRegions() {
  World world;
  for (const char* name : {"a", "b", "c"}) world.regions.push_back({.name = name, .title = ""});
  world.rtt = RttMatrix(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) world.rtt.Set(RegionId(i), RegionId(j), i == j ? 1 : 10.0 * (i + j));
  }
  return world;
}

const RegionId kA(0), kB(1), kC(2);

TEST(NetworkTest, OneWayIsHalfTheRoundTrip) {
  Network network(ThreeRegions(), {.jitter_share = 0}, 1);
  EXPECT_EQ(network.DelayNs(kA, kB), 5'000'000);
  EXPECT_EQ(network.DelayNs(kA, kA), 500'000);
  EXPECT_EQ(network.RoundTripNs(kB, kC), 30'000'000);
}

TEST(NetworkTest, JitterOnlyAddsAndKeepsItsMean) {
  Network network(ThreeRegions(), {.jitter_share = 0.2}, 1);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto delay = network.DelayNs(kA, kC);
    ASSERT_GE(*delay, 10'000'000);
    sum += static_cast<double>(*delay);
  }
  EXPECT_NEAR(sum / 20000, 12e6, 0.1e6);
}

TEST(NetworkTest, PartitionsNestAndHeal) {
  Network network(ThreeRegions(), {.jitter_share = 0}, 1);
  network.Cut({kA}, {});
  network.Cut({kA}, {kB});
  EXPECT_FALSE(network.DelayNs(kB, kA).has_value());
  EXPECT_FALSE(network.DelayNs(kA, kC).has_value());
  EXPECT_TRUE(network.DelayNs(kA, kA).has_value()) << "a region is never cut off from itself";
  EXPECT_TRUE(network.DelayNs(kB, kC).has_value());
  network.Heal({kA}, {});
  EXPECT_FALSE(network.DelayNs(kA, kB).has_value());
  EXPECT_TRUE(network.DelayNs(kA, kC).has_value());
  network.Heal({kA}, {kB});
  EXPECT_TRUE(network.DelayNs(kA, kB).has_value());
}

TEST(NetworkTest, ExtraDelayIsARoundTripBothWaysOnce) {
  Network network(ThreeRegions(), {.jitter_share = 0}, 1);
  network.AddDelayMs({}, {}, 200);
  EXPECT_EQ(network.RoundTripNs(kA, kB), 210'000'000);
  EXPECT_EQ(network.DelayNs(kA, kA), 500'000);
  network.AddDelayMs({}, {}, -200);
  EXPECT_EQ(network.RoundTripNs(kA, kB), 10'000'000);
}

TEST(NetworkTest, LossStrikesBetweenRegionsOnly) {
  Network network(ThreeRegions(), {.jitter_share = 0, .loss_share = 0.1}, 1);
  int lost = 0;
  for (int i = 0; i < 10000; ++i) {
    lost += !network.DelayNs(kA, kB).has_value();
    ASSERT_TRUE(network.DelayNs(kB, kB).has_value());
  }
  EXPECT_NEAR(lost, 1000, 120);
}

TEST(NetworkTest, CallsRepeatAndComeLateWithoutMovingAnythingElse) {
  Network plain(ThreeRegions(), {.loss_share = 0.1}, 1);
  Network calls(ThreeRegions(), {.loss_share = 0.1, .repeat_share = 0.3, .late_share = 0.2}, 1);
  int repeated = 0, late = 0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_FALSE(plain.Repeats());
    ASSERT_EQ(plain.LateNs(), 0);
    repeated += calls.Repeats();
    const std::int64_t late_ns = calls.LateNs();
    ASSERT_LE(late_ns, 1'500'000'000);
    late += late_ns > 0;
    ASSERT_EQ(plain.DelayNs(kA, kB), calls.DelayNs(kA, kB));
  }
  EXPECT_NEAR(repeated, 3000, 200);
  EXPECT_NEAR(late, 2000, 200);
}

}  // namespace
}  // namespace ringway::sim
