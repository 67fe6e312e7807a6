// Records of the table history: deltas give back the very table, differences are counted in traffic, and an
// old table is read under another topology.
#include "controller/wire/past_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/wire/state_codec.h"
#include "controller/wire/table_difference.h"
#include "core/rng.h"
#include "proto/table_codec.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

RoutingTable HomeOf(const Fleet& fleet) {
  RoutingTable table{.version = {3, 7}, .planned_at = FromUnixSeconds(1'000'000), .tiers = {}};
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    table.tiers.push_back(HomeTable(id, fleet.world.regions.size(), fleet.tiers[id].priorities.size()));
  }
  return table;
}

// One of the rows goes elsewhere, in shares that no decimal says exactly.
void Shuffle(Rng& rng, const Fleet& fleet, RoutingTable& table) {
  TierTable& rows = table.tiers[TierId(rng.Below(fleet.tiers.size()))];
  Row& row =
      rows.at(static_cast<Priority>(rng.Below(rows.priorities())), RegionId(rng.Below(rows.regions())));
  row = {};
  double left = 1;
  for (std::size_t r = 0; r < rows.regions() && left > 0.05; ++r) {
    const double share = r + 1 == rows.regions() ? left : left * rng.Uniform();
    row.routes.push_back({.target = RegionId(r),
                          .fraction = share,
                          .ring = 0,
                          .unlock_load = 0.7,
                          .reason = RouteReason::kOverload});
    left -= share;
  }
  row.shed_fraction = left;
  ++table.version.version;
}

v1::PastTable EntryOf(const RoutingTable& table, const Fleet& fleet) {
  v1::PastTable entry;
  entry.set_epoch(table.version.epoch);
  entry.set_version(table.version.version);
  entry.set_at_unix_us(ToUnixMicros(table.planned_at));
  *entry.mutable_whole() = EncodeWholeTable(table, fleet);
  return entry;
}

TEST(PastTableTest, AnyChainOfDeltasGivesTheVeryTable) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const auto fleet = MakeFleet({.regions = 5, .priorities = 2, .tiers = 2});
    RoutingTable table = HomeOf(*fleet);
    v1::PastTable first = EntryOf(table, *fleet);
    first.set_history_version(kHistoryVersion);
    ASSERT_TRUE(CheckFirst(first).ok());
    v1::RoutingTable read;
    ASSERT_TRUE(Advance(first, read).ok());
    v1::RoutingTable base = first.whole();
    for (int step = 0; step < 20; ++step) {
      for (std::size_t i = rng.Below(4); i > 0; --i) Shuffle(rng, *fleet, table);
      const v1::PastTable entry = EntryOf(table, *fleet);
      const v1::PastTable delta = AsDelta(entry, base);
      EXPECT_FALSE(delta.has_whole());
      base = entry.whole();
      ASSERT_TRUE(Advance(delta, read).ok());
      const auto decoded = DecodeUnder(read, *fleet);
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(decoded->tiers, table.tiers) << "seed " << seed << " step " << step;
      EXPECT_EQ(decoded->version, table.version);
    }
  }
}

TEST(PastTableTest, ADeltaHoldsOnlyTheRowsThatMoved) {
  const auto fleet = MakeFleet({.regions = 30});
  RoutingTable table = HomeOf(*fleet);
  const v1::PastTable before = EntryOf(table, *fleet);
  Rng rng(1);
  Shuffle(rng, *fleet, table);
  const v1::PastTable delta = AsDelta(EntryOf(table, *fleet), before.whole());
  ASSERT_EQ(delta.changed_size(), 1);
  EXPECT_EQ(delta.changed(0).rows_size(), 1);
  EXPECT_EQ(AsDelta(before, before.whole()).changed_size(), 0);
}

TEST(PastTableTest, WhatIsDamagedIsAnErrorWithAReason) {
  const auto fleet = MakeFleet();
  const v1::PastTable good = EntryOf(HomeOf(*fleet), *fleet);
  EXPECT_THAT(std::string(CheckFirst(good).message()),
              HasSubstr("history_version is 0; this release reads 1 to 1"));
  v1::PastTable first = good;
  first.set_history_version(kHistoryVersion + 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckFirst(first)));
  first.set_history_version(kHistoryVersion);
  EXPECT_TRUE(CheckFirst(first).ok());
  first.mutable_whole()->mutable_tiers(0)->mutable_rows()->RemoveLast();
  EXPECT_THAT(std::string(CheckFirst(first).message()), HasSubstr("has 2 rows, not 3"));
  v1::RoutingTable table = good.whole();
  v1::PastTable delta;
  v1::TierTable* changed = delta.add_changed();
  changed->set_tier("films");
  EXPECT_TRUE(absl::IsDataLoss(Advance(delta, table)));
  changed->set_tier("t0");
  changed->add_rows()->set_source(3);
  EXPECT_THAT(std::string(Advance(delta, table).message()), HasSubstr("beyond the names"));
}

