// Rates that stand until counts refute them: how often they move at rest, how soon they answer a change, and
// what they are worth afterwards.
#include "controller/planner/held.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

// Arrivals with gaps of a given variation, counted second by second.
class Arrivals {
 public:
  Arrivals(std::uint64_t seed, double cv) : rng_(seed), cv_(cv) {}
  double Count(double rate, double seconds) {
    now_ += seconds;
    double count = 0;
    for (; next_ <= now_; ++count) next_ += std::max(1e-9, rng_.Gamma(1, cv_)) / rate;
    return count;
  }

 private:
  Rng rng_;
  double cv_;
  double now_ = 0;
  double next_ = 0;
};

constexpr double kRates[] = {0.1, 0.5, 2, 10, 50};

int ChangesAtRest(double rate, double cv, std::uint64_t seed, double report_s) {
  Held held({});
  Arrivals arrivals(seed, cv);
  int changes = 0;
  for (double at = 0; at < 7500; at += report_s) {
    const bool changed = held.Add(report_s, arrivals.Count(rate, report_s), report_s);
    if (at > 320) changes += changed;
  }
  EXPECT_NEAR(held.rate(), rate, 5 * std::sqrt(held.dispersion() * rate / 256) + 0.35 * rate);
  return changes;
}

TEST(Held, StandsBitForBitWhileNothingHappens) {
  for (const double report_s : {1.0, 5.0, 15.0}) {
    for (const double cv : {1.0, 2.0}) {
      int changes = 0, hours = 0;
      for (const double rate : kRates) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) changes += ChangesAtRest(rate, cv, seed, report_s);
        hours += 12;
      }
      std::printf("reports of %2.0f s, CV %.0f: %d changes in %d hours of single rates\n", report_s, cv,
                  changes, hours);
      EXPECT_LE(changes, (cv > 1 ? 0.5 : 0.3) * hours)
          << "after the five minutes in which it is measured anew";
    }
  }
}

TEST(Held, AnswersAStepAsSoonAsCountsCanTellIt) {
  struct Step {
    double rate, factor;
    double within_s;
  };
  for (const Step& step : {Step{100, 1.8, 2}, Step{20, 1.8, 5}, Step{2, 1.8, 60}, Step{2, 4, 10},
                           Step{100, 0.5, 3}, Step{2, 0, 20}, Step{20, 0, 3}}) {
    SCOPED_TRACE(testing::Message() << step.rate << " x " << step.factor);
    std::vector<double> took;
    for (std::uint64_t seed = 1; seed <= 21; ++seed) {
      Held held({});
      Arrivals arrivals(seed, 1);
      for (int s = 0; s < 400; ++s) held.Add(1, arrivals.Count(step.rate, 1), 1);
      const double truth = step.rate * step.factor;
      Rng rng(seed, 2);
      int s = 0;
      for (; s < 300; ++s) {
        double count = 0;
        for (double at = truth > 0 ? rng.Exponential() / truth : 2; at < 1; at += rng.Exponential() / truth)
          ++count;
        held.Add(1, count, 1);
        if (std::abs(held.rate() - truth) <= 0.25 * std::max(truth, 0.1 * step.rate)) break;
      }
      took.push_back(s + 1);
    }
    std::sort(took.begin(), took.end());
    EXPECT_LE(took[10], step.within_s) << "the median of 21";
    EXPECT_LE(took[19], 3 * step.within_s + 5);
  }
}

TEST(Held, MeasuresAnewAfterAChangeAndThenStands) {
  Held held({});
  Arrivals before(1, 1), after(2, 1);
  for (int s = 0; s < 300; ++s) held.Add(1, before.Count(20, 1), 1);
  int changes = 0;
  for (int s = 0; s < 300; ++s) changes += held.Add(1, after.Count(40, 1), 1);
  EXPECT_GE(changes, 1);
  EXPECT_LE(changes, 10) << "once for the step, at most eight times to measure, and one for luck";
  EXPECT_NEAR(held.rate(), 40, 3 * std::sqrt(40.0 / 100));
}

TEST(Held, APriorIsWorthItsEvents) {
  Held held({.dispersed = false, .prior_events = 16, .prior_rate = 0.2});
  EXPECT_EQ(held.rate(), 0.2);
  // Two busy seconds in which nothing ended say little.
  for (int s = 0; s < 4; ++s) held.Add(1, 0, 0.5);
  EXPECT_NEAR(held.rate(), 0.2, 0.02);
  // Many that say another thing say it.
  Arrivals ends(3, 1);
  for (int s = 0; s < 300; ++s) held.Add(1, ends.Count(0.1 * 10, 1), 10);
  EXPECT_NEAR(held.rate(), 0.1, 0.02);
  EXPECT_LT(held.StandardError(), 0.02);
}

// Workers that became half as fast: busy as before, and ever fewer jobs end. The rate must not wait for them.
TEST(Held, SlownessShowsBeforeTheSlowJobsEnd) {
  Held held({.dispersed = false, .prior_events = 16, .prior_rate = 0.2});
  Arrivals ends(3, 1);
  for (int s = 0; s < 300; ++s) held.Add(1, ends.Count(0.2 * 30, 1), 30);
  int seconds = 0;
  for (; seconds < 60 && held.rate() > 0.13; ++seconds) held.Add(1, ends.Count(0.1 * 30, 1), 30);
  EXPECT_LE(seconds, 25);
}

TEST(Held, AFewEventsAreNoRateAndManyAre) {
  Held held({});
  for (int s = 0; s < 100; ++s) held.Add(1, 0, 1);
  held.Add(1, 1, 1);
  EXPECT_EQ(held.rate(), 0);
  held.Add(1, 30, 1);
  EXPECT_GT(held.rate(), 5);
}

TEST(Held, ShortReportsArePutTogetherAndStateIsAllThereIs) {
  Held held({}), copy({});
  Arrivals arrivals(5, 2);
  for (int s = 0; s < 2000; ++s) held.Add(0.3, arrivals.Count(9, 0.3), 0.3);
  copy.Restore(held.state());
  Rng rng(4);
  for (int s = 0; s < 2000; ++s) {
    const double count = static_cast<double>(rng.Below(12));
    ASSERT_EQ(held.Add(0.3, count, 0.3), copy.Add(0.3, count, 0.3));
    ASSERT_EQ(held.rate(), copy.rate());
  }
  EXPECT_EQ(held.dispersion(), copy.dispersion());
}

// Under bursts the ratio would alarm all the time if counts were taken for Poisson's.
TEST(Held, DispersionIsMeasuredAndAStepDoesNotSpoilIt) {
  Held bursts({}), stepped({});
  Arrivals uneven(7, 2), even(8, 1);
  for (int s = 0; s < 3000; ++s) bursts.Add(1, uneven.Count(20, 1), 1);
  for (int s = 0; s < 3000; ++s) stepped.Add(1, even.Count(s < 1500 || s > 1600 ? 20 : 60, 1), 1);
  EXPECT_GT(bursts.dispersion(), 2);
  EXPECT_LT(stepped.dispersion(), 2);
}

}  // namespace
}  // namespace ringway::planner
