// The two questions of a canary: how seldom they cry wolf, and how soon they find harm.
#include "controller/canary/evidence.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/rng.h"

namespace ringway::canary {
namespace {

constexpr int kWindows = 600;

struct Luck {
  double chosen = 0;  // probability that a job is lost
  double rest = 0;
};

struct World {
  double before = 0;
  std::function<Luck(int window, int region)> luck;
  int regions = 4;
  double jobs = 20;    // a window and region
  double share = 0.1;  // of the jobs at chosen routers
  int burst = 1;       // jobs that have one luck
};

JobCount Draw(Rng& rng, double mean, double lost, int burst) {
  JobCount jobs;
  const auto groups = static_cast<int>(mean / burst + rng.Uniform());
  for (int i = 0; i < groups; ++i) {
    const bool bad = rng.Chance(lost);
    (bad ? jobs.lost : jobs.done) += burst;
  }
  return jobs;
}

struct Found {
  int worse = -1;  // window of the first alarm; -1: none
  int fell = -1;
  Evidence evidence;
};

Found Live(const World& world, double bar, std::uint64_t seed) {
  Rng rng(seed);
  Found found;
  found.evidence.CountBefore(Draw(rng, 60 * world.jobs * world.regions, world.before, world.burst));
  for (int window = 0; window < kWindows; ++window) {
    for (int region = 0; region < world.regions; ++region) {
      const Luck luck = world.luck(window, region);
      const std::string name(1, static_cast<char>('a' + region));
      found.evidence.Count(name, true, Draw(rng, world.jobs * world.share, luck.chosen, world.burst));
      found.evidence.Count(name, false, Draw(rng, world.jobs * (1 - world.share), luck.rest, world.burst));
    }
    found.evidence.CloseWindow(1);
    if (found.worse < 0 && found.evidence.ChosenAreWorse(bar)) found.worse = window;
    if (found.fell < 0 && found.evidence.TierFell(bar)) found.fell = window;
  }
  return found;
}

struct Alarms {
  int worse = 0;
  int fell = 0;
};

// At an error of one in a hundred, so that few lives show what many would at one in ten thousand.
Alarms FalseAlarms(const World& world, int lives) {
  Alarms alarms;
  for (int seed = 1; seed <= lives; ++seed) {
    const Found found = Live(world, kWindows / 0.01, static_cast<std::uint64_t>(seed));
    alarms.worse += found.worse >= 0;
    alarms.fell += found.fell >= 0;
  }
  return alarms;
}

constexpr int kLives = 300;
constexpr int kAllowed = 9;  // of 3 expected at the most, the 99.9 % point

TEST(EvidenceTest, TheSameLuckRevertsNothing) {
  for (const double lost : {0.0005, 0.02, 0.3}) {
    const Alarms alarms = FalseAlarms({.before = lost,
                                       .luck =
                                           [&](int, int) {
                                             return Luck{lost, lost};
                                           }},
                                      kLives);
    EXPECT_LE(alarms.worse, kAllowed) << lost;
    EXPECT_LE(alarms.fell, kAllowed) << lost;
  }
}

TEST(EvidenceTest, BurstsAndOtherSharesRevertNothing) {
  for (const double share : {0.05, 0.5}) {
    const World world{.before = 0.05,
                      .luck =
                          [](int, int) {
                            return Luck{0.05, 0.05};
                          },
                      .share = share,
                      .burst = 3};
    const Alarms alarms = FalseAlarms(world, kLives);
    EXPECT_LE(alarms.worse, kAllowed) << share;
    EXPECT_LE(alarms.fell, kAllowed) << share;
  }
}

// A region that is overloaded for a while, and one that always is, hit both groups alike: pooled over regions
// and times the chosen ones would look worse.
TEST(EvidenceTest, LuckOfPlacesAndTimesIsNotThatOfTheChosen) {
  const World world{.before = 0.1,
                    .luck =
                        [](int window, int region) {
                          const double lost = region == 0 ? 0.4 : (window % 100 < 50 ? 0.0 : 0.1);
                          return Luck{lost, lost};
                        },
                    .share = 0.3};
  EXPECT_LE(FalseAlarms(world, kLives).worse, kAllowed);
}

TEST(EvidenceTest, ALossOfTheChosenIsFoundSoon) {
  struct Case {
    Luck luck;
    int windows;
  };
  const double bar = kWindows * 2 / 1e-4;
  for (const auto& [luck, windows] : {Case{{0.5, 0}, 15}, Case{{0.2, 0}, 40}, Case{{0.2, 0.02}, 90},
                                      Case{{0.05, 0}, 150}, Case{{0.9, 0.3}, 40}}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Luck here = luck;
      const Found found = Live({.before = luck.rest, .luck = [here](int, int) { return here; }}, bar, seed);
      EXPECT_GE(found.worse, 0) << luck.chosen << " and " << luck.rest << ", seed " << seed;
      EXPECT_LE(found.worse, windows) << luck.chosen << " and " << luck.rest << ", seed " << seed;
    }
  }
}

// Hours without harm are no credit for it.
TEST(EvidenceTest, HarmThatBeginsInTheMiddleIsFoundAsSoon) {
  const auto late = [](int window, int) { return window < 500 ? Luck{0, 0} : Luck{0.3, 0.02}; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = Live({.before = 0, .luck = late}, kWindows * 2 / 1e-4, seed);
    EXPECT_GE(found.worse, 500);
    EXPECT_LE(found.worse, 560) << seed;
  }
}

TEST(EvidenceTest, HarmToBothGroupsIsFoundByTheTier) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Found found = Live({.before = 0.01,
                              .luck =
                                  [](int, int) {
                                    return Luck{0.15, 0.15};
                                  }},
                             kWindows * 2 / 1e-4, seed);
    EXPECT_LT(found.worse, 0) << "neither group is worse than the other";
    EXPECT_GE(found.fell, 0);
    EXPECT_LE(found.fell, 20) << seed;
  }
}

