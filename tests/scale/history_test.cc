// A day of counts: what is known, what is not, and what a file brings back.
#include "controller/scale/demand_history.h"

#include <gtest/gtest.h>

namespace ringway::scale {
namespace {

constexpr std::int64_t kFirst = 1000;
Time In(std::int64_t bin, double s) {
  return UnixEpoch() + Seconds(static_cast<double>(bin * DemandHistory::kBinS) + s);
}
void Fill(DemandHistory& history, std::int64_t bin, double rps) {
  for (int s = 5; s < DemandHistory::kBinS; s += 5) history.Add(In(bin, s), 5, 5 * rps);
}

TEST(DemandHistoryTest, RatesOfBinsThatWereCounted) {
  DemandHistory history;
  EXPECT_EQ(history.Rate(kFirst, kFirst), std::nullopt);
  Fill(history, kFirst, 2);
  Fill(history, kFirst + 1, 4);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst), 2);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst + 1), 3);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst + 3), 3) << "half of them are known";
  EXPECT_EQ(history.Rate(kFirst, kFirst + 4), std::nullopt) << "fewer than half";
  history.Add(In(kFirst + 5, 30), 30, 900);
  EXPECT_EQ(history.Rate(kFirst + 5, kFirst + 5), std::nullopt) << "a quarter of its time was counted";
}

TEST(DemandHistoryTest, ABinIsOverwrittenAfterADayAndAnHourAndNotBefore) {
  DemandHistory history;
  Fill(history, kFirst, 2);
  Fill(history, kFirst + DemandHistory::kKept - 1, 3);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst), 2);
  Fill(history, kFirst + DemandHistory::kKept, 5);
  EXPECT_EQ(history.Rate(kFirst, kFirst), std::nullopt);
}

TEST(DemandHistoryTest, WhatIsNoCountIsLeftOut) {
  DemandHistory history;
  Fill(history, kFirst, 2);
  history.Add(In(kFirst, 60), 5, std::nan(""));
  history.Add(In(kFirst, 60), 5, -1);
  history.Add(In(kFirst, 60), 0, 1);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst), 2);
}

TEST(DemandHistoryTest, ComesBackFromAFileWithItsGaps) {
  DemandHistory history;
  Fill(history, kFirst, 2);
  Fill(history, kFirst + 2, 4);
  Fill(history, kFirst + 3, 9);  // not over yet
  const DemandHistory::Saved saved = history.Save(kFirst + 3);
  EXPECT_EQ(saved.newest, kFirst + 2);
  ASSERT_EQ(saved.rates.size(), 3u);
  DemandHistory again;
  again.Restore(saved);
  EXPECT_DOUBLE_EQ(*again.Rate(kFirst, kFirst), 2);
  EXPECT_EQ(again.Rate(kFirst + 1, kFirst + 1), std::nullopt);
  EXPECT_DOUBLE_EQ(*again.Rate(kFirst + 2, kFirst + 2), 4);
  EXPECT_EQ(again.Rate(kFirst + 3, kFirst + 3), std::nullopt);
}

TEST(DemandHistoryTest, AFileThatMakesNoSenseTeachesNothing) {
  DemandHistory history;
  history.Restore({.newest = 1, .rates = std::vector<float>(5, 1.0F)});
  EXPECT_EQ(history.Rate(0, 1), std::nullopt);
  history.Restore({.newest = kFirst, .rates = std::vector<float>(DemandHistory::kKept + 1, 1.0F)});
  EXPECT_EQ(history.Rate(kFirst, kFirst), std::nullopt);
  history.Restore({.newest = kFirst, .rates = {std::nanf(""), 1e30F * 1e30F, 3.0F}});
  EXPECT_EQ(history.Rate(kFirst - 1, kFirst - 1), std::nullopt);
  EXPECT_DOUBLE_EQ(*history.Rate(kFirst, kFirst), 3);
}

}  // namespace
}  // namespace ringway::scale
