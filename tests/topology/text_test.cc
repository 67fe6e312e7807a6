// A fleet as text: what is read from it is the fleet again.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "topology/topology.h"
#include "topology/topology_text.h"

namespace ringway {
namespace {

void ExpectSame(const Fleet& a, const Fleet& b) {
  EXPECT_EQ(a.world.name, b.world.name);
  EXPECT_EQ(a.canary, b.canary);
  ASSERT_EQ(a.world.regions.size(), b.world.regions.size());
  for (RegionId id(0); id != a.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    const Region& one = a.world.regions[id];
    const Region& other = b.world.regions[id];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.title, other.title);
    EXPECT_EQ(one.latitude_deg, other.latitude_deg);
    EXPECT_EQ(one.longitude_deg, other.longitude_deg);
    EXPECT_EQ(one.utc_offset_minutes, other.utc_offset_minutes);
    EXPECT_NEAR(one.population_share, other.population_share, 1e-12);
    for (RegionId to(0); to != a.world.regions.end_id(); to = RegionId(to.index() + 1)) {
      EXPECT_EQ(a.world.rtt.ms(id, to), b.world.rtt.ms(id, to));
      EXPECT_EQ(a.world.rtt.source(id, to), b.world.rtt.source(id, to));
    }
  }
  ASSERT_EQ(a.tiers.size(), b.tiers.size());
  for (TierId id(0); id != a.tiers.end_id(); id = TierId(id.index() + 1)) {
    const Tier& one = a.tiers[id];
    const Tier& other = b.tiers[id];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.metrics, other.metrics);
    EXPECT_EQ(one.priorities, other.priorities);
    EXPECT_EQ(one.route, other.route);
    EXPECT_EQ(one.guard, other.guard);
    EXPECT_EQ(one.dispatch, other.dispatch);
    EXPECT_EQ(one.scaling, other.scaling);
    EXPECT_EQ(one.service_mean, other.service_mean);
    EXPECT_EQ(one.deadline, other.deadline);
    EXPECT_EQ(one.regions.raw(), other.regions.raw());
    EXPECT_EQ(one.residency_forbidden.raw(), other.residency_forbidden.raw());
  }
}

std::shared_ptr<const Fleet> Shipped(const std::string& name) {
  const auto topology = LoadTopology(RINGWAY_SOURCE_DIR "/topology/" + name + ".yaml");
  EXPECT_TRUE(topology.ok()) << topology.status();
  return topology->fleet;
}

void ExpectReadBack(const Fleet& fleet) {
  const absl::StatusOr<std::string> text = TopologyText(fleet);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto read = ParseTopology(*text, "text");
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectSame(fleet, *read->fleet);
}

class ShippedTextTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedTextTest, ComesBack) { ExpectReadBack(*Shipped(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Shipped, ShippedTextTest,
                         ::testing::Values("aws", "azure", "local", "small", "picture"));

// A fleet in which nothing has its default.
Fleet Unusual() {
  Fleet fleet = *Shipped("small");
  fleet.canary = CanarySpec{.share = 0.1 + 0.2, .period = Nanoseconds(12'345'678'901)};
  fleet.world.name = "1:a";
  fleet.world.regions[RegionId(0)].title = "A \"title\": {with} [all], \\ and \u00e9";
  fleet.world.regions[RegionId(1)].utc_offset_minutes = -210;
  fleet.world.rtt.Set(RegionId(0), RegionId(1), 1.0 / 3);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.metrics.push_back({.name = "lag",
                          .aggregation = Aggregation::kQuantile,
                          .quantile = 0.9,
                          .capacity = 2.0 / 3,
                          .promql = "max by (region) (lag{job=\"x\"})",
                          .max_age = Milliseconds(1500)});
  tier.priorities = {"true", "low"};
  tier.route.ceiling_wait = 0.7;
  tier.route.escalation = Escalation::kByLoad;
  tier.route.isolation = Isolation::kLevel;
  tier.route.refine = RefineMode::kSwap;
  tier.guard = {.plan_margin = 0.05,
                .shed_above = 4,
                .cost_clamp_low = 0.25,
                .cost_clamp_high = 5,
                .refuted_at = 20,
                .hysteresis = 0.02,
                .step_max = 1.0 / 7,
                .jump_max = 12,
                .jump_confirmations = 5,
                .stale_after = Seconds(7),
                .missing_after = Seconds(70),
                .drain_pace = Seconds(9)};
  tier.dispatch = {
      .mode = DispatchMode::kProbe,
      .probes_per_round = 3,
      .attempts_max = 77,
      .delay = {.busy_min = 0.5, .share_max = 0.6, .span = Milliseconds(20)},
      .backoff = {.base = Milliseconds(7), .multiplier = 3, .cap_of_service = 0.1, .full_jitter = false},
      .budget = {.share = 0.3, .floor_per_second = 2},
      .spill = {.idle_hints = false,
                .share = 0.1,
                .keep = Seconds(20),
                .wait_min = ZeroDuration(),
                .fade = Seconds(4),
                .refused_cost = Seconds(3)},
      .waiting_max = 5};
  tier.scaling = ScalingSpec{
      .risk = 0.02, .wait_target = 0.3, .start_up = Seconds(61), .stable_for = Seconds(62), .workers_min = 2};
  tier.service_mean = Milliseconds(1234);
  tier.deadline = Seconds(99) + Nanoseconds(1) / 4;
  tier.regions[RegionId(1)] = {
      .workers = 0, .reserve_share = 0.1, .import_cap_share = 0.2, .overload_threshold = 0.6};
  tier.residency_forbidden.assign(3, {});
  tier.residency_forbidden[RegionId(2)] = {RegionId(0), RegionId(1)};
  return fleet;
}

TEST(TopologyTextTest, EverySettingComesBack) { ExpectReadBack(Unusual()); }

TEST(TopologyTextTest, WhatNoFileCanSayIsRefused) {
  Fleet out_of_range = Unusual();
  out_of_range.tiers[TierId(0)].route.overload_threshold = 1.5;
  EXPECT_NE(TopologyText(out_of_range).status().message().find("overloadThreshold"), std::string::npos);

  Fleet measured = Unusual();
  measured.world.rtt.Set(RegionId(0), RegionId(1), 20, RttSource::kEstimated);
  EXPECT_FALSE(TopologyText(measured).ok()) << "an estimate is that of the coordinates";
}

}  // namespace
}  // namespace ringway
