#include "proto/fleet_codec.h"

#include <functional>
#include <limits>

#include "gtest/gtest.h"

namespace ringway::wire {
namespace {

Fleet SomeFleet() {
  Fleet fleet;
  fleet.world.regions.push_back({.name = "east", .title = "East", .latitude_deg = 1, .longitude_deg = 2});
  fleet.world.regions.push_back({.name = "west", .title = "West", .utc_offset_minutes = -480});
  fleet.world.rtt = RttMatrix(2);
  fleet.world.rtt.Set(RegionId(0), RegionId(1), 62.5);
  fleet.world.rtt.Set(RegionId(1), RegionId(0), 63);
  Tier tier;
  tier.name = "video";
  tier.priorities = {"interactive", "batch"};
  tier.service_mean = Milliseconds(200);
  tier.dispatch.probes_per_round = 7;
  tier.dispatch.backoff.full_jitter = false;
  tier.dispatch.delay.span = Milliseconds(125);
  tier.regions.resize(2);
  tier.dispatch.spill = {.share = 0.125,
                         .keep = Seconds(40),
                         .wait_min = Milliseconds(75),
                         .fade = Seconds(3),
                         .refused_cost = Seconds(4)};
  tier.route.rings = {{"near", 30, 0.7}, {"far", 200, 0.9}};
  tier.regions[RegionId(1)] = {.workers = 12, .reserve_share = 0.125, .import_cap_share = 0.25};
  tier.residency_forbidden.resize(2);
  tier.residency_forbidden[RegionId(0)] = {RegionId(1)};
  fleet.tiers.push_back(tier);
  return fleet;
}

TEST(FleetCodecTest, RoutingSettingsComeBackAsTheyWent) {
  const Fleet fleet = SomeFleet();
  const auto decoded = DecodeFleet(EncodeFleet(fleet));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->world.regions.size(), 2u);
  EXPECT_EQ(decoded->world.regions[RegionId(1)].utc_offset_minutes, -480);
  EXPECT_EQ(decoded->world.rtt.ms(RegionId(0), RegionId(1)), 62.5);
  const Tier& tier = decoded->tiers[TierId(0)];
  EXPECT_EQ(tier.priorities, fleet.tiers[TierId(0)].priorities);
  EXPECT_EQ(tier.service_mean, Milliseconds(200));
  EXPECT_EQ(tier.dispatch.probes_per_round, 7);
  EXPECT_FALSE(tier.dispatch.backoff.full_jitter);
  EXPECT_EQ(tier.dispatch.delay.span, Milliseconds(125));
  EXPECT_EQ(tier.regions[RegionId(1)].workers, 12);
  EXPECT_EQ(tier.regions[RegionId(1)].import_cap_share, 0.25);
  EXPECT_EQ(tier.regions[RegionId(1)].reserve_share, 0.125);
  EXPECT_EQ(tier.dispatch.spill.share, 0.125);
  EXPECT_EQ(tier.dispatch.spill.keep, Seconds(40));
  EXPECT_EQ(tier.dispatch.spill.wait_min, Milliseconds(75));
  EXPECT_EQ(tier.dispatch.spill.fade, Seconds(3));
  EXPECT_EQ(tier.dispatch.spill.refused_cost, Seconds(4));
  ASSERT_EQ(tier.route.rings.size(), 2u);
  EXPECT_EQ(tier.route.rings[1].name, "far");
  EXPECT_EQ(tier.route.rings[1].rtt_ms_max, 200);
  EXPECT_EQ(tier.route.rings[1].unlock_load, 0.9);
  EXPECT_EQ(tier.residency_forbidden[RegionId(0)], std::vector<RegionId>{RegionId(1)});
}

TEST(FleetCodecTest, AMessageWithoutSpillMeansTheDefaults) {
  v1::FleetMap message = EncodeFleet(SomeFleet());
  message.mutable_tiers(0)->mutable_dispatch()->clear_spill();
  const auto decoded = DecodeFleet(message);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->tiers[TierId(0)].dispatch.spill.share, SpillSpec().share);
}

TEST(FleetCodecTest, RefusesEveryBrokenMapWithThePlaceInTheMessage) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    const char* expected;
    std::function<void(v1::FleetMap&)> breakage;
  };
  const std::vector<Case> cases = {
      {"regions: 0 regions", [](auto& m) { m.clear_regions(); }},
      {"rtt_ms: 5 values for 2 regions", [](auto& m) { m.add_rtt_ms(1); }},
      {"from east to west: nan", [=](auto& m) { m.set_rtt_ms(1, nan); }},
      {"from east to west: -1", [](auto& m) { m.set_rtt_ms(1, -1); }},
      {"a region has no name", [](auto& m) { m.mutable_regions(0)->clear_name(); }},
      {"'west' appears twice", [](auto& m) { m.mutable_regions(0)->set_name("west"); }},
      {"tiers: 0 tiers", [](auto& m) { m.clear_tiers(); }},
      {"a tier has no name", [](auto& m) { m.mutable_tiers(0)->clear_name(); }},
      {"'video' appears twice", [](auto& m) { *m.add_tiers() = m.tiers(0); }},
      {"0 priorities", [](auto& m) { m.mutable_tiers(0)->clear_priorities(); }},
      {"5 priorities",
       [](auto& m) {
         for (int i = 0; i < 3; ++i) m.mutable_tiers(0)->add_priorities("p");
       }},
      {"service_mean_s", [](auto& m) { m.mutable_tiers(0)->set_service_mean_s(0); }},
      {"deadline_s", [=](auto& m) { m.mutable_tiers(0)->set_deadline_s(nan); }},
      {"probes_per_round is 0",
       [](auto& m) { m.mutable_tiers(0)->mutable_dispatch()->set_probes_per_round(0); }},
      {"offers_max is 0", [](auto& m) { m.mutable_tiers(0)->mutable_dispatch()->set_offers_max(0); }},
      {"out of range or not a number",
       [=](auto& m) { m.mutable_tiers(0)->mutable_dispatch()->set_backoff_base_s(nan); }},
      {"['north']: not a region",
       [](auto& m) { m.mutable_tiers(0)->mutable_regions(0)->set_region("north"); }},
      {"forbidden target 'north'",
       [](auto& m) { m.mutable_tiers(0)->mutable_regions(0)->add_forbidden_targets("north"); }},
      {"import_cap_share",
       [](auto& m) { m.mutable_tiers(0)->mutable_regions(0)->set_import_cap_share(1.5); }},
      {"reserve_share", [](auto& m) { m.mutable_tiers(0)->mutable_regions(0)->set_reserve_share(-1); }},
      {"dispatch.spill",
       [](auto& m) { m.mutable_tiers(0)->mutable_dispatch()->mutable_spill()->set_share(1.5); }},
      {"dispatch.spill",
       [=](auto& m) { m.mutable_tiers(0)->mutable_dispatch()->mutable_spill()->set_keep_s(nan); }},
      {"ring 'far'", [](auto& m) { m.mutable_tiers(0)->mutable_rings(1)->set_rtt_ms_max(10); }},
  };
  for (const Case& c : cases) {
    v1::FleetMap message = EncodeFleet(SomeFleet());
    c.breakage(message);
    const auto decoded = DecodeFleet(message);
    ASSERT_FALSE(decoded.ok()) << c.expected;
    EXPECT_NE(decoded.status().message().find(c.expected), absl::string_view::npos)
        << "wanted: " << c.expected << "\ngot: " << decoded.status();
  }
}

}  // namespace
}  // namespace ringway::wire
