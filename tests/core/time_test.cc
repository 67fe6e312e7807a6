// Times of whole nanoseconds follow absl's rules: what holds for the one is asked of the other, with the same
// numbers.
#include "core/time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <vector>

namespace ringway {
namespace {

// Values of every size, both signs, and those at the edge of the range.
std::vector<std::int64_t> Numbers() {
  std::vector<std::int64_t> numbers = {0, 1, -1, 999'999'999, 1'000'000'000, -1'000'000'001};
  std::mt19937_64 random(7);
  for (int bits = 1; bits < 61; ++bits) {
    const auto n = static_cast<std::int64_t>(random() >> (64 - bits));
    numbers.insert(numbers.end(), {n, -n});
  }
  return numbers;
}

TEST(TimeTest, SumsDifferencesAndOrderAreAbsls) {
  for (const std::int64_t a : Numbers()) {
    for (const std::int64_t b : Numbers()) {
      const absl::Duration x = absl::Nanoseconds(a), y = absl::Nanoseconds(b);
      const Duration u = Nanoseconds(a), v = Nanoseconds(b);
      ASSERT_EQ(absl::Duration(u + v), x + y) << a << ' ' << b;
      ASSERT_EQ(absl::Duration(u - v), x - y) << a << ' ' << b;
      ASSERT_EQ(u < v, x < y) << a << ' ' << b;
      ASSERT_EQ(u == v, x == y) << a << ' ' << b;
      ASSERT_EQ(absl::Time(UnixEpoch() + u - v), absl::UnixEpoch() + x - y) << a << ' ' << b;
      ASSERT_EQ((UnixEpoch() + u) - (UnixEpoch() + v), u - v) << a << ' ' << b;
      if (b == 0) continue;
      ASSERT_EQ(u / v, x / y) << a << ' ' << b;
      ASSERT_EQ(absl::Duration(u % v), x % y) << a << ' ' << b;
      ASSERT_DOUBLE_EQ(FDivDuration(u, v), absl::FDivDuration(x, y)) << a << ' ' << b;
      ASSERT_EQ(absl::Duration(Trunc(u, v)), absl::Trunc(x, y)) << a << ' ' << b;
      if (b < 0) continue;
      ASSERT_EQ(absl::Duration(Floor(u, v)), absl::Floor(x, y)) << a << ' ' << b;
      ASSERT_EQ(absl::Duration(Ceil(u, v)), absl::Ceil(x, y)) << a << ' ' << b;
    }
  }
}

TEST(TimeTest, UnitsOfDatesAreAbslsBefore1970Too) {
  for (const std::int64_t n : Numbers()) {
    const Time at = FromUnixNanos(n);
    const absl::Time same = absl::FromUnixNanos(n);
    ASSERT_EQ(ToUnixNanos(at), n);
    ASSERT_EQ(ToUnixMicros(at), absl::ToUnixMicros(same)) << n;
    ASSERT_EQ(ToUnixMillis(at), absl::ToUnixMillis(same)) << n;
    ASSERT_EQ(ToUnixSeconds(at), absl::ToUnixSeconds(same)) << n;
    ASSERT_EQ(Time(same), at);
    ASSERT_EQ(ToInt64Milliseconds(Nanoseconds(n)), absl::ToInt64Milliseconds(absl::Nanoseconds(n))) << n;
    ASSERT_DOUBLE_EQ(ToDoubleSeconds(Nanoseconds(n)), absl::ToDoubleSeconds(absl::Nanoseconds(n))) << n;
  }
}

TEST(TimeTest, SumsAtTheEdgeOfTheRange) {
  constexpr std::int64_t kHalf = Duration::kInfinite / 2;
  for (const std::int64_t sign : {1, -1}) {
    const Duration half = sign * Nanoseconds(kHalf);
    const Duration more = sign * Nanoseconds(kHalf + 1);
    EXPECT_EQ((half + half).nanos(), sign * 2 * kHalf);
    EXPECT_EQ((half - -half).nanos(), sign * 2 * kHalf);
    EXPECT_FALSE((half + half).infinite());
    EXPECT_EQ((more + more), sign * InfiniteDuration());
    EXPECT_EQ((more - -more), sign * InfiniteDuration());
    EXPECT_EQ((more + -more), ZeroDuration());
    EXPECT_EQ((more + half + half), sign * InfiniteDuration());
    EXPECT_EQ(InfiniteDuration() + half, InfiniteDuration());
    EXPECT_EQ(half - InfiniteDuration(), -InfiniteDuration());
  }
}

TEST(TimeTest, WhatIsInfiniteStaysInfinite) {
  EXPECT_EQ(InfiniteDuration() + Seconds(1), InfiniteDuration());
  EXPECT_EQ(Seconds(1) - InfiniteDuration(), -InfiniteDuration());
  EXPECT_EQ(InfiniteDuration() - InfiniteDuration(), InfiniteDuration());
  EXPECT_EQ(InfiniteDuration() * -2, -InfiniteDuration());
  EXPECT_EQ(InfiniteDuration() * 0.5, InfiniteDuration());
  EXPECT_EQ(Hours(24 * 365) * 1000, InfiniteDuration());
  EXPECT_EQ(Hours(-24 * 365) * 1000, -InfiniteDuration());
  EXPECT_EQ(Hours(24 * 365 * 100) + Hours(24 * 365 * 100), InfiniteDuration());
  EXPECT_EQ(Seconds(std::numeric_limits<std::int64_t>::max()), InfiniteDuration());
  EXPECT_EQ(Seconds(std::numeric_limits<double>::quiet_NaN()), InfiniteDuration());
  EXPECT_EQ(Seconds(1) / 0, InfiniteDuration());
  EXPECT_EQ(Seconds(-1) / 0.0, -InfiniteDuration());
  EXPECT_EQ(FDivDuration(Seconds(1), InfiniteDuration()), 0);
  EXPECT_EQ(ToDoubleSeconds(InfiniteDuration()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(InfiniteFuture() - Hours(1), InfiniteFuture());
  EXPECT_EQ(InfinitePast() + Hours(1), InfinitePast());
  EXPECT_EQ(FromUnixSeconds(0) - InfinitePast(), InfiniteDuration());
  EXPECT_EQ(ToUnixNanos(InfiniteFuture()), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(FromUnixNanos(std::numeric_limits<std::int64_t>::max()), InfiniteFuture());
  EXPECT_EQ(absl::Time(InfiniteFuture()), absl::InfiniteFuture());
  EXPECT_EQ(absl::Time(InfinitePast()), absl::InfinitePast());
  EXPECT_EQ(Time(absl::InfinitePast()), InfinitePast());
  EXPECT_EQ(Duration(-absl::InfiniteDuration()), -InfiniteDuration());
}

TEST(TimeTest, FractionsAreRoundedAndTextIsAbsls) {
  EXPECT_EQ(Seconds(0.0000000014), Nanoseconds(1));
  EXPECT_EQ(Seconds(-0.0000000016), Nanoseconds(-2));
  EXPECT_EQ(Seconds(3) * 0.5, Milliseconds(1500));
  EXPECT_EQ(Seconds(3) / 2, Milliseconds(1500));
  EXPECT_EQ(0.25 * Seconds(1), Milliseconds(250));
  std::ostringstream text;
  text << Milliseconds(1500);
  EXPECT_EQ(text.str(), "1.5s");
  Duration read;
  EXPECT_TRUE(ParseDuration("1h2m3.5s", &read));
  EXPECT_EQ(read, Hours(1) + Minutes(2) + Milliseconds(3500));
  EXPECT_FALSE(ParseDuration("soon", &read));
}

}  // namespace
}  // namespace ringway
