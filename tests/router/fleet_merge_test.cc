#include "router/fleet_merge.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/rng.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

Fleet Named(const std::vector<std::string>& regions, const std::vector<std::string>& tiers) {
  Fleet fleet;
  fleet.world.rtt = RttMatrix(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    Region region;
    region.name = regions[i];
    fleet.world.regions.push_back(region);
    for (std::size_t j = 0; j < regions.size(); ++j) {
      fleet.world.rtt.Set(RegionId(i), RegionId(j), static_cast<double>(regions[i][0] + regions[j][0]));
    }
  }
  for (const std::string& name : tiers) {
    Tier tier;
    tier.name = name;
    for (const std::string& region : regions) tier.regions.push_back({.workers = region[0]});
    tier.residency_forbidden.resize(regions.size());
    tier.residency_forbidden[RegionId(0)] = {RegionId(regions.size() - 1)};
    fleet.tiers.push_back(tier);
  }
  return fleet;
}

TEST(FleetMerge, KnownIdsStayAndNewOnesFollow) {
  const Fleet known = Named({"a", "b"}, {"x", "y"});
  const auto merged = MergeFleet(known, Named({"c", "b"}, {"z", "y"}));
  ASSERT_TRUE(merged);
  const World& world = merged->fleet.world;
  EXPECT_EQ(world.FindRegion("a"), RegionId(0));
  EXPECT_EQ(world.FindRegion("b"), RegionId(1));
  EXPECT_EQ(world.FindRegion("c"), RegionId(2));
  EXPECT_EQ(world.rtt.ms(RegionId(2), RegionId(1)), 'c' + 'b');
  EXPECT_EQ(world.rtt.ms(RegionId(0), RegionId(1)), 'a' + 'b') << "still known";
  EXPECT_GE(world.rtt.ms(RegionId(0), RegionId(2)), 60000) << "never on one map";
  EXPECT_TRUE(merged->retired[*merged->fleet.FindTier("x")]);
  EXPECT_FALSE(merged->retired[*merged->fleet.FindTier("y")]);
  const Tier& z = merged->fleet.tiers[*merged->fleet.FindTier("z")];
  EXPECT_EQ(z.regions[RegionId(0)].workers, 0) << "a is not on the new map";
  EXPECT_EQ(z.regions[RegionId(2)].workers, 'c');
  EXPECT_EQ(z.residency_forbidden[RegionId(2)], std::vector<RegionId>{RegionId(1)});
}

TEST(FleetMerge, ATierThatComesBackIsNotRetired) {
  const Fleet first = Named({"a"}, {"x"});
  const auto without = MergeFleet(first, Named({"a"}, {"y"}));
  const auto again = MergeFleet(without->fleet, Named({"a"}, {"x", "y"}));
  EXPECT_EQ(again->fleet.FindTier("x"), TierId(0));
  EXPECT_FALSE(again->retired[TierId(0)]);
}

// A machine lives through any sequence of maps with the ids it began with.
TEST(FleetMerge, AMachineLivesThroughRandomMaps) {
  Rng rng(3);
  const std::vector<std::string> names = {"home", "b", "c", "d", "e"};
  Fleet fleet = LonelyFleet("home");
  RouterMachine machine({.home = RegionId(0), .jobs_max = 8, .seed = 1},
                        std::make_shared<const Fleet>(fleet));
  std::vector<RouterAction> actions;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> regions;
    std::vector<std::string> tiers;
    for (const std::string& name : names) {
      if (rng.Chance(0.6))
        regions.insert(regions.begin() + static_cast<long>(rng.Below(regions.size() + 1)), name);
      if (rng.Chance(0.4)) tiers.push_back("t" + name);
    }
    if (regions.empty()) continue;
    auto merged = MergeFleet(fleet, Named(regions, tiers));
    ASSERT_TRUE(merged);
    EXPECT_EQ(merged->fleet.world.FindRegion("home"), RegionId(0));
    EXPECT_GE(merged->fleet.tiers.size(), fleet.tiers.size());
    fleet = merged->fleet;
    machine.Step(FromUnixSeconds(i), FleetChanged{std::make_shared<const Fleet>(fleet)}, actions);
  }
}

TEST(FleetMerge, BoundedOverTheLifeOfTheProcess) {
  Fleet fleet = LonelyFleet("home");
  for (int i = 0; i < 40; ++i) {
    Fleet next = LonelyFleet("home");
    for (int t = 0; t < 100; ++t) {
      Tier tier;
      tier.name = std::to_string(i * 100 + t);
      tier.regions.assign(1, TierRegion());
      next.tiers.push_back(tier);
    }
    const auto merged = MergeFleet(fleet, next);
    if (!merged) {
      EXPECT_GT(fleet.tiers.size() + 100, kTiersMax);
      return;
    }
    fleet = merged->fleet;
  }
  FAIL() << "grows without bound";
}

}  // namespace
}  // namespace ringway::router
