// Thousands of random histories of keyed jobs (once_history.h), and that the histories can tell.
#include <gtest/gtest.h>

#include "tests/once/once_history.h"

namespace ringway::router::once {
namespace {

TEST(OnceProperties, OneCompletionAndOneRunAtATimeForAnyHistory) {
  HistoryCounts all;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed, 1);
    HistorySettings settings;
    settings.routers = 1 + rng.Below(6);
    settings.keys = 1 + rng.Below(6);
    settings.loss = rng.Chance(0.3) ? 0 : rng.Uniform() * 0.15;
    settings.repeat = rng.Uniform() * 0.3;
    settings.late = rng.Uniform() * 0.1;
    settings.death_rate = rng.Uniform();
    settings.view_rate = rng.Chance(0.4) ? 0 : rng.Uniform();
    settings.cut_rate = rng.Chance(0.5) ? 0 : rng.Uniform() * 0.4;
    History history(seed, settings);
    ASSERT_EQ(history.Run(Seconds(6)), "") << "seed " << seed << ", routers " << settings.routers;
    all.requests += history.counts().requests;
    all.delivered += history.counts().delivered;
    all.answered += history.counts().answered;
    all.refused += history.counts().refused;
    all.deaths += history.counts().deaths;
    all.views += history.counts().views;
  }
  std::printf(
      "%zu requests: %zu ran and were delivered, %zu answered from records, %zu refused; %zu routers died, "
      "%zu "
      "views\n",
      all.requests, all.delivered, all.answered, all.refused, all.deaths, all.views);
  EXPECT_GT(all.delivered, 5000u);
  EXPECT_GT(all.answered, 5000u);
  EXPECT_GT(all.deaths, 500u);
  EXPECT_GT(all.views, 2000u);
}

// The quorums of three replicas change from one second to the next, and keys that are new: an end that one
// replica has alone is met by claims that never heard of it.
TEST(OnceProperties, OneCompletionWherePartsAreCutOffAgainAndAgain) {
  HistoryCounts all;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Rng rng(seed, 2);
    HistorySettings settings;
    settings.routers = 3 + rng.Below(2);
    settings.keys = 1 + rng.Below(11);
    settings.turn = Seconds(1.5 + 2 * rng.Uniform());
    settings.loss = 0.1 + rng.Uniform() * 0.4;
    settings.late = rng.Chance(0.5) ? 0 : rng.Uniform() * 0.2;
    settings.death_rate = rng.Chance(0.7) ? 0 : rng.Uniform();
    settings.view_rate = rng.Chance(0.7) ? 0 : rng.Uniform() * 0.3;
    settings.cut_rate = 1 + 4 * rng.Uniform();
    settings.job_mean = Milliseconds(rng.Chance(0.5) ? 50 : 200);
    settings.deadline = Seconds(0.7 + 2 * rng.Uniform());
    History history(seed, settings);
    ASSERT_EQ(history.Run(Seconds(20)), "") << "seed " << seed << ", routers " << settings.routers;
    all.delivered += history.counts().delivered;
    all.answered += history.counts().answered;
  }
  EXPECT_GT(all.delivered, 10000u);
  EXPECT_GT(all.answered, 10000u);
}

TEST(OnceProperties, WithoutTroubleEveryRequestIsAnswered) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    HistorySettings settings;
    settings.loss = settings.repeat = settings.late = settings.death_rate = 0;
    settings.deadline = Seconds(20);
    History history(seed, settings);
    ASSERT_EQ(history.Run(Seconds(6)), "") << "seed " << seed;
    EXPECT_EQ(history.counts().refused, 0u) << "seed " << seed;
  }
}

// The checks have teeth: delivering before recording is found out.
TEST(OnceProperties, DeliveringBeforeRecordingIsFoundOut) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    HistorySettings settings;
    settings.loss = 0.2;
    settings.death_rate = 1;
    settings.settle_first = false;
    History history(seed, settings);
    found += history.Run(Seconds(6)).empty() ? 0 : 1;
  }
  EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace ringway::router::once
