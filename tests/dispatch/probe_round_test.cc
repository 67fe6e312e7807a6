#include "router/dispatch/probe_round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "router/dispatch/idle_hints.h"

namespace ringway::dispatch {
namespace {

const Time kNow = FromUnixSeconds(1000);
const TierId kTier(0);

WorkerView Region(std::size_t workers, std::size_t local) {
  WorkerView view;
  for (std::size_t i = 0; i < workers; ++i) view.List(WorkerId(i), kTier, i < local);
  return view;
}

TEST(IdleHints, UsedOnceAndAgedOut) {
  IdleHints hints;
  Rng rng(1);
  hints.Add(WorkerId(3), kNow);
  hints.Add(WorkerId(3), kNow);
  EXPECT_EQ(hints.Take(kNow, rng), WorkerId(3));
  EXPECT_FALSE(hints.Take(kNow, rng).valid());
  hints.Add(WorkerId(4), kNow);
  EXPECT_FALSE(hints.Take(kNow + IdleHints::kAgeMax + Milliseconds(1), rng).valid());
  EXPECT_EQ(hints.size(), 0u);
}

TEST(IdleHints, BoundedTheOldestMakesRoom) {
  IdleHints hints;
  Rng rng(1);
  for (std::size_t i = 0; i < 200; ++i) hints.Add(WorkerId(i), kNow + Milliseconds(i));
  EXPECT_EQ(hints.size(), IdleHints::kHintsMax);
  for (std::size_t i = 0; i < IdleHints::kHintsMax; ++i) {
    EXPECT_GE(hints.Take(kNow + Milliseconds(200), rng).value(), 200 - IdleHints::kHintsMax);
  }
}

TEST(ProbeRound, BesideFirstThenHinted) {
  WorkerView view = Region(50, 2);
  view.Hear(WorkerId(40), {.state = WorkerState::kIdle}, kNow);
  Rng rng(1);
  std::vector<WorkerId> round;
  ChooseRound(view, kTier, 4, kNow, rng, round);
  ASSERT_EQ(round.size(), 4u);
  EXPECT_EQ(round[0], WorkerId(0));
  EXPECT_EQ(round[1], WorkerId(1));
  EXPECT_EQ(round[2], WorkerId(40));
  ChooseRound(view, kTier, 3, kNow, rng, round);
  EXPECT_EQ(view.hints(kTier).size(), 0u) << "a hint is used once";
}

TEST(ProbeRound, KnownBusyComeLastButCome) {
  WorkerView view = Region(4, 1);
  view.Hear(WorkerId(0), {.state = WorkerState::kBusy}, kNow);
  view.Hear(WorkerId(2), {.state = WorkerState::kBusy}, kNow);
  Rng rng(2);
  std::vector<WorkerId> round;
  for (int i = 0; i < 50; ++i) {
    ChooseRound(view, kTier, 4, kNow, rng, round);
    ASSERT_EQ(round.size(), 4u);
    EXPECT_TRUE(round[0] == WorkerId(1) || round[0] == WorkerId(3));
    EXPECT_TRUE(round[1] == WorkerId(1) || round[1] == WorkerId(3));
  }
}

TEST(ProbeRound, NobodyOpen) {
  WorkerView view = Region(2, 1);
  view.Claim(WorkerId(0), 1);
  view.Claim(WorkerId(1), 2);
  Rng rng(1);
  std::vector<WorkerId> round = {WorkerId(7)};
  ChooseRound(view, kTier, 4, kNow, rng, round);
  EXPECT_TRUE(round.empty());
  ChooseRound(view, TierId(5), 4, kNow, rng, round);
  EXPECT_TRUE(round.empty());
}

TEST(ProbeRound, DistinctOpenAndUniform) {
  Rng rng(11);
  for (int round_no = 0; round_no < 500; ++round_no) {
    const std::size_t workers = 1 + rng.Below(40);
    WorkerView view = Region(workers, rng.Below(3));
    for (std::size_t i = 0; i < workers; ++i) {
      if (rng.Chance(0.4)) view.Claim(WorkerId(i), 1 + i);
    }
    const std::size_t width = 1 + rng.Below(8);
    std::vector<WorkerId> round;
    ChooseRound(view, kTier, width, kNow, rng, round);
    EXPECT_EQ(round.size(), std::min(width, view.open_workers(kTier).size()));
    for (const WorkerId w : round) {
      EXPECT_TRUE(view.open(w));
      EXPECT_EQ(std::count(round.begin(), round.end(), w), 1);
    }
  }
  WorkerView view = Region(10, 0);
  std::vector<int> seen(10);
  std::vector<WorkerId> round;
  for (int i = 0; i < 20000; ++i) {
    ChooseRound(view, kTier, 3, kNow, rng, round);
    for (const WorkerId w : round) ++seen[w.index()];
  }
  for (const int n : seen) EXPECT_NEAR(n, 6000, 400);
}

}  // namespace
}  // namespace ringway::dispatch
