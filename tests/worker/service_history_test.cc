#include "worker/service_history.h"

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(ServiceHistoryTest, StartsAtThePriorAndMovesTowardsWhatIsMeasured) {
  ServiceHistory history(Seconds(2));
  EXPECT_EQ(history.Remaining(ZeroDuration(), 0, 0), Seconds(2));
  for (int i = 0; i < 50; ++i) history.Add(Seconds(4));
  EXPECT_NEAR(ToDoubleSeconds(history.mean()), 4, 0.01);
}

TEST(ServiceHistoryTest, ProgressBeatsTheMean) {
  const ServiceHistory history(Seconds(2));
  EXPECT_EQ(history.Remaining(Seconds(3), 3, 12), Seconds(9));
  EXPECT_EQ(history.Remaining(Seconds(1), 0, 12), Seconds(1));
}

TEST(ServiceHistoryTest, AJobThatOutlivesTheMeanNeverInvitesAnInstantRetry) {
  const ServiceHistory history(Seconds(2));
  EXPECT_EQ(history.Remaining(Seconds(60), 0, 0), Milliseconds(100));
  EXPECT_EQ(history.Remaining(Seconds(60), 8, 8), Milliseconds(100));
}

TEST(ServiceHistoryTest, NonsenseTeachesNothing) {
  ServiceHistory history(Seconds(2));
  history.Add(ZeroDuration());
  history.Add(-Seconds(5));
  history.Add(InfiniteDuration());
  EXPECT_EQ(history.mean(), Seconds(2));
}

}  // namespace
}  // namespace ringway
