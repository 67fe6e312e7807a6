// When a job leaves for another region: the rule case by case, and its bounds in random histories.
#include "router/dispatch/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"

namespace ringway::dispatch {
namespace {

const RegionId kNear(1);
const RegionId kFar(2);
const Time kSpillNow = FromUnixSeconds(1000);
constexpr Duration kLong = Seconds(100);

RegionId Chosen(const SpillGate& gate, Time now, Duration waited, Duration left) {
  const SpillTarget* target = gate.Choose(now, waited, left);
  return target == nullptr ? RegionId() : target->region;
}

// Ten jobs may leave now.
SpillGate Gate(const SpillSpec& spec = {.share = 0.1}) {
  SpillGate gate(spec);
  gate.Aim({{kNear, Milliseconds(80), 0, 2}, {kFar, Milliseconds(200), 1, 5}});
  for (int i = 0; i < 100; ++i) gate.OnArrival(kSpillNow);
  return gate;
}

TEST(Spill, AJobLeavesWhenItHasWaitedAsLongAsTheWayTakes) {
  const SpillGate gate = Gate();
  EXPECT_FALSE(Chosen(gate, kSpillNow, Milliseconds(79), kLong).valid());
  EXPECT_EQ(Chosen(gate, kSpillNow, Milliseconds(80), kLong), kNear);
  EXPECT_EQ(Chosen(gate, kSpillNow, Seconds(5), kLong), kNear) << "the nearest that is worth it";
  EXPECT_EQ(gate.WorthFrom(kSpillNow, kSpillNow - Milliseconds(20)), kSpillNow + Milliseconds(60));
}

TEST(Spill, NobodyLeavesWithoutAShare) {
  const SpillGate gate = Gate({.share = 0});
  EXPECT_FALSE(Chosen(gate, kSpillNow, Seconds(50), kLong).valid());
  EXPECT_EQ(gate.WorthFrom(kSpillNow, kSpillNow), InfiniteFuture());
}

TEST(Spill, AJobThatWouldComeTooLateStays) {
  EXPECT_FALSE(Chosen(Gate(), kSpillNow, Seconds(1), Milliseconds(80)).valid());
}

TEST(Spill, WhatJobsMeetThereIsExpectedByTheNext) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  gate.Came(kNear, kSpillNow, Seconds(1), /*served=*/true);
  EXPECT_EQ(gate.expected_wait(kNear, kSpillNow), Milliseconds(300));
  EXPECT_EQ(Chosen(gate, kSpillNow, Milliseconds(300), kLong), kFar) << "farther, and sooner";
  EXPECT_EQ(Chosen(gate, kSpillNow, Milliseconds(380), kLong), kNear);
  EXPECT_EQ(gate.expected_wait(kNear, kSpillNow + Seconds(5)), Milliseconds(150)) << "it fades";
}

TEST(Spill, ARegionThatRefusedIsLeftAloneForAWhile) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  gate.Came(kNear, kSpillNow, ZeroDuration(), /*served=*/false);
  EXPECT_EQ(Chosen(gate, kSpillNow, Seconds(1), kLong), kFar);
  EXPECT_EQ(Chosen(gate, kSpillNow + Seconds(30), Seconds(1), kLong), kNear);
}

TEST(Spill, OwnJobsUnderWayCountAgainstTheCap) {
  SpillGate gate = Gate();
  gate.Left(kNear);
  EXPECT_EQ(Chosen(gate, kSpillNow, Seconds(1), kLong), kNear);
  gate.Left(kNear);
  EXPECT_EQ(Chosen(gate, kSpillNow, Seconds(1), kLong), kFar);
  gate.Came(kNear, kSpillNow, ZeroDuration(), true);
  EXPECT_EQ(Chosen(gate, kSpillNow, Seconds(1), kLong), kNear);
}

TEST(Spill, AllowanceIsEarnedAndHalves) {
  SpillGate gate(SpillSpec{.share = 0.25, .keep = Seconds(30)});
  gate.Aim({{kNear, Milliseconds(80), 0, 9}});
  EXPECT_FALSE(Chosen(gate, kSpillNow, Seconds(1), kLong).valid()) << "nothing has arrived yet";
  for (int i = 1; i <= 8; ++i) EXPECT_EQ(gate.OnArrival(kSpillNow), i == 4) << "arrival " << i;
  EXPECT_EQ(gate.allowance(kSpillNow), 2);
  EXPECT_EQ(gate.allowance(kSpillNow + Seconds(30)), 1);
  EXPECT_EQ(Chosen(gate, kSpillNow + Seconds(30), Seconds(1), kLong), kNear);
  gate.Spend(kSpillNow + Seconds(30));
  EXPECT_FALSE(Chosen(gate, kSpillNow + Seconds(30), Seconds(1), kLong).valid());
}

