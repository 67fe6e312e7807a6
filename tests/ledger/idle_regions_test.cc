// What a leader believes of other regions' idle workers, and where a job leaves for.
#include "router/dispatch/ledger/idle_regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng.h"

namespace ringway::ledger {
namespace {

const RegionId kClose(1), kMiddle(2), kDistant(3);

class IdleRegionsTest : public testing::Test {
 protected:
  IdleRegionsTest() {
    regions_.Aim({{kClose, Milliseconds(20)}, {kMiddle, Milliseconds(30)}, {kDistant, Milliseconds(200)}});
  }
  void Hint(RegionId region, std::uint32_t idle, std::uint64_t landings = 0, Fence by = {1, 1}) {
    regions_.Hear(now_, region,
                  {.appointment = by, .sequence = ++sequence_, .idle = idle, .landings = landings});
  }
  int Believed(RegionId region) const { return regions_.Believed(now_, region); }
  RegionId Choose(Duration left = Seconds(10)) const { return regions_.Choose(now_, left); }

  Time now_ = FromUnixSeconds(100);
  std::uint64_t sequence_ = 0;
  IdleRegions regions_;
};

TEST_F(IdleRegionsTest, NothingIsBelievedBeforeAHint) {
  EXPECT_EQ(Believed(kClose), 0);
  EXPECT_FALSE(Choose().valid());
  EXPECT_FALSE(regions_.Hears(now_));
}

TEST_F(IdleRegionsTest, OneJobForOneBelievedWorker) {
  Hint(kClose, 2);
  EXPECT_EQ(Believed(kClose), 2);
  regions_.Sent(now_, kClose);
  EXPECT_EQ(Believed(kClose), 1);
  regions_.Sent(now_, kClose);
  EXPECT_EQ(Believed(kClose), 0);
  EXPECT_FALSE(Choose().valid());
}

// A hint was said half a round trip ago, and what was sent half a round trip before that had not arrived.
TEST_F(IdleRegionsTest, WhatTheHintCannotKnowOfIsTakenOffAgain) {
  Hint(kClose, 5);
  regions_.Sent(now_, kClose);
  now_ += Milliseconds(15);
  Hint(kClose, 5);
  EXPECT_EQ(Believed(kClose), 4) << "the job was on its way when this was said";
  now_ += Milliseconds(10);
  Hint(kClose, 4, /*landings=*/1);
  EXPECT_EQ(Believed(kClose), 4) << "it has arrived, and is counted there";
}

TEST_F(IdleRegionsTest, OthersAreExpectedToLandAgain) {
  Hint(kClose, 9, 100);
  now_ += Milliseconds(100);
  Hint(kClose, 9, 103);
  EXPECT_EQ(Believed(kClose), 6);
  regions_.Sent(now_, kClose);
  now_ += Milliseconds(100);
  Hint(kClose, 8, 104);
  EXPECT_EQ(Believed(kClose), 8) << "the one that landed was our own";
}

TEST_F(IdleRegionsTest, ANewLeaderCountsItsLandingsAnew) {
  Hint(kClose, 9, 100);
  Hint(kClose, 9, 2, {1, 2});
  EXPECT_EQ(Believed(kClose), 9);
}

TEST_F(IdleRegionsTest, ARefusalStandsUntilTheNextHint) {
  Hint(kClose, 4);
  regions_.Refused(kClose);
  EXPECT_EQ(Believed(kClose), 0);
  now_ += Milliseconds(100);
  Hint(kClose, 3);
  EXPECT_EQ(Believed(kClose), 3);
}

TEST_F(IdleRegionsTest, AHintThatWasOvertakenChangesNothing) {
  Hint(kClose, 4);
  regions_.Hear(now_, kClose, {.appointment = {1, 1}, .sequence = sequence_, .idle = 50, .landings = 0});
  regions_.Hear(now_, kClose, {.appointment = {1, 0}, .sequence = 99, .idle = 50, .landings = 0});
  EXPECT_EQ(Believed(kClose), 4);
}

TEST_F(IdleRegionsTest, OldHintsAndLostLeadersAreNotBelieved) {
  Hint(kClose, 4);
  Hint(kMiddle, 4);
  regions_.Lose(kMiddle);
  EXPECT_EQ(Believed(kMiddle), 0);
  now_ += IdleRegions::kHintStands;
  EXPECT_EQ(Believed(kClose), 4);
  EXPECT_TRUE(regions_.Hears(now_));
  now_ += Nanoseconds(1);
  EXPECT_EQ(Believed(kClose), 0);
  EXPECT_FALSE(regions_.Hears(now_));
}

TEST_F(IdleRegionsTest, ARegionThatIsNotAimedAtGetsNothing) {
  Hint(kClose, 4);
  regions_.Aim({{kMiddle, Milliseconds(30)}});
  EXPECT_EQ(Believed(kClose), 0);
  Hint(kMiddle, 1);
  EXPECT_EQ(Choose(), kMiddle);
  regions_.Aim({{kClose, Milliseconds(20)}});
  EXPECT_EQ(Believed(kClose), 4) << "what was known is kept";
}

// Round trips of 20, 25 and 200 ms; a place that has one idle worker of which five hear is tried five times.
TEST_F(IdleRegionsTest, TheShortestWayForTheChanceToBeTaken) {
  Hint(kClose, 1);
  Hint(kMiddle, 7);
  Hint(kDistant, 50);
  EXPECT_EQ(Choose(), kMiddle) << "a little farther, and sure";
  Hint(kClose, 5);
  EXPECT_EQ(Choose(), kClose) << "as good as sure, and nearer";
  Hint(kClose, 1);
  Hint(kMiddle, 0);
  EXPECT_EQ(Choose(), kClose) << "a distant place is not worth the way, however sure";
  Hint(kClose, 0);
  EXPECT_EQ(Choose(), kDistant);
}

TEST_F(IdleRegionsTest, NoFartherThanTheDeadlineAllows) {
  Hint(kDistant, 50);
  EXPECT_EQ(Choose(Milliseconds(201)), kDistant);
  EXPECT_FALSE(Choose(Milliseconds(200)).valid());
}

// Whatever is heard and sent, in any order: what is believed never exceeds the last hint, and sends are taken
// off it one by one.
TEST(IdleRegionsProperty, NeverMoreJobsThanHintedWorkers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    IdleRegions regions;
    regions.Aim({{kClose, Milliseconds(20)}, {kMiddle, Milliseconds(25)}});
    Time now = FromUnixSeconds(100);
    IdVector<RegionId, std::uint32_t> hinted(4, 0);
    IdVector<RegionId, std::uint32_t> sent(4, 0);  // since the last hint
    std::uint64_t sequence = 0;
    for (int i = 0; i < 300; ++i) {
      now += Milliseconds(rng.Below(50));
      const RegionId region = rng.Chance(0.5) ? kClose : kMiddle;
      const double what = rng.Uniform();
      if (what < 0.3) {
        hinted[region] = static_cast<std::uint32_t>(rng.Below(6));
        sent[region] = 0;
        regions.Hear(now, region,
                     {.appointment = {1, 1},
                      .sequence = ++sequence,
                      .idle = hinted[region],
                      .landings = sequence / 3});
      } else if (what < 0.4) {
        regions.Refused(region);
      } else if (const RegionId to = regions.Choose(now, Seconds(1)); to.valid()) {
        regions.Sent(now, to);
        ++sent[to];
      }
      for (const RegionId r : {kClose, kMiddle}) {
        ASSERT_LE(regions.Believed(now, r), static_cast<int>(hinted[r])) << "seed " << seed;
        ASSERT_LE(sent[r], hinted[r]) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace ringway::ledger
