// What a canary may try, and what is in force at once.
#include "controller/canary/shape.h"

#include <gtest/gtest.h>

#include <functional>

namespace ringway::canary {
namespace {

std::shared_ptr<Fleet> Small() {
  auto fleet = std::make_shared<Fleet>();
  for (const char* name : {"paris", "oslo", "rome"}) {
    Region region;
    region.name = name;
    fleet->world.regions.push_back(region);
  }
  fleet->world.rtt = RttMatrix(3);
  Tier tier;
  tier.name = "animate";
  MetricSpec busy;
  busy.name = "busy";
  tier.metrics.push_back(busy);
  tier.route.rings = {{"near", 50, 0.7}};
  tier.regions = IdVector<RegionId, TierRegion>(3, TierRegion{.workers = 10});
  tier.regions[RegionId(2)].workers = 0;
  tier.residency_forbidden.resize(3);
  fleet->tiers.push_back(tier);
  return fleet;
}

struct Edit {
  const char* line;
  std::function<void(Tier&)> edit;
};

TEST(ShapeTest, WhatShapesTablesIsHeldBackAndNamed) {
  const Edit edits[] = {
      {"tier animate: overloadThreshold 0.8 -> 0.3", [](Tier& t) { t.route.overload_threshold = 0.3; }},
      {"tier animate: ceilingWait 0.3 -> 2", [](Tier& t) { t.route.ceiling_wait = 2; }},
      {"tier animate: rings near 50 ms from load 0.7 -> none", [](Tier& t) { t.route.rings.clear(); }},
      {"tier animate: escalation when-full -> by-load",
       [](Tier& t) { t.route.escalation = Escalation::kByLoad; }},
      {"tier animate: isolation auto -> level", [](Tier& t) { t.route.isolation = Isolation::kLevel; }},
      {"tier animate: refine optimal -> off", [](Tier& t) { t.route.refine = RefineMode::kOff; }},
      {"tier animate: guard.planMargin 0.04 -> 0.4", [](Tier& t) { t.guard.plan_margin = 0.4; }},
      {"tier animate: guard.shedAbove 3 -> 1", [](Tier& t) { t.guard.shed_above = 1; }},
      {"tier animate: guard.hysteresis 0.01 -> 0.2", [](Tier& t) { t.guard.hysteresis = 0.2; }},
      {"tier animate: guard.stepMax 0.2 -> 1", [](Tier& t) { t.guard.step_max = 1; }},
      {"tier animate: oslo reserveShare 0 -> 0.5",
       [](Tier& t) { t.regions[RegionId(1)].reserve_share = 0.5; }},
      {"tier animate: oslo importCapShare 1 -> 0",
       [](Tier& t) { t.regions[RegionId(1)].import_cap_share = 0; }},
      {"tier animate: paris overloadThreshold 0 -> 0.9",
       [](Tier& t) { t.regions[RegionId(0)].overload_threshold = 0.9; }},
  };
  for (const Edit& edit : edits) {
    const auto before = Small();
    auto after = Small();
    edit.edit(after->tiers[TierId(0)]);
    const auto held = Shaped(*after, ShapeOf(*before));
    EXPECT_EQ(ShapeOf(*held), ShapeOf(*before)) << edit.line;
    EXPECT_EQ(ShapeChanges(*held, *after), std::vector<std::string>{edit.line});
    EXPECT_EQ(TiersReshaped(*held, *after), std::vector<std::string>{"animate"});
    EXPECT_TRUE(OtherChanges(*before, *held).empty()) << edit.line;
    EXPECT_EQ(ShapeOf(*Shaped(*before, ShapeOf(*after))), ShapeOf(*after)) << "and the other way round";
  }
}

TEST(ShapeTest, WhoExistsIsNotHeldBack) {
  const Edit edits[] = {
      {"tier animate: workers of 1 region", [](Tier& t) { t.regions[RegionId(1)].workers = 3; }},
      {"tier animate: metrics", [](Tier& t) { t.metrics[0].capacity = 2; }},
      {"tier animate: dispatch", [](Tier& t) { t.dispatch.waiting_max = 1; }},
      {"tier animate: guard (what is not of the plan's shape)",
       [](Tier& t) { t.guard.stale_after = Seconds(3); }},
      {"tier animate: serviceMean", [](Tier& t) { t.service_mean = Seconds(9); }},
      {"tier animate: deadline", [](Tier& t) { t.deadline = Seconds(90); }},
      {"tier animate: scaling", [](Tier& t) { t.scaling.emplace(); }},
      {"tier animate: residency", [](Tier& t) { t.residency_forbidden[RegionId(0)] = {RegionId(1)}; }},
  };
  for (const Edit& edit : edits) {
    const auto before = Small();
    auto after = Small();
    edit.edit(after->tiers[TierId(0)]);
    const auto held = Shaped(*after, ShapeOf(*before));
    EXPECT_TRUE(ShapeChanges(*held, *after).empty()) << edit.line;
    EXPECT_EQ(OtherChanges(*before, *held), std::vector<std::string>{edit.line});
  }
}

TEST(ShapeTest, NewRegionsAndTiersHaveTheirOwnSettings) {
  const auto before = Small();
  auto after = Small();
  Region region;
  region.name = "bonn";
  after->world.regions.push_back(region);
  Tier& tier = after->tiers[TierId(0)];
  tier.regions.push_back({.workers = 4, .reserve_share = 0.25});
  tier.route.overload_threshold = 0.5;
  Tier other = tier;
  other.name = "draw";
  after->tiers.push_back(other);
  const auto held = Shaped(*after, ShapeOf(*before));
  EXPECT_EQ(held->tiers[TierId(0)].route.overload_threshold, 0.8);
  EXPECT_EQ(held->tiers[TierId(0)].regions[RegionId(3)].reserve_share, 0.25);
  EXPECT_EQ(held->tiers[TierId(1)].route.overload_threshold, 0.5);
  EXPECT_EQ(OtherChanges(*before, *held),
            (std::vector<std::string>{"region bonn is new", "tier draw is new"}));
}

TEST(ShapeTest, ManyRegionsAreNotAllNamed) {
  const auto before = Small();
  auto big = std::make_shared<Fleet>(*before);
  for (int i = 0; i < 20; ++i) {
    Region region;
    region.name = "r" + std::to_string(i);
    big->world.regions.push_back(region);
    big->tiers[TierId(0)].regions.push_back({.workers = 1});
  }
  auto after = std::make_shared<Fleet>(*big);
  for (TierRegion& region : after->tiers[TierId(0)].regions) region.import_cap_share = 0.5;
  const auto lines = ShapeChanges(*big, *after);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines.back(), "tier animate: and settings of 17 more regions");
}

}  // namespace
}  // namespace ringway::canary