TEST(PastTableTest, UnderAnotherTopologyRowsThatLeadToWhatIsGoneStayHome) {
  const auto old_fleet = MakeFleet({.regions = 4});
  RoutingTable table = HomeOf(*old_fleet);
  const auto send = [&](std::size_t from, std::size_t to) {
    table.tiers[TierId(0)].at(0, RegionId(from)) = {
        .routes = {{.target = RegionId(to), .fraction = 1, .ring = 0, .reason = RouteReason::kDrain}},
        .shed_fraction = 0};
  };
  send(0, 1);
  send(1, 3);
  const v1::RoutingTable message = EncodeWholeTable(table, *old_fleet);
  const auto fleet = MakeFleet({.regions = 3, .tiers = 2});  // r3 is gone, a tier is new
  const auto under = DecodeUnder(message, *fleet);
  ASSERT_TRUE(under.ok()) << under.status();
  ASSERT_EQ(under->tiers.size(), 2u);
  EXPECT_EQ(under->tiers[TierId(0)].at(0, RegionId(0)).routes[0].target, RegionId(1));
  EXPECT_EQ(under->tiers[TierId(0)].at(0, RegionId(1)).routes[0].target, RegionId(1)) << "r3 is gone";
  EXPECT_EQ(WhatIsWrong(*under, *fleet), "");
}

TEST(TableDifferenceTest, CountsRowsSharesAndTraffic) {
  const auto fleet = MakeFleet();
  RoutingTable before = HomeOf(*fleet), after = before;
  after.tiers[TierId(0)].at(0, kR0) = {
      .routes = {{.target = kR0, .fraction = 0.6},
                 {.target = kR1, .fraction = 0.3, .ring = 0, .reason = RouteReason::kOverload}},
      .shed_fraction = 0.1};
  const auto demand = [](std::string_view region, std::string_view) { return region == "r0" ? 10.0 : 15.0; };
  const TierDifference difference =
      Difference(EncodeWholeTable(before, *fleet), EncodeWholeTable(after, *fleet), "t0", demand);
  EXPECT_EQ(difference.rows, 1u);
  EXPECT_DOUBLE_EQ(difference.demand_rps, 40);
  EXPECT_NEAR(difference.moved_rps, 4, 1e-9);
  EXPECT_NEAR(difference.moved_share, 0.1, 1e-9);
  ASSERT_EQ(difference.moves.size(), 3u);
  EXPECT_EQ(difference.moves[0].target, "r0");
  EXPECT_NEAR(difference.moves[0].moved_rps, -4, 1e-9);
  EXPECT_EQ(difference.moves[2].target, "") << "refused";
  EXPECT_EQ(LargestMove(difference), "r0 -> r1 0 % -> 30 % (overload)");
  // Where nobody asks the rows count.
  const TierDifference idle = Difference(EncodeWholeTable(before, *fleet), EncodeWholeTable(after, *fleet),
                                         "t0", [](std::string_view, std::string_view) { return 0.0; });
  EXPECT_NEAR(idle.moved_share, 0.4 / 3, 1e-9);
}

TEST(TableDifferenceTest, ComparesTablesOfDifferentTopologiesByName) {
  const auto small = MakeFleet(), large = MakeFleet({.regions = 4});
  const auto one = [](std::string_view, std::string_view) { return 1.0; };
  RoutingTable after = HomeOf(*large);
  // A new region that stays home is no difference; one that sends away is.
  EXPECT_EQ(
      Difference(EncodeWholeTable(HomeOf(*small), *small), EncodeWholeTable(after, *large), "t0", one).rows,
      0u);
  after.tiers[TierId(0)].at(0, RegionId(3)).routes[0].target = kR0;
  const auto difference =
      Difference(EncodeWholeTable(HomeOf(*small), *small), EncodeWholeTable(after, *large), "t0", one);
  EXPECT_EQ(difference.rows, 1u);
  EXPECT_EQ(difference.moves[0].source, "r3");
}

}  // namespace
}  // namespace ringway::controller
