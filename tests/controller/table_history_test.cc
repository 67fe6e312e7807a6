#include "controller/tiers/table_history.h"

#include <gtest/gtest.h>

namespace ringway::controller {
namespace {

constexpr std::size_t kNewest = 32;

TableHistory TableEverySecond(int seconds) {
  TableHistory history(kNewest);
  for (int s = 0; s < seconds; ++s) {
    auto table = std::make_shared<RoutingTable>();
    table->version = {1, static_cast<std::uint64_t>(s) + 1};
    table->planned_at = UnixEpoch() + Seconds(s);
    history.Add(std::move(table));
  }
  return history;
}

// How old the youngest kept table is that was in force `ago` before the last one.
Duration KeptBefore(const TableHistory& history, Duration ago) {
  const Time last = history.tables().back()->planned_at;
  Duration best = InfiniteDuration();
  for (const auto& table : history.tables()) {
    if (last - table->planned_at >= ago) best = std::min(best, last - table->planned_at);
  }
  return best;
}

TEST(TableHistoryTest, WithANewTableEverySecondThereIsOneFromBeforeTheIncident) {
  const TableHistory history = TableEverySecond(3 * 86400);
  EXPECT_LE(history.tables().size(), kNewest + 60 + 24 + 2);
  EXPECT_EQ(KeptBefore(history, Seconds(20)), Seconds(20));
  EXPECT_LE(KeptBefore(history, Seconds(75)), Seconds(75 + 60));
  EXPECT_LE(KeptBefore(history, Minutes(45)), Minutes(46));
  EXPECT_LE(KeptBefore(history, Hours(10)), Hours(11));
}

TEST(TableHistoryTest, WhatIsKeptOnceStaysUntilItsTimeIsOver) {
  const TableHistory early = TableEverySecond(7000), late = TableEverySecond(7300);
  for (const auto& table : early.tables()) {
    const Duration age = late.tables().back()->planned_at - table->planned_at;
    const bool minute = ToUnixSeconds(table->planned_at) % 60 == 59 && age <= Hours(1);
    if (!minute) continue;
    EXPECT_NE(late.Find(table->version), nullptr) << table->version.version;
  }
}

TEST(TableHistoryTest, RareTablesAreAllKept) {
  TableHistory history(kNewest);
  for (std::uint64_t n = 1; n <= 50; ++n) {
    auto table = std::make_shared<RoutingTable>();
    table->version = {1, n};
    table->planned_at = UnixEpoch() + Minutes(n);
    history.Add(std::move(table));
  }
  EXPECT_EQ(history.tables().size(), 50u);
}

}  // namespace
}  // namespace ringway::controller
