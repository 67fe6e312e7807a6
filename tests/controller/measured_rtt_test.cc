#include "controller/fleet/measured_rtt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace ringway::controller {
namespace {

const RegionId kA{0}, kB{1}, kC{2};

class MeasuredRttTest : public ::testing::Test {
 protected:
  MeasuredRttTest() : file_(3) {
    for (const auto& [from, to] : {MeasuredRtt::Pair{kA, kB}, {kB, kA}}) file_.Set(from, to, 40);
    for (const auto& [from, to] : {MeasuredRtt::Pair{kA, kC}, {kC, kA}}) {
      file_.Set(from, to, 100, RttSource::kEstimated);
    }
    for (const auto& [from, to] : {MeasuredRtt::Pair{kB, kC}, {kC, kB}}) file_.Set(from, to, 1);
    in_use_ = file_;
  }
  // Long after whatever was before.
  std::size_t Settle() {
    now_ += MeasuredRtt::kRest;
    (void)rtt_.Due(now_, file_, in_use_);
    now_ += MeasuredRtt::kGather;
    if (!rtt_.Due(now_, file_, in_use_)) return 0;
    return rtt_.Correct(now_, file_, in_use_).size();
  }
  double Used(RegionId from, RegionId to, double measured_ms) {
    rtt_.Hear(from, to, measured_ms);
    Settle();
    return in_use_.ms(from, to);
  }

  Time now_ = FromUnixSeconds(5000);
  RttMatrix file_, in_use_;
  MeasuredRtt rtt_;
};

TEST_F(MeasuredRttTest, TheFileStandsUntilItIsWrongByAFactor) {
  EXPECT_EQ(Used(kA, kB, 79), 40);
  EXPECT_EQ(Used(kA, kB, 21), 40);
  EXPECT_EQ(Used(kA, kB, 4000), 4000);
  EXPECT_EQ(in_use_.source(kA, kB), RttSource::kMeasured);
  EXPECT_EQ(Used(kA, kB, 79), 79) << "it has been caught out: back to the file only when that is near";
  EXPECT_EQ(Used(kA, kB, 55), 40);
  EXPECT_EQ(in_use_.source(kA, kB), RttSource::kGiven);
  EXPECT_EQ(Used(kA, kB, 1), 1);
}

TEST_F(MeasuredRttTest, AFewMillisecondsAreNoFault) {
  EXPECT_EQ(Used(kB, kC, 5.5), 1) << "five times what the file says, and nothing that matters";
  EXPECT_EQ(Used(kB, kC, 7), 7);
}

TEST_F(MeasuredRttTest, AnEstimateGivesWayToAnyMeasurement) {
  EXPECT_EQ(Used(kA, kC, 70), 70);
  EXPECT_EQ(Used(kA, kC, 75), 70) << "no new map for a step below a fifth";
  EXPECT_EQ(Used(kA, kC, 100), 100);
  EXPECT_EQ(in_use_.source(kA, kC), RttSource::kMeasured);
}

TEST_F(MeasuredRttTest, OneEndSpeaksForBothDirectionsUntilTheOtherDoes) {
  rtt_.Hear(kA, kB, 400);
  EXPECT_EQ(Settle(), 2u);
  EXPECT_EQ(in_use_.ms(kB, kA), 400);
  EXPECT_EQ(Used(kB, kA, 200), 200);
  EXPECT_EQ(in_use_.ms(kA, kB), 400);
}

TEST_F(MeasuredRttTest, GathersAndThenRests) {
  rtt_.Hear(kA, kB, 400);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
  now_ += MeasuredRtt::kGather - Seconds(1);
  rtt_.Hear(kB, kC, 90);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
  now_ += Seconds(1);
  ASSERT_TRUE(rtt_.Due(now_, file_, in_use_));
  EXPECT_EQ(rtt_.Correct(now_, file_, in_use_).size(), 4u);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
  rtt_.Hear(kA, kC, 7);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
  now_ += MeasuredRtt::kRest - Seconds(1);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_)) << "gathered for long, and the last map is not a minute old";
  now_ += Seconds(1);
  EXPECT_TRUE(rtt_.Due(now_, file_, in_use_));
}

TEST_F(MeasuredRttTest, WhatPassesByIsNotCorrected) {
  rtt_.Hear(kA, kB, 400);
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
  rtt_.Hear(kA, kB, 41);
  now_ += MeasuredRtt::kGather;
  EXPECT_FALSE(rtt_.Due(now_, file_, in_use_));
}

TEST_F(MeasuredRttTest, SaysWhatIsUsedInPlaceOfTheFile) {
  rtt_.Hear(kA, kB, 400);
  rtt_.Hear(kA, kC, 7);  // an estimate claims nothing
  Settle();
  World world;
  for (const char* name : {"paris", "tokyo", "lima"}) world.regions.push_back({.name = name, .title = name});
  EXPECT_EQ(DescribeCorrections(rtt_.InUse(file_, in_use_), world),
            "paris to tokyo 400 ms, not 40; tokyo to paris 400 ms, not 40");
}

TEST_F(MeasuredRttTest, OtherIdsKeepWhatWasMeasured) {
  rtt_.Hear(kA, kB, 400);
  rtt_.Hear(kB, kC, 90);
  rtt_.Renumber(
      [](RegionId id) { return id == kC ? std::nullopt : std::optional(RegionId(2 - id.index())); });
  EXPECT_THAT(rtt_.measured(),
              ::testing::ElementsAre(::testing::Pair(MeasuredRtt::Pair{RegionId(2), RegionId(1)}, 400)));
}

// Whatever is measured: a correction leaves nothing to correct, every time in use is the file's or a measured
// one, and what is measured near the file's times is never used.
TEST(MeasuredRttProperty, ACorrectionSettlesEverything) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const std::size_t n = 2 + rng.Next() % 7;
    RttMatrix file(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        file.Set(RegionId(i), RegionId(j), 300 * rng.Uniform(),
                 rng.Chance(0.3) ? RttSource::kEstimated : RttSource::kGiven);
      }
    }
    RttMatrix in_use = file;
    MeasuredRtt rtt;
    Time now = FromUnixSeconds(1);
    for (int step = 0; step < 200; ++step) {
      const RegionId from(rng.Next() % n), to(rng.Next() % n);
      if (from == to) continue;
      const double factor = rng.Chance(0.5) ? 1 : std::exp2(8 * rng.Uniform() - 4);
      rtt.Hear(from, to, file.ms(from, to) * factor);
      now += Seconds(1);
      if (!rtt.Due(now, file, in_use)) continue;
      const RttMatrix before = in_use;
      for (const RttCorrection& one : rtt.Correct(now, file, in_use)) {
        EXPECT_EQ(before.ms(one.from, one.to), static_cast<float>(one.before_ms));
        EXPECT_NEAR(in_use.ms(one.from, one.to), one.now_ms, 1e-3);
      }
      RttMatrix again = in_use;
      EXPECT_TRUE(rtt.Correct(now, file, again).empty()) << "seed " << seed;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const RegionId a(i), b(j);
          if (in_use.source(a, b) == RttSource::kMeasured) {
            EXPECT_TRUE(rtt.ms(a, b).has_value());
          } else {
            EXPECT_EQ(in_use.ms(a, b), file.ms(a, b));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringway::controller
