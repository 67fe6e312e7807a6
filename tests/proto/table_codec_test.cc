#include "proto/table_codec.h"

#include <functional>
#include <limits>

#include "gtest/gtest.h"
#include "tests/proto/two_regions.h"

namespace ringway::wire {
namespace {

RoutingTable SomeTable() {
  RoutingTable table;
  table.version = {3, 41};
  table.planned_at = FromUnixMicros(1234567);
  TierTable rows = HomeTable(TierId(0), 2, 2);
  Row& row = rows.at(1, RegionId(0));
  row.routes = {{.target = RegionId(0), .fraction = 0.5},
                {.target = RegionId(1),
                 .fraction = 0.3,
                 .ring = 1,
                 .unlock_load = 0.85,
                 .reason = RouteReason::kOverload}};
  row.shed_fraction = 0.2;
  table.tiers.push_back(rows);
  return table;
}

TEST(TableCodecTest, ComesBackAsItWent) {
  const Fleet fleet = TwoRegions();
  const RoutingTable table = SomeTable();
  const auto decoded = DecodeTable(EncodeTable(table, fleet), fleet);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->version, table.version);
  EXPECT_EQ(decoded->planned_at, table.planned_at);
  EXPECT_EQ(decoded->tiers, table.tiers);
}

TEST(TableCodecTest, TranslatesBetweenDifferentlyNumberedWorlds) {
  Fleet theirs = TwoRegions();
  std::swap(theirs.world.regions[RegionId(0)], theirs.world.regions[RegionId(1)]);
  const auto decoded = DecodeTable(EncodeTable(SomeTable(), TwoRegions()), theirs);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  const Row& row = decoded->tiers[TierId(0)].at(1, RegionId(1));  // "east" is number 1 there
  ASSERT_EQ(row.routes.size(), 2u);
  EXPECT_EQ(row.routes[1].target, RegionId(0));
}

TEST(TableCodecTest, RefusesEveryBrokenTableWithThePlaceInTheMessage) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    const char* expected;
    std::function<void(v1::RoutingTable&)> breakage;
  };
  const std::vector<Case> cases = {
      {"wire_version is 0", [](auto& m) { m.set_wire_version(0); }},
      {"wire_version is 99", [](auto& m) { m.set_wire_version(99); }},
      {"'north' is not a region", [](auto& m) { m.set_regions(0, "north"); }},
      {"'west' stands there twice", [](auto& m) { m.set_regions(0, "west"); }},
      // An index that is negative as an int must not be looked up for the message either.
      {"source 4294967295: source is not",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->set_source(~0u); }},
      {"source 2147483648: priority does not",
       [](auto& m) {
         m.mutable_tiers(0)->mutable_rows(0)->set_priority(7);
         m.mutable_tiers(0)->mutable_rows(0)->set_source(1u << 31);
       }},
      {"'audio' is not a tier", [](auto& m) { m.mutable_tiers(0)->set_tier("audio"); }},
      {"priority does not exist", [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->set_priority(7); }},
      {"source is not an index", [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->set_source(2); }},
      {"target is not an index",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(0)->set_target(9); }},
      {"a target appears twice",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_target(0); }},
      {"fraction is not in [0, 1]",
       [=](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(0)->set_fraction(nan); }},
      {"fraction is not in [0, 1]",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(0)->set_fraction(-0.1); }},
      {"sum to 0.6",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(0)->set_fraction(0.1); }},
      {"shed_fraction is not", [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->set_shed_fraction(2); }},
      {"ring 1000 does not exist",
       [](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_ring(1000); }},
      {"unlock_load is not finite",
       [=](auto& m) { m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_unlock_load(nan); }},
      {"unknown reason",
       [](auto& m) {
         m.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_reason(static_cast<v1::RouteReason>(77));
       }},
      {"rows, at most 4",
       [](auto& m) {
         for (int i = 0; i < 9; ++i) *m.mutable_tiers(0)->add_rows() = m.tiers(0).rows(0);
       }},
  };
  const Fleet fleet = TwoRegions();
  for (const Case& c : cases) {
    v1::RoutingTable message = EncodeTable(SomeTable(), fleet);
    c.breakage(message);
    const auto decoded = DecodeTable(message, fleet);
    ASSERT_FALSE(decoded.ok()) << c.expected;
    EXPECT_NE(decoded.status().message().find(c.expected), absl::string_view::npos)
        << "wanted: " << c.expected << "\ngot: " << decoded.status();
  }
}

}  // namespace
}  // namespace ringway::wire
