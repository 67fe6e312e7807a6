#include "cli/top/view.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::top {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Frame MakeFrame(int regions, int tiers = 1) {
  Frame frame;
  frame.status.set_world("test");
  frame.status.set_epoch(3);
  frame.status.set_version(41);
  for (int r = 0; r < regions; ++r) frame.table.add_regions(absl::StrCat("region-", r));
  for (int t = 0; t < tiers; ++t) {
    v1::TierStatus& tier = *frame.status.add_tiers();
    tier.set_tier(absl::StrCat("tier-", t));
    tier.set_mode("active");
    tier.set_overload_threshold(0.8);
    tier.set_home_share(0.9);
    v1::TierTable& table = *frame.table.add_tiers();
    table.set_tier(tier.tier());
    for (int r = 0; r < regions; ++r) {
      v1::RegionStatus& region = *tier.add_regions();
      region.set_region(absl::StrCat("region-", r));
      region.set_load(0.01 * r);
      region.set_demand_rps(10);
      region.set_health("fresh");
      v1::Row& row = *table.add_rows();
      row.set_source(static_cast<std::uint32_t>(r));
      v1::Route& route = *row.add_routes();
      route.set_target(0);
      route.set_fraction(0.25);
      route.set_ring(r == 0 ? -1 : 1);
    }
  }
  return frame;
}

TEST(TopViewTest, TheBarShowsLoadAndThreshold) {
  EXPECT_EQ(LoadBar(0, 0.75, 10), "......|...");
  EXPECT_EQ(LoadBar(0.5, 0.75, 10), "####..|...");
  EXPECT_EQ(LoadBar(1.0, 0.75, 10), "######|#..");
  EXPECT_EQ(LoadBar(9, 0.75, 10), "######|###");
  EXPECT_EQ(LoadBar(0.001, 0.75, 10), "#.....|...") << "a little is not nothing";
}

TEST(TopViewTest, FitsEveryScreen) {
  for (const int width : {31, 40, 80, 200}) {
    for (const int height : {1, 2, 3, 5, 10, 24, 60}) {
      for (const int regions : {0, 1, 4, 21, 300}) {
        for (const int tiers : {1, 3}) {
          const auto lines = Lines(MakeFrame(regions, tiers), {.width = width, .height = height});
          EXPECT_LE(lines.size(), static_cast<std::size_t>(height));
          for (const std::string& line : lines) {
            EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
          }
        }
      }
    }
  }
}

TEST(TopViewTest, OnASmallScreenTheHottestStay) {
  const auto lines = Lines(MakeFrame(100), {.width = 80, .height = 24});
  EXPECT_THAT(lines, SizeIs(24));
  EXPECT_THAT(lines[3], HasSubstr("region-99"));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("more regions, all less loaded")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("more flows")));
}

TEST(TopViewTest, ShowsWaitsOffersFlowsAndStates) {
  Frame frame = MakeFrame(2);
  frame.status.mutable_tiers(0)->mutable_regions(1)->set_drain_share(0.5);
  frame.counts["region-1"] = {.started = 10, .wait_s_sum = 2.5, .offers = 30, .placed = 10};
  const auto lines = Lines(frame, {.width = 80, .height = 24});
  EXPECT_THAT(lines[0], HasSubstr("table 3.41"));
  EXPECT_THAT(lines[1], HasSubstr("wait 0.25s  offers 3.0"));
  EXPECT_THAT(lines[4], ::testing::AllOf(HasSubstr("0.25s"), HasSubstr("3.0"), HasSubstr("drained 50%")));
  EXPECT_THAT(lines[5], HasSubstr("region-1 -> region-0  25%  2.5/s  ring 2"));
  EXPECT_THAT(PlainLine(frame), HasSubstr("hottest region-1 0.01\n"));
}

// A row of each priority sends to the same region: that is one flow, of the demand that each priority has.
TEST(TopViewTest, AFlowOfSeveralPrioritiesIsOneLineAndCountsOnce) {
  Frame frame = MakeFrame(2);
  v1::TierTable& table = *frame.table.mutable_tiers(0);
  table.add_priorities("interactive");
  table.add_priorities("batch");
  table.clear_rows();
  const auto row = [&](std::uint32_t priority, double away, double shed) {
    v1::Row& added = *table.add_rows();
    added.set_source(1);
    added.set_priority(priority);
    added.set_shed_fraction(shed);
    v1::Route& route = *added.add_routes();
    route.set_target(0);
    route.set_fraction(away);
    route.set_ring(0);
  };
  row(0, 0.28, 0);
  row(1, 0.28, 0.5);
  v1::RegionStatus& region = *frame.status.mutable_tiers(0)->mutable_regions(1);
  const auto flows = [&] {
    std::vector<std::string> found;
    for (const std::string& line : Lines(frame, {.width = 80, .height = 24})) {
      if (line.find("region-1 -> ") != std::string::npos || line.find("shed  ") != std::string::npos) {
        found.push_back(line);
      }
    }
    return found;
  };
  // All of the demand is interactive: what batch would do with its own is nobody's traffic.
  region.add_demand_by_priority_rps(10);
  region.add_demand_by_priority_rps(0);
  ASSERT_THAT(flows(), SizeIs(1));
  EXPECT_THAT(flows()[0], HasSubstr("region-1 -> region-0  28%  2.8/s  ring 1"));
  region.set_demand_by_priority_rps(0, 8);
  region.set_demand_by_priority_rps(1, 2);
  ASSERT_THAT(flows(), SizeIs(2));
  EXPECT_THAT(flows()[0], HasSubstr("region-1 -> region-0  28%  2.8/s  ring 1"));
  EXPECT_THAT(flows()[1], HasSubstr("region-1 shed  10%  1.0/s"));
  // A controller of an earlier release tells the sum only.
  region.clear_demand_by_priority_rps();
  EXPECT_THAT(flows()[0], HasSubstr("region-1 -> region-0  28%  2.8/s  ring 1"));
}

TEST(TopViewTest, CountsAreBetweenTwoLooksAndARestartIsNoNegative) {
  const auto totals = [](std::uint64_t started, std::uint64_t offers) {
    v1::TotalsReply reply;
    reply.set_router("r");
    reply.set_region("oslo");
    reply.set_ended(started);
    reply.set_started(started);
    reply.set_offers(offers);
    return std::vector<v1::TotalsReply>{reply};
  };
  CountsSince since;
  EXPECT_TRUE(since.Take(totals(100, 200)).empty()) << "the first look has nothing before it";
  EXPECT_EQ(since.Take(totals(110, 230))["oslo"].offers, 30);
  EXPECT_TRUE(since.Take(totals(5, 6)).empty()) << "the router was restarted";
  EXPECT_EQ(since.Take(totals(7, 9))["oslo"].started, 2);
}

}  // namespace
}  // namespace ringway::top
