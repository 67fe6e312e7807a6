#include "core/world.h"

#include "core/table.h"
#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(WorldTest, NearestFirstOrdersByRttThenById) {
  RttMatrix rtt(4);
  const double ms[4] = {0, 30, 10, 30};
  for (std::size_t to = 0; to < 4; ++to) rtt.Set(RegionId(0), RegionId(to), ms[to]);
  const auto order = NearestFirst(rtt);
  EXPECT_EQ(order[RegionId(0)], (std::vector<RegionId>{RegionId(2), RegionId(1), RegionId(3)}));
}

TEST(WorldTest, DistanceMatchesAKnownPair) {
  Region paris{.name = "paris", .title = "", .latitude_deg = 48.8566, .longitude_deg = 2.3522};
  Region new_york{.name = "nyc", .title = "", .latitude_deg = 40.7128, .longitude_deg = -74.0060};
  EXPECT_NEAR(DistanceKm(paris, new_york), 5837, 10);
  EXPECT_EQ(DistanceKm(paris, paris), 0);
}

TEST(WorldTest, FindRegionByName) {
  World world;
  world.regions.push_back({.name = "a", .title = ""});
  world.regions.push_back({.name = "b", .title = ""});
  EXPECT_EQ(world.FindRegion("b"), RegionId(1));
  EXPECT_EQ(world.FindRegion("c"), std::nullopt);
}

TEST(TableTest, HomeTableKeepsEverythingHome) {
  const TierTable table = HomeTable(TierId(0), 3, 2);
  for (Priority p = 0; p < 2; ++p) {
    for (std::size_t r = 0; r < 3; ++r) {
      const Row& row = table.at(p, RegionId(r));
      ASSERT_EQ(row.routes.size(), 1u);
      EXPECT_EQ(row.routes[0].target, RegionId(r));
      EXPECT_EQ(row.routes[0].fraction, 1);
    }
  }
}

TEST(TableTest, VersionsOrderByEpochFirst) {
  EXPECT_LT((TableVersion{1, 9}), (TableVersion{2, 1}));
  EXPECT_LT((TableVersion{2, 1}), (TableVersion{2, 2}));
}

}  // namespace
}  // namespace ringway
