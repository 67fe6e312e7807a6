#include "sim/arrivals.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ringway::sim {
namespace {

int CountUntil(ArrivalStream& stream, double end_s) {
  int count = 0;
  while (stream.Next() < end_s) ++count;
  return count;
}

TEST(ArrivalsTest, LawsKeepTheirMeanRate) {
  const std::vector<ArrivalLaw> laws = {
      PoissonArrivals{.rate_rps = 20},
      MmppArrivals{.calm_rps = 10, .burst_rps = 100, .calm_mean_s = 9, .burst_mean_s = 1},
      DayCurveArrivals{.mean_rps = 20, .swing = 0.9, .day_s = 1000},
  };
  for (const ArrivalLaw& law : laws) {
    ArrivalStream stream(law, 7, 1);
    // 100 compressed days. The MMPP has the widest spread, about 1 % of the mean over this time.
    EXPECT_NEAR(CountUntil(stream, 100000) / 100000.0, MeanRateRps(law), 0.04 * MeanRateRps(law))
        << law.index();
  }
}

TEST(ArrivalsTest, MmppIsBurstier) {
  ArrivalStream stream(MmppArrivals{.calm_rps = 10, .burst_rps = 100, .calm_mean_s = 9, .burst_mean_s = 1}, 3,
                       1);
  double last = 0, sum = 0, squares = 0;
  constexpr int kGaps = 100000;
  for (int i = 0; i < kGaps; ++i) {
    const double at = stream.Next();
    sum += at - last;
    squares += (at - last) * (at - last);
    last = at;
  }
  const double mean = sum / kGaps;
  const double cv = std::sqrt(squares / kGaps - mean * mean) / mean;
  EXPECT_GT(cv, 1.3);  // 1 for Poisson
}

TEST(ArrivalsTest, DayCurvePeaksAtTheLocalHour) {
  DayCurveArrivals law{
      .mean_rps = 100, .swing = 0.8, .peak_local_hour = 20, .utc_offset_minutes = 120, .day_s = 24};
  ArrivalStream stream(law, 1, 1);
  std::vector<int> by_hour(24);
  for (double at = stream.Next(); at < 240; at = stream.Next())
    ++by_hour[static_cast<int>(std::fmod(at, 24))];
  // 20:00 local time is 18:00 UTC; 06:00 UTC is the low.
  EXPECT_GT(by_hour[18], 4 * by_hour[6]);
}

TEST(ArrivalsTest, ATraceIsReplayedScaledAndRepeated) {
  auto offsets = std::make_shared<std::vector<double>>(std::vector<double>{0, 1, 1, 5});
  ArrivalStream once(TraceArrivals{.offsets_s = offsets}, 1, 1);
  for (const double expected : *offsets) EXPECT_EQ(once.Next(), expected);
  EXPECT_EQ(once.Next(), std::numeric_limits<double>::infinity());

  ArrivalStream doubled(TraceArrivals{.offsets_s = offsets, .scale = 2}, 1, 1);
  for (const double expected : {0., 0., 1., 1., 1., 1., 5., 5.}) EXPECT_EQ(doubled.Next(), expected);

  ArrivalStream repeated(TraceArrivals{.offsets_s = offsets, .length_s = 10}, 1, 1);
  for (const double expected : {0., 1., 1., 5., 10., 11., 11., 15., 20.})
    EXPECT_EQ(repeated.Next(), expected);

  ArrivalStream thinned(TraceArrivals{.offsets_s = offsets, .scale = 0.25, .length_s = 10}, 1, 1);
  EXPECT_NEAR(CountUntil(thinned, 100000), 10000, 400);
}

TEST(ArrivalsTest, AFactorChangesTheRateFromItsTimeOn) {
  ArrivalStream stream(PoissonArrivals{.rate_rps = 10}, 1, 1);
  EXPECT_NEAR(CountUntil(stream, 1000), 10000, 400);
  stream.SetFactor(1000, 3);
  EXPECT_NEAR(CountUntil(stream, 2000), 30000, 700);
  stream.SetFactor(2000, 0);
  EXPECT_EQ(stream.Next(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ringway::sim
