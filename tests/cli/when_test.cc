// Moments as people type them.
#include "cli/when.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::cli {
namespace {

const Time kNoon = FromUnixSeconds(1'795'435'200);  // 2026-11-23 12:00 UTC

TEST(WhenTest, ReadsDatesOffsetsAndHowLongAgo) {
  const Time now = kNoon + Hours(26);
  for (const char* text :
       {"2026-11-23 12:00", "2026-11-23 12:00:00", "2026-11-23T12:00:00Z", "2026-11-23 13:00 +0100",
        "2026-11-23 13:00+01:00", "2026-11-23 12:00:00Z", "26h", "25h60m"}) {
    const auto at = ReadWhen(text, now);
    ASSERT_TRUE(at.ok()) << text << ": " << at.status();
    EXPECT_EQ(*at, kNoon) << text;
  }
  EXPECT_EQ(*ReadWhen("2026-11-23 12:00:00.5", now), kNoon + Milliseconds(500));
  EXPECT_EQ(WhenText(kNoon), "2026-11-23 12:00:00Z");
  EXPECT_EQ(*ReadWhen(WhenText(kNoon), now), kNoon);
}

TEST(WhenTest, RefusesTheRest) {
  for (const char* text :
       {"", "noon", "41", "-1h", "inf", "2026-13-01 12:00", "23.11.2026", "1969-01-01 00:00",
        "2200-01-01 00:00", "infinite-future", "2026-11-23 12:00 CET"}) {
    EXPECT_FALSE(ReadWhen(text, kNoon).ok()) << text;
  }
}

}  // namespace
}  // namespace ringway::cli
