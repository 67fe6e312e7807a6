// When a job leaves for another region: the rule case by case, and its bounds in random histories.
#include "router/dispatch/spill.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace ringway::dispatch {
namespace {

const RegionId kNear(1);
const RegionId kFar(2);
const absl::Time kNow = absl::FromUnixSeconds(1000);
constexpr absl::Duration kLong = absl::Seconds(100);

SpillGate Gate(const SpillSpec& spec = {.share = 0.1, .burst = 100}) {
  SpillGate gate(spec);
  gate.Aim({{kNear, absl::Milliseconds(80), 2}, {kFar, absl::Milliseconds(200), 5}});
  return gate;
}

TEST(Spill, AJobLeavesWhenItHasWaitedAsLongAsTheWayTakes) {
  const SpillGate gate = Gate();
  EXPECT_FALSE(gate.Choose(kNow, absl::Milliseconds(79), kLong).valid());
  EXPECT_EQ(gate.Choose(kNow, absl::Milliseconds(80), kLong), kNear);
  EXPECT_EQ(gate.Choose(kNow, absl::Seconds(5), kLong), kNear) << "the nearest that is worth it";
  EXPECT_EQ(gate.WorthAfter(kNow, absl::Milliseconds(20)), absl::Milliseconds(60));
}

TEST(Spill, NobodyLeavesWithoutAShare) {
  const SpillGate gate = Gate({.share = 0});
  EXPECT_FALSE(gate.Choose(kNow, absl::Seconds(50), kLong).valid());
  EXPECT_EQ(gate.WorthAfter(kNow, absl::ZeroDuration()), absl::InfiniteDuration());
}

TEST(Spill, AJobThatWouldComeTooLateStays) {
  EXPECT_FALSE(Gate().Choose(kNow, absl::Seconds(1), absl::Milliseconds(80)).valid());
}

TEST(Spill, WhatJobsMeetThereIsExpectedByTheNext) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  gate.Came(kNear, kNow, absl::Seconds(1), /*served=*/true);
  EXPECT_EQ(gate.expected_wait(kNear, kNow), absl::Milliseconds(300));
  EXPECT_EQ(gate.Choose(kNow, absl::Milliseconds(300), kLong), kFar) << "farther, and sooner";
  EXPECT_EQ(gate.Choose(kNow, absl::Milliseconds(380), kLong), kNear);
  EXPECT_EQ(gate.expected_wait(kNear, kNow + absl::Seconds(5)), absl::Milliseconds(150)) << "it fades";
}

TEST(Spill, ARegionThatRefusedIsLeftAloneForAWhile) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  gate.Came(kNear, kNow, absl::ZeroDuration(), /*served=*/false);
  EXPECT_EQ(gate.Choose(kNow, absl::Seconds(1), kLong), kFar);
  EXPECT_EQ(gate.Choose(kNow + absl::Seconds(30), absl::Seconds(1), kLong), kNear);
}

TEST(Spill, OwnJobsUnderWayCountAgainstTheCap) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  EXPECT_EQ(gate.Choose(kNow, absl::Seconds(1), kLong), kNear);
  gate.Left(kNear);
  EXPECT_EQ(gate.Choose(kNow, absl::Seconds(1), kLong), kFar);
  gate.Came(kNear, kNow, absl::ZeroDuration(), true);
  EXPECT_EQ(gate.Choose(kNow, absl::Seconds(1), kLong), kNear);
}

TEST(Spill, BoundsHoldInAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const SpillSpec spec{.share = rng.Uniform() * 0.3, .burst = 1 + 10 * rng.Uniform()};
    SpillGate gate(spec);
    const int caps[] = {0, static_cast<int>(rng.Below(4)), static_cast<int>(rng.Below(4))};
    gate.Aim({{kNear, absl::Milliseconds(20), caps[1]}, {kFar, absl::Milliseconds(90), caps[2]}});
    int away[3] = {};
    int arrivals = 0, spills = 0;
    absl::Time now = kNow;
    for (int i = 0; i < 300; ++i) {
      now += absl::Seconds(rng.Exponential() * 0.05);
      gate.OnArrival();
      ++arrivals;
      const RegionId to = gate.Choose(now, absl::Seconds(rng.Exponential()), absl::Seconds(5));
      if (to.valid()) {
        ++spills;
        gate.Spend();
        gate.Left(to);
        ASSERT_LE(++away[to.index()], caps[to.index()]) << "seed " << seed;
      }
      for (const RegionId r : {kNear, kFar}) {
        if (away[r.index()] == 0 || !rng.Chance(0.3)) continue;
        --away[r.index()];
        gate.Came(r, now, absl::Seconds(rng.Exponential()), rng.Chance(0.8));
        ASSERT_EQ(gate.in_flight(r), away[r.index()]);
        ASSERT_GE(gate.expected_wait(r, now), absl::ZeroDuration());
      }
      ASSERT_LE(spills, spec.share * arrivals + spec.burst + 1e-9) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