TEST(EvidenceTest, TooLittleToMatterIsNoHarm) {
  // Three in a thousand and none: certain after a day, and less than what routers differ by.
  const World world{.before = 0.001, .luck = [](int, int) { return Luck{0.003, 0}; }, .jobs = 2000};
  const Found found = Live(world, kWindows * 2 / 1e-4, 1);
  EXPECT_LT(found.worse, 0);
  EXPECT_GT(found.evidence.state().worse[0], 1e9) << "the ratio alone would revert";
}

// Nothing is compared where one group is silent, and nothing is lost of what waits.
TEST(EvidenceTest, ARegionWaitsForBothGroups) {
  Evidence evidence;
  evidence.Count("a", true, {.done = 5, .lost = 5});
  evidence.CloseWindow(1);
  EXPECT_EQ(evidence.state().chosen.ended(), 0);
  evidence.Count("b", false, {.done = 5, .lost = 0});
  evidence.CloseWindow(0);
  EXPECT_EQ(evidence.state().rest.ended(), 0) << "other regions are not compared with";
  evidence.Count("a", false, {.done = 30, .lost = 0});
  evidence.CloseWindow(1);
  EXPECT_EQ(evidence.state().chosen, (JobCount{5, 5}));
  EXPECT_EQ(evidence.state().rest, (JobCount{30, 0}));
  EXPECT_DOUBLE_EQ(evidence.state().expected_lost, 5 * 10.0 / 40);
  EXPECT_EQ(evidence.state().judged_s, 2);
}

TEST(EvidenceTest, WhatWasLostBeforeIsBoundedFromAbove) {
  Evidence few, many;
  few.CountBefore({.done = 100, .lost = 0});
  many.CountBefore({.done = 9900, .lost = 100});
  EXPECT_GT(few.LostBefore(), 0.05);
  EXPECT_LT(few.LostBefore(), 0.1);
  EXPECT_GT(many.LostBefore(), 0.012);
  EXPECT_LT(many.LostBefore(), 0.015);
}

}  // namespace
}  // namespace ringway::canary
