#include "sim/demand/arrivals.h"

#include <algorithm>
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
      GammaArrivals{.rate_rps = 20, .cv = 2},
      GammaArrivals{.rate_rps = 20, .cv = 0.5},
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

double VariationOfGaps(const ArrivalLaw& law) {
  ArrivalStream stream(law, 3, 1);
  double last = 0, sum = 0, squares = 0;
  constexpr int kGaps = 100000;
  for (int i = 0; i < kGaps; ++i) {
    const double at = stream.Next();
    sum += at - last;
    squares += (at - last) * (at - last);
    last = at;
  }
  const double mean = sum / kGaps;
  return std::sqrt(squares / kGaps - mean * mean) / mean;
}

TEST(ArrivalsTest, MmppIsBurstier) {
  EXPECT_NEAR(VariationOfGaps(PoissonArrivals{.rate_rps = 20}), 1, .02);
  EXPECT_GT(
      VariationOfGaps(MmppArrivals{.calm_rps = 10, .burst_rps = 100, .calm_mean_s = 9, .burst_mean_s = 1}),
      1.3);
}

TEST(ArrivalsTest, GammaGapsVaryAsTheyAreTold) {
  for (const double cv : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(VariationOfGaps(GammaArrivals{.rate_rps = 20, .cv = cv}), cv, .03 * cv);
  }
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

  ArrivalStream repeated(TraceArrivals{.offsets_s = offsets, .length_s = 10}, 1, 1);
  for (const double expected : {0., 1., 1., 5., 10., 11., 11., 15., 20.})
    EXPECT_EQ(repeated.Next(), expected);

  ArrivalStream thinned(TraceArrivals{.offsets_s = offsets, .scale = 0.25, .length_s = 10}, 1, 1);
  EXPECT_NEAR(CountUntil(thinned, 100000), 10000, 400);
}

TEST(ArrivalsTest, CopiesOfATraceAreOtherUsersWhoDoNotComeAtOnce) {
  auto offsets = std::make_shared<std::vector<double>>();
  for (int i = 0; i < 100; ++i) offsets->push_back(30.0 * i);
  const TraceArrivals law{.offsets_s = offsets, .scale = 60, .length_s = 3000};
  ArrivalStream scaled(law, 1, 1);
  std::vector<double> times;
  for (double at_s = scaled.Next(); at_s < 3000; at_s = scaled.Next()) times.push_back(at_s);
  EXPECT_NEAR(static_cast<double>(times.size()), 6000, 60);
  std::size_t together = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    ASSERT_GE(times[i], times[i - 1]);
    together += times[i] == times[i - 1];
  }
  EXPECT_LT(together, 10u) << "of " << times.size();
  // Within the trace's gap no moment is emptier or fuller than chance: a sixth of the copies in each 5 s.
  std::vector<int> by_phase(6);
  for (const double at_s : times) ++by_phase[static_cast<std::size_t>(std::fmod(at_s, 30) / 5)];
  for (const int count : by_phase) EXPECT_NEAR(count, 1000, 120);

  // Two regions that share a trace, each below its rate, do not send one request in the same instant either.
  const TraceArrivals half{.offsets_s = offsets, .scale = 0.9, .length_s = 3000, .shared = true};
  ArrivalStream east(half, 1, 1), west(half, 1, 2);
  std::vector<double> both;
  for (int i = 0; i < 80; ++i) both.insert(both.end(), {east.Next(), west.Next()});
  std::sort(both.begin(), both.end());
  EXPECT_EQ(std::adjacent_find(both.begin(), both.end()), both.end());
}

TEST(ArrivalsTest, AFactorNeitherLosesARecordedRequestNorBringsBackThePast) {
  auto offsets = std::make_shared<std::vector<double>>(std::vector<double>{0, 10, 20, 30, 40});
  ArrivalStream stream(TraceArrivals{.offsets_s = offsets}, 1, 1);
  EXPECT_EQ(stream.Next(), 0);
  EXPECT_EQ(stream.Next(), 10);  // drawn, still to come
  stream.SetFactor(5, 1);
  EXPECT_EQ(stream.Next(), 10);
  stream.SetFactor(12, 0);
  EXPECT_EQ(stream.Next(), std::numeric_limits<double>::infinity());
  stream.SetFactor(25, 1);
  EXPECT_EQ(stream.Next(), 30);
}

TEST(ArrivalsTest, WhatIsKnownOfARequestTravelsWithEachOfItsCopies) {
  auto offsets = std::make_shared<std::vector<double>>();
  auto jobs = std::make_shared<std::vector<RecordedJob>>();
  for (int i = 0; i < 100; ++i) {
    offsets->push_back(10.0 * i);
    jobs->push_back({.service_s = 1.0 + i});
  }
  ArrivalStream copies(TraceArrivals{.offsets_s = offsets, .scale = 3, .length_s = 1000, .jobs = jobs}, 1, 1);
  std::vector<int> sent(100);
  for (double at_s = copies.Next(); at_s < 900; at_s = copies.Next()) {
    ASSERT_NE(copies.recorded(), nullptr);
    const double recorded_at_s = 10 * (copies.recorded()->service_s - 1);
    EXPECT_LE(std::abs(at_s - recorded_at_s), 10) << "moved by more than the mean gap";
    ++sent[static_cast<std::size_t>(copies.recorded()->service_s - 1)];
  }
  for (int i = 1; i < 88; ++i) EXPECT_EQ(sent[static_cast<std::size_t>(i)], 3) << i;

  ArrivalStream once(TraceArrivals{.offsets_s = offsets, .jobs = jobs}, 1, 1);
  EXPECT_EQ(once.Next(), 0);
  EXPECT_EQ(once.Next(), 10);
  once.SetFactor(5, 1);
  EXPECT_EQ(once.Next(), 10);
  EXPECT_EQ(once.recorded()->service_s, 2);
  ArrivalStream poisson(PoissonArrivals{}, 1, 1);
  poisson.Next();
  EXPECT_EQ(poisson.recorded(), nullptr);
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
