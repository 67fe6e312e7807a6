#include "controller/screen/timeline.h"

#include <gtest/gtest.h>

#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000);

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
    timeline_.Add(kStart + absl::Seconds(second), fleet_, Picture(demand, load));
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

}  // namespace
}  // namespace ringway::controller
