// The ways to forecast, and which of them is believed.
#include "controller/scale/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/rng.h"
#include "tests/scale/scaled_fleet.h"

namespace ringway::scale {
namespace {

constexpr double kAheadS = 600;
constexpr double kBin = static_cast<double>(DemandHistory::kBinS);
double Get(const PerWay<double>& forecast, Way way) { return forecast[static_cast<std::size_t>(way)]; }

struct Lived {
  DemandHistory history;
  double now_s = 0;
  void Run(double from_s, double to_s, const std::function<double(double)>& rps) {
    for (now_s = from_s; now_s < to_s; now_s += 5) {
      history.Add(UnixEpoch() + Seconds(now_s), 5, 5 * rps(now_s));
    }
  }
  PerWay<double> Ahead(double held_rps) const {
    return Foretell(history, held_rps, UnixEpoch() + Seconds(now_s), Seconds(kAheadS));
  }
};

TEST(ForetellTest, WithoutAPastTheHeldRateIsAllThatIsKnown) {
  EXPECT_EQ(Lived().Ahead(3), (PerWay<double>{3, 3, 3, 3}));
}

TEST(ForetellTest, WhatStandsStillStays) {
  Lived lived;
  lived.Run(0, 86400 * 1.5, [](double) { return 4.0; });
  for (const double rps : lived.Ahead(4.1)) EXPECT_NEAR(rps, 4, 0.01);
}

// A request in half a minute: the counts of six minutes scatter by a third, those of thirty by an eighth.
TEST(ForetellTest, FewRequestsAreBetterForetoldByHalfAnHour) {
  Lived lived;
  Rng rng(5);
  double now_off = 0, steady_off = 0;
  for (int hour = 0; hour < 100; ++hour) {
    lived.Run(hour * 3600, (hour + 1) * 3600, [&](double) { return Poisson(rng, 5.0 / 30) / 5.0; });
    const PerWay<double> ahead = lived.Ahead(1.0 / 30);
    now_off += std::pow(Get(ahead, Way::kNow) - 1.0 / 30, 2);
    steady_off += std::pow(Get(ahead, Way::kSteady) - 1.0 / 30, 2);
  }
  EXPECT_LT(steady_off, now_off / 2);
}

TEST(ForetellTest, TheTrendGoesOn) {
  Lived lived;
  const auto ramp = [](double s) { return 2 + s / 3600; };
  lived.Run(0, 2 * 3600, ramp);
  EXPECT_NEAR(Get(lived.Ahead(4), Way::kTrend), ramp(lived.now_s + kAheadS), 0.05);
  EXPECT_NEAR(Get(lived.Ahead(4), Way::kDay), Get(lived.Ahead(4), Way::kNow), 1e-12)
      << "there is no yesterday";
}

TEST(ForetellTest, YesterdayScaledByTodaysLevel) {
  Lived lived;
  // Every day at 12:10 demand doubles within two minutes; today it is half as much again.
  const auto day = [](double s) {
    const double of_day = std::fmod(s, 86400);
    return (of_day < 43200 + 600 ? 3.0 : 6.0) * (s < 86400 ? 1 : 1.5);
  };
  lived.Run(0, 86400 + 43200 + 360, day);
  EXPECT_NEAR(Get(lived.Ahead(4.5), Way::kDay), 9, 0.1);
  EXPECT_NEAR(Get(lived.Ahead(4.5), Way::kTrend), 4.5, 0.1);
}

TEST(ForetellTest, AStepIsTakenForWhatItIs) {
  Lived lived;
  lived.Run(0, 7200, [](double) { return 3.0; });
  for (const double rps : lived.Ahead(9)) EXPECT_EQ(rps, 9) << "the held rate saw it before the bins did";
}

TEST(ForecastErrorsTest, TheBestWayIsFoundAndItsErrorMeasured) {
  ForecastErrors errors;
  Rng rng(3);
  // `trend` is right up to Poisson's scatter of a bin, the others are a fifth too low.
  for (std::int64_t bin = 10; bin < 400; ++bin) {
    errors.Foretold(bin + 5, {8, 8, 10, 8});
    errors.Came(bin, Poisson(rng, 10 * kBin) / kBin);
  }
  EXPECT_EQ(errors.best(), Way::kTrend);
  // A variance that is measured over some 180 bins is known to a tenth; what is left of the scatter's is
  // small.
  EXPECT_LT(errors.Deviation(10), 0.15);
}

TEST(ForecastErrorsTest, DemandThatScattersMoreThanPoissonBuysMargin) {
  ForecastErrors errors;
  Rng rng(3);
  for (std::int64_t bin = 10; bin < 700; ++bin) {
    errors.Foretold(bin + 1, {10, 10, 10, 10});
    errors.Came(bin, 10 + 2 * rng.Normal());
  }
  EXPECT_NEAR(errors.Deviation(10), 2, 0.35);
  // In units of demand: four times as much has twice the deviation.
  EXPECT_NEAR(errors.Deviation(40), 2 * errors.Deviation(10), 1e-9);
}

TEST(ForecastErrorsTest, OneSpikeIsNoReasonToFearSpikesAllDay) {
  ForecastErrors errors;
  Rng rng(3);
  for (std::int64_t bin = 10; bin < 200; ++bin) {
    errors.Foretold(bin + 1, {10, 10, 10, 10});
    errors.Came(bin, bin == 199 ? 100 : 10 + 0.5 * rng.Normal());
  }
  EXPECT_LT(errors.Deviation(10), 1);
}

TEST(ForecastErrorsTest, BinsThatAreNotKnownTeachNothing) {
  ForecastErrors errors;
  const double before = errors.Deviation(10);
  for (std::int64_t bin = 10; bin < 200; ++bin) {
    errors.Foretold(bin + 1, {10, 10, 10, 10});
    errors.Came(bin, std::nullopt);
  }
  EXPECT_EQ(errors.Deviation(10), before);
}

}  // namespace
}  // namespace ringway::scale
