#include <gtest/gtest.h>

#include "core/rng.h"
#include "router/dispatch/retry_budget.h"

namespace ringway::dispatch {
namespace {

const Time kBegin = FromUnixSeconds(1000);

TEST(RetryBudget, WithoutShareAndFloorThereIsNothing) {
  RetryBudget budget({.share = 0, .floor_per_second = 0});
  for (int i = 0; i < 100; ++i) budget.OnArrival(kBegin + Seconds(i));
  EXPECT_EQ(budget.Reserve(4, kBegin + Seconds(100)), 0);
}

TEST(RetryBudget, ArrivalsPayForRetries) {
  RetryBudget budget({.share = 2, .floor_per_second = 0});
  for (int i = 0; i < 5; ++i) budget.OnArrival(kBegin);
  EXPECT_EQ(budget.Reserve(4, kBegin), 4);
  EXPECT_EQ(budget.Reserve(4, kBegin), 4);
  EXPECT_EQ(budget.Reserve(4, kBegin), 2);
  EXPECT_EQ(budget.Reserve(4, kBegin), 0);
  budget.Return(3);
  EXPECT_EQ(budget.Reserve(4, kBegin), 3);
}

// What calm seconds deposited is worth two of them at most, however long the calm was.
TEST(RetryBudget, AStormFindsTwoSecondsOfCalmSaved) {
  for (const double rate : {10.0, 200.0}) {
    RetryBudget budget({.share = 1, .floor_per_second = 0});
    Time now = kBegin;
    for (int i = 0; i < 60 * rate; ++i) budget.OnArrival(now += Seconds(1 / rate));
    EXPECT_NEAR(budget.Reserve(1 << 20, now), RetryBudget::kFadeS * rate,
                0.03 * RetryBudget::kFadeS * rate + 2);
  }
}

// The floor keeps for one search, and no longer; what the jobs of that time deposited is gone.
TEST(RetryBudget, AQuietHourPaysForOneSearch) {
  RetryBudget budget({.share = 1, .floor_per_second = 1});
  for (int i = 0; i < 1000; ++i) budget.OnArrival(kBegin);
  EXPECT_EQ(budget.Reserve(1 << 20, kBegin + Hours(1)), RetryBudget::kSearch);
  RetryBudget large({.share = 1, .floor_per_second = 50});
  large.OnArrival(kBegin);
  EXPECT_EQ(large.Reserve(1 << 20, kBegin + Hours(1)), 50 * RetryBudget::kFadeS);
}

// A router that sees a job in five seconds: what one leaves over is there for the next.
TEST(RetryBudget, TheFloorIsSavedFromJobToJob) {
  RetryBudget budget({.share = 1, .floor_per_second = 1});
  for (int i = 0; i < 20; ++i) {
    budget.OnArrival(kBegin + Seconds(5 * i));
    budget.Return(budget.Reserve(3, kBegin + Seconds(5 * i)));
  }
  EXPECT_GE(budget.Reserve(1 << 20, kBegin + Seconds(100)), RetryBudget::kSearch);
}

// Sleepers hold their tokens: the number that can be asleep at once is bounded by the balance.
TEST(RetryBudget, ReservedIsSpentUntilReturned) {
  RetryBudget budget({.share = 0, .floor_per_second = 50});
  int asleep = 0;
  for (int i = 0; i < 1000; ++i) asleep += budget.Reserve(1, kBegin);
  EXPECT_EQ(asleep, 50);
}

TEST(RetryBudget, NeverMoreThanTheBound) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const RetryBudgetSpec spec{.share = rng.Uniform() * 8, .floor_per_second = rng.Uniform() * 100};
    RetryBudget budget(spec);
    Time now = kBegin;
    double arrivals = 0;
    double out = 0;
    for (int i = 0; i < 300; ++i) {
      now += Seconds(rng.Exponential() * 0.05);
      if (rng.Chance(0.4)) {
        budget.OnArrival(now);
        arrivals += 1;
      } else if (rng.Chance(0.2) && out >= 1) {
        budget.Return(1);
        out -= 1;
      } else {
        out += budget.Reserve(1 + static_cast<int>(rng.Below(8)), now);
      }
      const double bound = spec.floor_per_second + spec.share * arrivals +
                           spec.floor_per_second * ToDoubleSeconds(now - kBegin);
      ASSERT_LE(out, bound + 1e-6) << "seed " << seed;
      ASSERT_GE(budget.balance(), 0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
