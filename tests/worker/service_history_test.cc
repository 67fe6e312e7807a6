#include "worker/service_history.h"

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(ServiceHistoryTest, StartsAtThePriorAndMovesTowardsWhatIsMeasured) {
  ServiceHistory history(absl::Seconds(2));
  EXPECT_EQ(history.Remaining(absl::ZeroDuration(), 0, 0), absl::Seconds(2));
  for (int i = 0; i < 50; ++i) history.Add(absl::Seconds(4));
  EXPECT_NEAR(absl::ToDoubleSeconds(history.mean()), 4, 0.01);
}

TEST(ServiceHistoryTest, ProgressBeatsTheMean) {
  const ServiceHistory history(absl::Seconds(2));
  EXPECT_EQ(history.Remaining(absl::Seconds(3), 3, 12), absl::Seconds(9));
  EXPECT_EQ(history.Remaining(absl::Seconds(1), 0, 12), absl::Seconds(1));
}

TEST(ServiceHistoryTest, AJobThatOutlivesTheMeanNeverInvitesAnInstantRetry) {
  const ServiceHistory history(absl::Seconds(2));
  EXPECT_EQ(history.Remaining(absl::Seconds(60), 0, 0), absl::Milliseconds(100));
  EXPECT_EQ(history.Remaining(absl::Seconds(60), 8, 8), absl::Milliseconds(100));
}

TEST(ServiceHistoryTest, NonsenseTeachesNothing) {
  ServiceHistory history(absl::Seconds(2));
  history.Add(absl::ZeroDuration());
  history.Add(-absl::Seconds(5));
  history.Add(absl::InfiniteDuration());
  EXPECT_EQ(history.mean(), absl::Seconds(2));
}

}  // namespace
}  // namespace ringway
