#include "router/daemon/jobs/progress_pace.h"

#include <gtest/gtest.h>

namespace ringway::router {
namespace {

TEST(PaceTest, ABurstAndThenOneEachPeriod) {
  Pace pace(3, Seconds(1));
  Time now = FromUnixSeconds(1'800'000'000);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pace.Take(now)) << i;
  EXPECT_FALSE(pace.Take(now));
  EXPECT_EQ(pace.Next(now), now + Seconds(1));
  now += Seconds(1);
  EXPECT_TRUE(pace.Take(now));
  EXPECT_FALSE(pace.Take(now));
}

TEST(PaceTest, WhatWasNotUsedIsWorthOneBurst) {
  Pace pace(3, Seconds(1));
  Time now = FromUnixSeconds(1'800'000'000);
  EXPECT_TRUE(pace.Take(now));
  now += Hours(1);
  int taken = 0;
  while (pace.Take(now)) ++taken;
  EXPECT_EQ(taken, 3);
}

// Over any span: at most the burst and one for each period, however often it is asked.
TEST(PaceTest, NeverMoreThanItsRate) {
  Pace pace(kPassedBurst, kPassedPeriod);
  const Time begin = FromUnixSeconds(1'800'000'000);
  int taken = 0;
  for (int ms = 0; ms < 10'000; ++ms) taken += pace.Take(begin + Milliseconds(ms)) ? 1 : 0;
  EXPECT_EQ(taken, kPassedBurst + 99);
}

}  // namespace
}  // namespace ringway::router