// The share of several routers together, in a time that begins after a long calm: what the region may send
// away does not grow with the number of its routers.
TEST(Spill, MoreRoutersMayNotSendMore) {
  for (const int routers : {1, 2, 16}) {
    std::vector<SpillGate> gates(static_cast<std::size_t>(routers), SpillGate(SpillSpec{.share = 0.05}));
    for (SpillGate& gate : gates) gate.Aim({{kNear, Milliseconds(20), 0, 1000}});
    Rng rng(7);
    Time now = kSpillNow;
    double earned = 0;
    int busy_arrivals = 0, spills = 0;
    for (int i = 0; i < 4000; ++i) {
      const bool busy = i >= 3800;
      now += Milliseconds(50);
      earned = earned * std::exp2(-0.05 / 30) + 0.05;
      SpillGate& gate = gates[rng.Below(gates.size())];
      gate.OnArrival(now);
      busy_arrivals += busy;
      if (!busy || !Chosen(gate, now, Seconds(1), kLong).valid()) continue;
      gate.Spend(now);
      ++spills;
    }
    EXPECT_LE(spills, 0.05 * busy_arrivals + 0.05 * 20 * 30 / std::log(2.0) + 1) << routers;
    EXPECT_LE(spills, earned + 0.05 * busy_arrivals + 1) << routers;
    EXPECT_GE(spills, 10) << routers;
  }
}

// What may have left in [from, now]: the share of what arrived in it, and what was earned before and is kept.
double Bound(const SpillSpec& spec, const std::vector<Time>& arrivals, Time from) {
  double bound = 0;
  for (const Time at : arrivals) {
    const Duration back = std::max(from - at, ZeroDuration());
    bound += spec.share * std::exp2(-FDivDuration(back, spec.keep));
  }
  return bound;
}

// Whoever waits until WorthFrom, and looks again when it is told to, misses no chance.
TEST(Spill, WorthFromSaysWhenChooseWouldSayYes) {
  int open = 0, shut = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed, 3);
    SpillGate gate(SpillSpec{.share = rng.Uniform() * 0.5, .keep = Seconds(5)});
    gate.Aim({{kNear, Milliseconds(20), 0, static_cast<int>(rng.Below(3))},
              {kFar, Milliseconds(90), 1, static_cast<int>(rng.Below(3))}});
    Time now = kSpillNow;
    const auto may_leave = [&] { return gate.WorthFrom(now, InfinitePast()) <= now; };
    for (int i = 0; i < 200; ++i) {
      now += Seconds(rng.Exponential() * 0.2);
      const Duration waited = Seconds(rng.Exponential() * 0.2);
      const RegionId to = Chosen(gate, now, waited, kLong);
      ASSERT_EQ(to.valid(), gate.WorthFrom(now, now - waited) <= now) << "seed " << seed;
      ++(to.valid() ? open : shut);
      if (to.valid() && rng.Chance(0.7)) {
        gate.Spend(now);
        gate.Left(to);
      }
      const bool could = may_leave();
      if (rng.Chance(0.3)) {
        gate.Came(RegionId(1 + rng.Below(2)), now, Seconds(rng.Exponential()), rng.Chance(0.8));
      } else if (!gate.OnArrival(now)) {
        ASSERT_EQ(may_leave(), could) << "an arrival opened the gate and did not say so; seed " << seed;
      }
    }
  }
  EXPECT_GT(open, 1000);
  EXPECT_GT(shut, 1000);
}

TEST(Spill, BoundsHoldInAnyHistoryAndOverAnyWindow) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const SpillSpec spec{.share = rng.Uniform() * 0.3, .keep = Seconds(0.5 + 20 * rng.Uniform())};
    SpillGate gate(spec);
    const int caps[] = {0, static_cast<int>(rng.Below(4)), static_cast<int>(rng.Below(4))};
    gate.Aim({{kNear, Milliseconds(20), 0, caps[1]}, {kFar, Milliseconds(90), 1, caps[2]}});
    int away[3] = {};
    std::vector<Time> arrivals, spills;
    Time now = kSpillNow;
    for (int i = 0; i < 300; ++i) {
      now += Seconds(rng.Exponential() * (rng.Chance(0.02) ? 10 : 0.05));
      gate.OnArrival(now);
      arrivals.push_back(now);
      const RegionId to = Chosen(gate, now, Seconds(rng.Exponential()), Seconds(5));
      if (to.valid()) {
        spills.push_back(now);
        gate.Spend(now);
        gate.Left(to);
        ASSERT_LE(++away[to.index()], caps[to.index()]) << "seed " << seed;
        const std::size_t first = rng.Below(spills.size());
        ASSERT_LE(static_cast<double>(spills.size() - first), Bound(spec, arrivals, spills[first]) + 1e-6)
            << "seed " << seed;
      }
      for (const RegionId r : {kNear, kFar}) {
        if (away[r.index()] == 0 || !rng.Chance(0.3)) continue;
        --away[r.index()];
        gate.Came(r, now, Seconds(rng.Exponential()), rng.Chance(0.8));
        ASSERT_EQ(gate.in_flight(r), away[r.index()]);
        ASSERT_GE(gate.expected_wait(r, now), ZeroDuration());
      }
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
