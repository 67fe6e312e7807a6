#include "cli/fleet_view.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::RoutingTable SomeTable() {
  v1::RoutingTable table;
  table.set_epoch(3);
  table.set_version(41);
  for (const char* region : {"east", "west"}) table.add_regions(region);
  v1::TierTable* tier = table.add_tiers();
  tier->set_tier("animate");
  tier->add_priorities("interactive");
  v1::Row* east = tier->add_rows();
  v1::Route* home = east->add_routes();
  home->set_fraction(0.7);
  home->set_ring(-1);
  v1::Route* away = east->add_routes();
  away->set_target(1);
  away->set_fraction(0.25);
  away->set_unlock_load(0.93);
  away->set_reason(v1::ROUTE_REASON_OVERLOAD);
  east->set_shed_fraction(0.05);
  v1::Row* west = tier->add_rows();
  west->set_source(1);
  v1::Route* stays = west->add_routes();
  stays->set_target(1);
  stays->set_fraction(1);
  stays->set_ring(-1);
  return table;
}

v1::StatusReply SomeFleet() {
  v1::StatusReply status;
  status.set_epoch(3);
  status.set_version(41);
  v1::TierStatus* tier = status.add_tiers();
  tier->set_tier("animate");
  tier->set_overload_threshold(0.8);
  for (const char* ring : {"continent", "world"}) tier->add_rings(ring);
  v1::RegionStatus* region = tier->add_regions();
  region->set_region("east");
  region->set_title("N. Virginia");
  return status;
}

TEST(FleetViewTest, WantedWorkersAreAColumnOfTiersThatAreScaled) {
  v1::StatusReply status = SomeFleet();
  status.mutable_tiers(0)->mutable_regions(0)->set_workers(40);
  status.mutable_tiers(0)->mutable_regions(0)->set_workers_seen(9);
  EXPECT_THAT(StatusText(status, false, false), Not(HasSubstr("WANTED")));
  status.mutable_tiers(0)->mutable_regions(0)->set_workers_wanted(12);
  status.mutable_tiers(0)->add_regions()->set_region("west");
  const std::string text = StatusText(status, false, false);
  EXPECT_THAT(text, HasSubstr("WORKERS  WANTED  LOAD"));
  EXPECT_THAT(text, HasSubstr("9/40      12"));
  EXPECT_THAT(text, testing::ContainsRegex("west +0/0 +- ")) << "of a region that was not heard of yet";
}

TEST(FleetViewTest, ATableShowsWhatLeavesHomeAndWhy) {
  const std::string text = RoutingText(SomeTable(), SomeFleet(), false);
  EXPECT_THAT(text, HasSubstr("table 3.41"));
  EXPECT_THAT(text, HasSubstr("tier animate: 1 of 2 rows keep everything home"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "east  interactive  west     25.0 %  continent       0.93  overload: nearest region with room"));
  EXPECT_THAT(text, HasSubstr("nowhere   5.0 %"));
  EXPECT_THAT(text, Not(HasSubstr("west  interactive")));
}

TEST(FleetViewTest, WhereNoLoadOpenedTheRingTheReasonStandsAlone) {
  v1::RoutingTable table = SomeTable();
  table.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_reason(v1::ROUTE_REASON_NO_WORKERS);
  EXPECT_THAT(RoutingText(table, SomeFleet(), false), Not(HasSubstr("load ")));
  EXPECT_THAT(RoutingText(table, SomeFleet(), false), HasSubstr("no workers in the source region"));
}

TEST(FleetViewTest, IndexesOutsideTheirListsAreShownNotFollowed) {
  v1::RoutingTable table = SomeTable();
  table.mutable_tiers(0)->mutable_rows(0)->mutable_routes(1)->set_target(4000000000);
  table.mutable_tiers(0)->mutable_rows(0)->set_priority(7);
  EXPECT_THAT(RoutingText(table, SomeFleet(), false), HasSubstr("#4000000000"));
}

TEST(FleetViewTest, LoadIsColouredByItsDistanceToTheThreshold) {
  EXPECT_EQ(LoadCell(0.5, 0.8).style, Style::kGood);
  EXPECT_EQ(LoadCell(0.78, 0.8).style, Style::kWarning);
  EXPECT_EQ(LoadCell(0.9, 0.8).style, Style::kBad);
}

TEST(FleetViewTest, StatusNamesMissingWorkersAndDrains) {
  v1::StatusReply status;
  status.set_world("aws");
  status.set_epoch(1);
  status.set_version(2);
  v1::TierStatus* tier = status.add_tiers();
  tier->set_tier("animate");
  tier->set_overload_threshold(0.8);
  v1::RegionStatus* region = tier->add_regions();
  region->set_region("east");
  region->set_workers(8);
  region->set_workers_seen(6);
  region->set_health("stale");
  region->set_drain_share(0.5);
  const std::string text = StatusText(status, false, false);
  EXPECT_THAT(text, HasSubstr("no router is connected"));
  EXPECT_THAT(text, HasSubstr("6/8"));
  EXPECT_THAT(text, HasSubstr("stale, drained 50.0 %"));
}

TEST(FleetViewTest, StatusTellsWhatEndsByItselfAndARegionsOwnThreshold) {
  v1::StatusReply status = SomeFleet();
  v1::TierStatus* tier = status.mutable_tiers(0);
  tier->mutable_regions(0)->set_overload_threshold(0.6);
  v1::TimedOrder* order = tier->add_timed();
  order->set_region("east");
  order->set_what("drained by 50 %");
  order->set_then("serves fully");
  order->set_until_unix_us(1'795'435'200'000'000);
  order->set_left_s(1752.4);
  order->set_who("kim@host");
  const std::string text = StatusText(status, false, false);
  EXPECT_THAT(
      text, HasSubstr("timed: east drained by 50 % until 2026-11-23 12:00:00Z (another 29m12s), by kim@host; "
                      "then: serves fully\n"));
  EXPECT_THAT(text, HasSubstr("hot above 0.6"));
}

TEST(FleetViewTest, RingsHaveTheNamesOfTheFileOrNumbersWhereNobodyTellsThem) {
  EXPECT_EQ(RingName(SomeFleet(), "animate", 1), "world");
  EXPECT_EQ(RingName(SomeFleet(), "animate", -1), "home");
  EXPECT_EQ(RingName(SomeFleet(), "animate", 2), "ring 3");
  EXPECT_EQ(RingName({}, "animate", 0), "ring 1");
}

// Ten thousand routers used to be ten thousand lines before the first region.
TEST(FleetViewTest, AFleetOfThousandsIsSummedUpBelowItsRegions) {
  v1::StatusReply status = SomeFleet();
  for (int i = 0; i < 5000; ++i) {
    v1::RouterStatus* router = status.add_routers();
    router->set_name("router-" + std::to_string(i));
    router->set_table_epoch(3);
    router->set_table_version(i == 4321 ? 40 : 41);
    router->set_report_age_s(i == 77 ? 60 : 0.5);
  }
  const std::string text = StatusText(status, false, false);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30);
  EXPECT_THAT(text,
              HasSubstr("5000 routers: 4999 follow table 3.41, 1 another one; 1 have not reported for 10 s"));
  EXPECT_THAT(text, HasSubstr("router-4321"));
  EXPECT_THAT(text, HasSubstr("router-77 "));
  EXPECT_THAT(text, HasSubstr("N. Virginia"));
  EXPECT_LT(text.find("N. Virginia"), text.find("5000 routers"));
  EXPECT_GT(StatusText(status, true, false).size(), 5000u * 10);
}

}  // namespace
}  // namespace ringway::cli
