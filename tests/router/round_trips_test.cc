#include "router/session/round_trips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace ringway::router {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RegionId kThere{3};

class RoundTripsTest : public ::testing::Test {
 protected:
  // Asks, and is answered after `rtt`; the next question is due by then.
  void Sample(Duration rtt) {
    const std::uint64_t number = trips_.Ask(now_, kThere);
    ASSERT_NE(number, 0u);
    trips_.Answered(now_ + rtt, kThere, number);
    now_ += std::max(rtt, RoundTrips::kAskEvery);
  }
  std::vector<RoundTrip> Take() {
    std::vector<RoundTrip> out;
    trips_.Take(now_, out);
    return out;
  }

  Time now_ = FromUnixSeconds(1000);
  RoundTrips trips_;
};

TEST_F(RoundTripsTest, IsTheMedianAndSaysNothingOfAFew) {
  for (int i = 0; i < 4; ++i) Sample(Milliseconds(20));
  EXPECT_THAT(Take(), IsEmpty());
  Sample(Milliseconds(900));
  EXPECT_THAT(Take(), ElementsAre(RoundTrip{kThere, Milliseconds(20)}));
}

TEST_F(RoundTripsTest, FollowsARouteThatChangedAfterHalfOfTheSamples) {
  for (std::size_t i = 0; i < RoundTrips::kSamples; ++i) Sample(Milliseconds(20));
  (void)Take();
  for (std::size_t i = 0; i < RoundTrips::kSamples / 2; ++i) Sample(Milliseconds(80));
  const auto early = Take();
  for (const RoundTrip& trip : early) EXPECT_EQ(trip.time, Milliseconds(20));
  Sample(Milliseconds(80));
  EXPECT_THAT(Take(), ElementsAre(RoundTrip{kThere, Milliseconds(80)}));
}

TEST_F(RoundTripsTest, TellsWhatHasNotChangedOnceInAWhile) {
  for (int i = 0; i < 5; ++i) Sample(Milliseconds(20));
  EXPECT_EQ(Take().size(), 1u);
  std::size_t told = 0;
  for (int i = 0; i < 90; ++i) {
    Sample(Microseconds(20'000 + 500 * (i % 3)));
    told += Take().size();
  }
  EXPECT_EQ(told, 3u);
}

TEST_F(RoundTripsTest, AsksOneAtATimeAndGivesUpWhatIsNotAnswered) {
  const std::uint64_t first = trips_.Ask(now_, kThere);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(trips_.Ask(now_ + Seconds(9), kThere), 0u);
  const std::uint64_t second = trips_.Ask(now_ + RoundTrips::kAnswerMax, kThere);
  EXPECT_NE(second, 0u);
  EXPECT_NE(second, first);
  // The late answer to the first is no sample of the second.
  trips_.Answered(now_ + Seconds(11), kThere, first);
  trips_.Answered(now_ + Seconds(11), kThere, 0);
  EXPECT_EQ(trips_.Ask(now_ + Seconds(11), kThere), 0u) << "the second is still under way";
}

TEST_F(RoundTripsTest, ABrokenLinkLosesWhatIsUnderWay) {
  const std::uint64_t first = trips_.Ask(now_, kThere);
  trips_.LinkBroke(kThere);
  const std::uint64_t second = trips_.Ask(now_ + Milliseconds(1), kThere);
  EXPECT_NE(second, 0u);
  trips_.Answered(now_ + Seconds(5), kThere, first);
  EXPECT_EQ(trips_.Ask(now_ + Seconds(5), kThere), 0u) << "the answer of the broken link counted";
}

// Whatever is lost, repeated or late: what is told lies among what was answered in time.
TEST(RoundTripsProperty, ToldIsNeverOutsideOfWhatWasMeasured) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    RoundTrips trips;
    Time now = FromUnixSeconds(50);
    const double low_ms = 1 + 200 * rng.Uniform(), high_ms = low_ms * (1 + rng.Uniform());
    std::vector<RoundTrip> told;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t number = trips.Ask(now, kThere);
      const Duration rtt = Milliseconds(low_ms + (high_ms - low_ms) * rng.Uniform());
      if (number != 0 && !rng.Chance(0.1)) trips.Answered(now + rtt, kThere, number);
      if (number != 0 && rng.Chance(0.1)) trips.Answered(now + 3 * rtt, kThere, number);
      if (rng.Chance(0.02)) trips.LinkBroke(kThere);
      now += Milliseconds(700);
      trips.Take(now, told);
    }
    ASSERT_FALSE(told.empty()) << "seed " << seed;
    for (const RoundTrip& trip : told) {
      EXPECT_GE(trip.time, Milliseconds(low_ms)) << "seed " << seed;
      EXPECT_LE(trip.time, Milliseconds(3 * high_ms)) << "seed " << seed;
      EXPECT_LE(trip.time, Milliseconds(high_ms * 1.001)) << "seed " << seed << ": not the median";
    }
  }
}

}  // namespace
}  // namespace ringway::router
