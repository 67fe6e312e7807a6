#include "cli/row_changes.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Two regions and two priorities, of which nobody asks for the second. West is drained.
v1::DryRunReply Drained() {
  v1::DryRunReply reply;
  v1::RoutingTable* table = reply.mutable_table();
  for (const char* region : {"east", "west"}) table->add_regions(region);
  v1::TierTable* tier = table->add_tiers();
  tier->set_tier("animate");
  for (const char* priority : {"interactive", "batch"}) tier->add_priorities(priority);
  for (std::uint32_t p = 0; p < 2; ++p) {
    v1::Row* row = tier->add_rows();
    row->set_priority(p);
    row->set_source(1);
    v1::Route* away = row->add_routes();
    away->set_target(0);
    away->set_fraction(0.9);
    away->set_reason(v1::ROUTE_REASON_DRAIN);
    row->set_shed_fraction(0.1);
  }
  for (const char* name : {"east", "west"}) {
    v1::RegionStatus* region = reply.add_after();
    region->set_region(name);
    region->set_demand_rps(10);
    region->add_demand_by_priority_rps(10);
    region->add_demand_by_priority_rps(0);
  }
  return reply;
}

v1::StatusReply Names() {
  v1::StatusReply status;
  v1::TierStatus* tier = status.add_tiers();
  tier->set_tier("animate");
  tier->add_rings("continent");
  return status;
}

TEST(RowChangesTest, OneLineATargetThatChangesWithTheTrafficThatMoves) {
  const RowChanges changes = ChangesBetween({}, Drained(), Names(), false);
  const std::string text = changes.table.Render(false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // titles, home, east, nowhere
  EXPECT_THAT(text, ContainsRegex("west +interactive +home +100.0 % +0.0 % +-10.00/s"));
  EXPECT_THAT(text,
              ContainsRegex(
                  "west +interactive +east +0.0 % +90.0 % +.9.00/s +continent +the source is being drained"));
  EXPECT_THAT(text, ContainsRegex("west +interactive +nowhere +0.0 % +10.0 %"));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin))
    EXPECT_LT(end - begin, 120u) << text.substr(begin, end - begin);
}

TEST(RowChangesTest, RowsThatNobodyAsksForAreCountedUnlessTheyAreWanted) {
  EXPECT_EQ(ChangesBetween({}, Drained(), Names(), false).idle_rows, 1);
  const RowChanges all = ChangesBetween({}, Drained(), Names(), true);
  EXPECT_EQ(all.idle_rows, 0);
  EXPECT_THAT(all.table.Render(false), HasSubstr("batch"));
}

TEST(RowChangesTest, WhatStaysAsItIsIsNoChange) {
  const v1::DryRunReply reply = Drained();
  EXPECT_TRUE(ChangesBetween(reply.table(), reply, Names(), true).table.empty());
}

}  // namespace
}  // namespace ringway::cli
