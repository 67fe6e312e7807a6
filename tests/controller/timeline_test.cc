#include "controller/screen/timeline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "controller/screen/timeline_codec.h"

#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

const Time kStart = FromUnixSeconds(1'000'000);

FleetPicture Picture(double demand, double load, std::size_t regions = 2) {
  TierPicture tier;
  tier.demand_rps = demand;
  for (std::size_t r = 0; r < regions; ++r) {
    RegionStatus status;
    status.load = load;
    tier.regions.push_back(status);
  }
  return {tier};
}

class TimelineTest : public ::testing::Test {
 protected:
  void At(double second, double demand, double load = 0.5) {
    timeline_.Add(kStart + Seconds(second), fleet_, Picture(demand, load));
  }
  std::shared_ptr<const Fleet> fleet_ = MakeFleet({.regions = 2});
  Timeline timeline_;
};

TEST_F(TimelineTest, AStepIsTheMeanOfItsPicturesAndShowsOnceItIsOver) {
  for (int second = 0; second < 5; ++second) At(second, second, second * 0.1);
  EXPECT_TRUE(timeline_.steps().empty());
  At(5, 100);
  ASSERT_EQ(timeline_.steps().size(), 1u);
  EXPECT_FLOAT_EQ(timeline_.steps()[0].tiers[0].demand_rps, 2);
  EXPECT_FLOAT_EQ(timeline_.steps()[0].tiers[0].regions[1].load, 0.2F);
  EXPECT_EQ(timeline_.steps()[0].start, kStart);
}

TEST_F(TimelineTest, AQuietTimeIsAGapAndTimeRunsEvenly) {
  At(0, 1);
  At(17, 2);
  At(20, 3);
  ASSERT_EQ(timeline_.steps().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(timeline_.steps()[i].start, kStart + Timeline::kStep * i);
    EXPECT_EQ(timeline_.steps()[i].seen, i == 0 || i == 3) << i;
  }
}

TEST_F(TimelineTest, AnHourIsKeptAndAPauseLongerThanThatStartsAnew) {
  for (int second = 0; second < 5000; ++second) At(second, 1);
  EXPECT_EQ(timeline_.steps().size(), Timeline::kSteps);
  const std::uint64_t ended = timeline_.ended();
  At(20'000, 1);
  At(20'005, 1);
  EXPECT_EQ(timeline_.steps().size(), 1u);
  EXPECT_GT(timeline_.ended(), ended);
}

TEST_F(TimelineTest, AnotherFleetHasAnotherHistory) {
  for (int second = 0; second < 20; ++second) At(second, 1);
  fleet_ = MakeFleet({.regions = 2});
  const std::uint64_t ended = timeline_.ended();
  At(21, 1);
  EXPECT_TRUE(timeline_.steps().empty());
  EXPECT_NE(timeline_.ended(), ended) << "readers must ask again";
}

TEST_F(TimelineTest, RegionsAreLeftOutOfAVeryLargeWorldButTheSumsStay) {
  timeline_.Add(kStart, fleet_, Picture(7, 0.5, Timeline::kRegionSeriesMax + 1));
  timeline_.Add(kStart + Timeline::kStep, fleet_, Picture(7, 0.5, Timeline::kRegionSeriesMax + 1));
  ASSERT_EQ(timeline_.steps().size(), 1u);
  EXPECT_TRUE(timeline_.steps()[0].tiers[0].regions.empty());
  EXPECT_FLOAT_EQ(timeline_.steps()[0].tiers[0].demand_rps, 7);
}

constexpr Duration kAhead = Hours(7);

TEST_F(TimelineTest, TheNextLifeShowsTheHourBeforeWithAGapBetween) {
  for (int second = 0; second <= 60; ++second) At(second, second, 0.25);
  ASSERT_EQ(timeline_.steps().size(), 12u);
  const std::string bytes = EncodeTimeline(timeline_, *fleet_, kAhead);
  // Half a minute later another process, whose time began elsewhere.
  const Time now = kStart + Seconds(92) + Hours(2);
  auto steps = DecodeTimeline(bytes, *fleet_, now, kAhead - Hours(2));
  ASSERT_TRUE(steps.ok()) << steps.status();
  Timeline next;
  next.Restore(fleet_, *steps);
  next.Add(now, fleet_, Picture(7, 0.5));
  next.Add(now + Seconds(5), fleet_, Picture(7, 0.5));
  ASSERT_EQ(next.steps().size(), 19u);
  EXPECT_EQ(next.steps()[0].start, kStart + Hours(2));
  EXPECT_FLOAT_EQ(next.steps()[11].tiers[0].demand_rps, 57);
  EXPECT_FLOAT_EQ(next.steps()[11].tiers[0].regions[1].load, 0.25F);
  for (std::size_t i = 12; i < 18; ++i) EXPECT_FALSE(next.steps()[i].seen) << i;
  EXPECT_TRUE(next.steps()[18].seen);
}

TEST_F(TimelineTest, WhatIsNotThereAnyMoreIsDroppedAndWhatIsNewIsUnknown) {
  for (int second = 0; second <= 10; ++second) At(second, 4, 0.5);
  const std::string bytes = EncodeTimeline(timeline_, *fleet_, kAhead);
  const auto other = MakeFleet({.regions = 3, .tiers = 2});
  const auto steps = DecodeTimeline(bytes, *other, kStart + Seconds(20), kAhead);
  ASSERT_TRUE(steps.ok()) << steps.status();
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_FLOAT_EQ(steps->back().tiers[0].demand_rps, 4);
  EXPECT_FLOAT_EQ(steps->back().tiers[0].regions[1].load, 0.5F);
  EXPECT_TRUE(std::isnan(steps->back().tiers[0].regions[2].load));
  EXPECT_TRUE(std::isnan(steps->back().tiers[1].demand_rps));
}

TEST_F(TimelineTest, TornBytesOldHoursAndAClockThatWasPutBackGiveNoSteps) {
  for (int second = 0; second <= 60; ++second) At(second, 1);
  const std::string bytes = EncodeTimeline(timeline_, *fleet_, kAhead);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeTimeline(bytes.substr(0, length), *fleet_, kStart, kAhead).ok()) << length;
  }
  EXPECT_FALSE(DecodeTimeline(bytes + "x", *fleet_, kStart, kAhead).ok());
  EXPECT_TRUE(DecodeTimeline(bytes, *fleet_, kStart - Seconds(30), kAhead)->empty());
  EXPECT_TRUE(DecodeTimeline(bytes, *fleet_, kStart + Hours(2), kAhead)->empty());
  EXPECT_EQ(DecodeTimeline(bytes, *fleet_, kStart + Seconds(30), kAhead)->size(), 6u);
}

}  // namespace
}  // namespace ringway::controller
