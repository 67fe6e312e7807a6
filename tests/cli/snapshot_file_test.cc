#include "cli/snapshot_file.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTopology = R"(
apiVersion: ringway/v1
kind: World
metadata: {name: w}
spec:
  regions:
    - {name: a, coordinates: {latitudeDeg: 0, longitudeDeg: 0}}
    - {name: b, coordinates: {latitudeDeg: 0, longitudeDeg: 5}}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: t}
spec:
  serviceMean: 2s
  priorities: [high, low]
  metrics: [{name: busy, capacityPer: worker}]
  rings: [{name: near, rttMsMax: 100, unlockLoad: 0.8}]
  regions: [{region: a, workers: 10, reserveShare: 0.2}, {region: b, workers: 20}]
)";

absl::StatusOr<TierSnapshot> Parse(std::string_view regions) {
  const absl::StatusOr<Topology> topology = ParseTopology(kTopology, "t");
  EXPECT_TRUE(topology.ok()) << topology.status();
  const std::string text =
      std::string("apiVersion: ringway/v1\nkind: Snapshot\nmetadata: {name: s}\nspec:\n  regions: ")
          .append(regions);
  return ParseSnapshot(text, "s", *topology);
}

TEST(SnapshotFileTest, WhatIsLeftOutFollowsFromTheFleet) {
  const auto snapshot = Parse("[{region: a, demandRps: 3}]\n");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const RegionLoad& a = snapshot->regions[RegionId(0)];
  EXPECT_EQ(a.demand_rps[0], 3);
  EXPECT_DOUBLE_EQ(a.load_cost, 0.2) << "2 s on 10 workers";
  EXPECT_DOUBLE_EQ(a.usable_share, 0.8) << "a fifth is held back";
  const RegionLoad& b = snapshot->regions[RegionId(1)];
  EXPECT_EQ(b.demand_rps[0], 0);
  EXPECT_DOUBLE_EQ(b.load_cost, 0.1);
}

TEST(SnapshotFileTest, ReadsEveryField) {
  const auto snapshot = Parse(
      "[{region: b, demandRps: {high: 1, low: 2}, loadCost: 0.3, loadCostLow: 0.2, loadCostHigh: 0.4,\n"
      "   backgroundLoad: 0.1, measuredLoad: 0.5, usableShare: 0.9, health: stale, draining: true}]\n");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const RegionLoad& b = snapshot->regions[RegionId(1)];
  EXPECT_EQ(b.demand_rps[0], 1);
  EXPECT_EQ(b.demand_rps[1], 2);
  EXPECT_EQ(b.load_cost, 0.3);
  EXPECT_EQ(b.load_cost_low, 0.2);
  EXPECT_EQ(b.load_cost_high, 0.4);
  EXPECT_EQ(b.background_load, 0.1);
  EXPECT_EQ(b.measured_load, 0.5);
  EXPECT_EQ(b.usable_share, 0.9);
  EXPECT_EQ(b.health, InputHealth::kStale);
  EXPECT_TRUE(b.draining);
}

TEST(SnapshotFileTest, MistakesAreNamed) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"[{region: c}]", "s:5:22: spec.regions[0].region: found \"c\"; allowed: the name of a region"},
           {"[{region: a, demandRps: -1}]", "spec.regions[0].demandRps: found \"-1\""},
           {"[{region: a, demandRps: {hihg: 1}}]", "did you mean \"high\"?"},
           {"[{region: a}, {region: a}]", "spec.regions[1].region: found \"a\"; allowed: each region once"},
           {"[{region: a, health: frehs}]", "did you mean \"fresh\"?"},
           {"[]\n  tier: x", "spec.tier: found \"x\""},
           {"[]\n---\na: 1", "apiVersion: found nothing"}}) {
    EXPECT_THAT(Parse(text).status().message(), HasSubstr(message)) << text;
  }
}

class PlanTest : public ::testing::Test {
 protected:
  static std::string Write(const std::string& name, std::string_view text) {
    const std::string path = ::testing::TempDir() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  const std::string topology_ = Write("plan_topology.yaml", kTopology);
  // Region a: 6 requests/s x 0.2 = load 1.2 of its workers; b is nearly idle.
  const std::string snapshot_ = Write("plan_snapshot.yaml",
                                      "apiVersion: ringway/v1\nkind: Snapshot\nmetadata: {name: s}\nspec:\n"
                                      "  regions: [{region: a, demandRps: 6}, {region: b, demandRps: 1}]\n");
};

TEST_F(PlanTest, AHotRegionSendsItsExcessToTheNearestOne) {
  const Ran ran = Ringway({"plan", topology_, snapshot_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("overload: nearest region with room"));
}

TEST_F(PlanTest, WhatIfEditsChangeThePlan) {
  const Ran calm = Ringway({"plan", topology_, snapshot_, "--scale", "a=0.1"});
  EXPECT_EQ(calm.code, 0) << calm.err;
  EXPECT_THAT(calm.out, HasSubstr("everything stays home"));
  const Ran drained = Ringway({"plan", topology_, snapshot_, "--scale", "a=0.1", "--drain", "a"});
  EXPECT_THAT(drained.out, HasSubstr("drained"));
  EXPECT_EQ(Ringway({"plan", topology_, snapshot_, "--scale", "a"}).code, 2);
  EXPECT_EQ(Ringway({"plan", topology_, snapshot_, "--drain", "zz"}).code, 2);
}

TEST_F(PlanTest, JsonIsWholeAndAlone) {
  const Ran ran = Ringway({"plan", topology_, snapshot_, "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"planned_load\""));
  EXPECT_EQ(ran.out.front(), '{');
  EXPECT_THAT(ran.err, ::testing::IsEmpty());
}

}  // namespace
}  // namespace ringway::cli
