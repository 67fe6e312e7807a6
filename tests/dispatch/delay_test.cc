#include <gtest/gtest.h>

#include <algorithm>

#include "router/dispatch/backoff.h"
#include "router/dispatch/scheduling_delay.h"

namespace ringway::dispatch {
namespace {

TEST(SchedulingDelay, ShareRisesLinearlyFromBusyMin) {
  const SchedulingDelaySpec spec{.busy_min = 0.8, .share_max = 0.5, .span = Milliseconds(250)};
  struct Case {
    double busy, share;
  };
  for (const Case& c :
       {Case{0, 0}, {0.79, 0}, {0.8, 0}, {0.85, 0.125}, {0.9, 0.25}, {1.0, 0.5}, {1.5, 0.5}}) {
    EXPECT_NEAR(DelayedShare(spec, c.busy), c.share, 1e-12) << "busy " << c.busy;
  }
}

TEST(SchedulingDelay, OffWhenAlwaysBelowBusyMin) {
  Rng rng(1);
  EXPECT_EQ(SchedulingDelay({.busy_min = 1}, 1.0, Seconds(2), rng), ZeroDuration());
  EXPECT_EQ(SchedulingDelay({.share_max = 0}, 1.0, Seconds(2), rng), ZeroDuration());
  EXPECT_EQ(SchedulingDelay({.span = ZeroDuration()}, 1.0, Seconds(2), rng), ZeroDuration());
}

TEST(SchedulingDelay, UniformInTheSpanForTheShare) {
  const SchedulingDelaySpec spec{.busy_min = 0.8, .share_max = 1, .span = Milliseconds(200)};
  Rng rng(7);
  int delayed = 0;
  int late_half = 0;
  Duration longest;
  for (int i = 0; i < 20000; ++i) {
    const Duration d = SchedulingDelay(spec, 0.9, Seconds(2), rng);
    ASSERT_GE(d, ZeroDuration());
    ASSERT_LT(d, spec.span);
    delayed += d > ZeroDuration();
    late_half += d >= Milliseconds(100);
    longest = std::max(longest, d);
  }
  EXPECT_NEAR(delayed, 10000, 400);
  EXPECT_NEAR(late_half, 5000, 300);
  EXPECT_GT(longest, Milliseconds(195));
}

TEST(SchedulingDelay, TheSpanFollowsTheServiceTimeOfShortJobs) {
  struct Case {
    double service_s, span_s;
  };
  for (const Case& c : {Case{0.05, 0.00625}, {0.5, 0.0625}, {2, 0.25}, {30, 0.25}}) {
    EXPECT_EQ(DelaySpan({}, Seconds(c.service_s)), Seconds(c.span_s)) << c.service_s << " s";
  }
  Rng rng(3);
  Duration longest;
  for (int i = 0; i < 10000; ++i) {
    longest = std::max(longest, SchedulingDelay({}, 1.0, Milliseconds(50), rng));
  }
  EXPECT_LE(longest, Milliseconds(6.25));
  EXPECT_GT(longest, Milliseconds(6));
}

TEST(Backoff, CeilingGrowsToTheCap) {
  const BackoffSpec spec{.base = Milliseconds(10), .multiplier = 2, .cap_of_service = 0.06};
  struct Case {
    int round;
    Duration ceiling;
  };
  for (const Case& c : {Case{0, Milliseconds(10)},
                        {1, Milliseconds(20)},
                        {3, Milliseconds(80)},
                        {5, Milliseconds(300)},
                        {1000000, Milliseconds(300)}}) {
    EXPECT_EQ(BackoffCeiling(spec, Seconds(5), c.round), c.ceiling) << "round " << c.round;
  }
}

TEST(Backoff, CapNeverUndercutsTheBase) {
  EXPECT_EQ(BackoffCeiling({.base = Milliseconds(20), .cap_of_service = 0}, Seconds(5), 9), Milliseconds(20));
}

TEST(Backoff, NoneAndFixedAreReachable) {
  Rng rng(1);
  EXPECT_EQ(Backoff({.base = ZeroDuration()}, Seconds(5), 12, rng), ZeroDuration());
  const BackoffSpec fixed{.base = Milliseconds(20), .multiplier = 1, .full_jitter = false};
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(Backoff(fixed, Seconds(5), round, rng), Milliseconds(20));
  }
}

TEST(Backoff, FullJitterUsesTheWholeRange) {
  Rng rng(2);
  double sum_s = 0;
  Duration shortest = InfiniteDuration();
  for (int i = 0; i < 20000; ++i) {
    const Duration d = Backoff({}, Seconds(5), 20, rng);
    ASSERT_LT(d, Milliseconds(300));
    shortest = std::min(shortest, d);
    sum_s += ToDoubleSeconds(d);
  }
  EXPECT_NEAR(sum_s / 20000, 0.150, 0.003);
  EXPECT_LT(shortest, Milliseconds(1));
}

}  // namespace
}  // namespace ringway::dispatch
