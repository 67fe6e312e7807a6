#include "router/dispatch/service_estimate.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace ringway::dispatch {
namespace {

constexpr CostHint kSilent;

TEST(ServiceEstimate, ThePriorStandsUntilSomethingIsMeasured) {
  const ServiceEstimate estimate(Seconds(5));
  EXPECT_EQ(estimate.Expect(kSilent), Seconds(5));
  EXPECT_EQ(estimate.Expect({.steps = 30, .pixels = 512 * 512, .frames = 16}), Seconds(5));
}

TEST(ServiceEstimate, FollowsWhatIsMeasured) {
  ServiceEstimate estimate(Seconds(5));
  for (int i = 0; i < 400; ++i) estimate.Learn(kSilent, Seconds(8));
  EXPECT_NEAR(ToDoubleSeconds(estimate.Expect(kSilent)), 8, 0.01);
}

TEST(ServiceEstimate, CostScalesTheEstimate) {
  ServiceEstimate estimate(Seconds(5));
  const CostHint full{.steps = 32, .pixels = 1000, .frames = 16};
  const CostHint quarter{.steps = 8, .pixels = 1000, .frames = 16};
  for (int i = 0; i < 400; ++i) estimate.Learn(full, Seconds(8));
  EXPECT_NEAR(ToDoubleSeconds(estimate.Expect(full)), 8, 0.01);
  EXPECT_NEAR(ToDoubleSeconds(estimate.Expect(quarter)), 2, 0.01);
}

TEST(ServiceEstimate, ThreeJobsInFourStayWithin) {
  for (const double cv : {0.0, 0.3, 0.5, 1.0}) {
    Rng rng(3);
    ServiceEstimate estimate(Seconds(2));
    EXPECT_EQ(estimate.Within(kSilent), Seconds(2));
    const auto draw = [&] { return Seconds(cv > 0 ? rng.LogNormal(2, cv) : 2.0); };
    for (int i = 0; i < 2000; ++i) estimate.Learn(kSilent, draw());
    int within = 0;
    for (int i = 0; i < 4000; ++i) {
      const Duration service = draw();
      estimate.Learn(kSilent, service);
      within += service <= estimate.Within(kSilent) + Microseconds(1) ? 1 : 0;
    }
    if (cv == 0) {
      EXPECT_NEAR(ToDoubleSeconds(estimate.Within(kSilent)), 2, 1e-6);
    } else {
      EXPECT_NEAR(within / 4000.0, 0.75, 0.04) << "CV " << cv;
    }
  }
}

TEST(ServiceEstimate, StrangeJobsCannotCarryItAway) {
  ServiceEstimate estimate(Seconds(5));
  for (int i = 0; i < 2000; ++i) estimate.Learn(kSilent, Hours(10));
  EXPECT_EQ(estimate.Expect(kSilent), Seconds(25));
  for (int i = 0; i < 2000; ++i) estimate.Learn(kSilent, Microseconds(1));
  EXPECT_EQ(estimate.Expect(kSilent), Seconds(1));
  estimate.Learn(kSilent, ZeroDuration());
  estimate.Learn(kSilent, -Seconds(3));
  EXPECT_EQ(estimate.Expect(kSilent), Seconds(1));
  estimate.Reconfigure(Seconds(50));
  EXPECT_EQ(estimate.Expect(kSilent), Seconds(10));
}

}  // namespace
}  // namespace ringway::dispatch
