#include "router/dispatch/worker_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng.h"
#include "router/dispatch/failure_blame.h"

namespace ringway::dispatch {
namespace {

const Time kStart = FromUnixSeconds(1000);
const TierId kTheTier(0);

// One offer that ends at once with `outcome`.
bool Try(WorkerView& view, WorkerId worker, Outcome outcome, Time now) {
  static AttemptId attempt = 0;
  view.OpenReturned(now);
  if (!view.open(worker)) return false;
  view.Claim(worker, ++attempt);
  view.Release(worker, attempt, outcome, ZeroDuration(), now);
  return true;
}

TEST(WorkerView, AHeldWorkerIsNotOpen) {
  WorkerView view;
  view.List(WorkerId(0), kTheTier, false);
  view.Claim(WorkerId(0), 7);
  EXPECT_FALSE(view.open(WorkerId(0)));
  EXPECT_EQ(view.BusyShare(kTheTier), 1);
  EXPECT_FALSE(view.Release(WorkerId(0), 6, Outcome::kDone, {}, kStart)) << "another attempt's end";
  EXPECT_FALSE(view.open(WorkerId(0)));
  EXPECT_TRUE(view.Release(WorkerId(0), 7, Outcome::kDone, {}, kStart));
  EXPECT_TRUE(view.open(WorkerId(0)));
  EXPECT_EQ(view.BusyShare(kTheTier), 0);
}

TEST(WorkerView, BusyNeverIsolates) {
  WorkerView view;
  view.List(WorkerId(0), kTheTier, false);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kBusy, kStart));
  EXPECT_FALSE(view.isolated(WorkerId(0)));
}

TEST(WorkerView, ASinkholeIsIsolatedAndComesBackOnTrial) {
  WorkerView view;
  for (std::size_t i = 0; i < 4; ++i) view.List(WorkerId(i), kTheTier, false);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kFailed, kStart));
  EXPECT_FALSE(Try(view, WorkerId(0), Outcome::kDone, kStart + Milliseconds(999)));
  // One trial; its failure isolates again, for twice as long.
  const Time back = kStart + Seconds(1);
  EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kFailed, back));
  EXPECT_FALSE(Try(view, WorkerId(0), Outcome::kDone, back + Milliseconds(1999)));
  EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kDone, back + Seconds(2)));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kFailed, back + Seconds(3)));
  EXPECT_FALSE(view.isolated(WorkerId(0))) << "a success clears the record";
}

// One client with bad input: its failures come from everybody, so nobody rests because of it.
TEST(WorkerView, FailuresThatAllWorkersShareIsolateNobody) {
  WorkerView view;
  for (std::size_t i = 0; i < 8; ++i) view.List(WorkerId(i), kTheTier, false);
  for (std::size_t n = 0; n < 400; ++n) EXPECT_TRUE(Try(view, WorkerId(n % 8), Outcome::kFailed, kStart));
  EXPECT_EQ(view.listed_workers(kTheTier), 8u);
}

TEST(WorkerView, HalfOfTheWorkersStayAndOneAlways) {
  for (const std::size_t workers : {1, 2, 3, 8}) {
    WorkerView view;
    for (std::size_t i = 0; i < workers; ++i) view.List(WorkerId(i), kTheTier, false);
    for (std::size_t i = 0; i < workers; ++i) {
      for (int n = 0; n < 40; ++n) Try(view, WorkerId(i), Outcome::kFailed, kStart);
    }
    const std::size_t resting = workers - view.listed_workers(kTheTier);
    EXPECT_LE(resting, RestingMax(workers)) << workers << " workers";
    EXPECT_EQ(resting > 0, workers > 1) << workers << " workers";
  }
}

// The ledger that granted the lease counts, and decides.
TEST(WorkerView, WhatHappensUnderALeaseIsTheLedgersToJudge) {
  WorkerView view;
  for (std::size_t i = 0; i < 4; ++i) view.List(WorkerId(i), kTheTier, false);
  for (AttemptId attempt = 1; attempt < 20; ++attempt) {
    view.Claim(WorkerId(0), attempt, /*leased=*/true);
    if (attempt % 2 == 0) view.Hung(WorkerId(0), kStart);
    view.Release(WorkerId(0), attempt, Outcome::kFailed, {}, kStart);
  }
  EXPECT_FALSE(view.isolated(WorkerId(0)));
  for (int i = 0; i < 3; ++i) Try(view, WorkerId(0), Outcome::kFailed, kStart);
  EXPECT_TRUE(view.isolated(WorkerId(0)));
  view.Claim(WorkerId(0), 20, /*leased=*/true);
  view.Release(WorkerId(0), 20, Outcome::kDone, {}, kStart);
  EXPECT_TRUE(view.open(WorkerId(0))) << "it works, whoever found out";
}

TEST(WorkerView, OneThatDidNotAnswerReturnsWithItsFirstSignOfLife) {
  WorkerView view;
  view.List(WorkerId(0), kTheTier, false);
  view.Claim(WorkerId(0), 1);
  view.Hung(WorkerId(0), kStart);
  view.Release(WorkerId(0), 1, Outcome::kTimeout, {}, kStart);
  EXPECT_TRUE(view.isolated(WorkerId(0)));
  EXPECT_FALSE(view.Hear(WorkerId(0), {.state = WorkerState::kUnknown}, kStart)) << "its stream broke";
  EXPECT_TRUE(view.isolated(WorkerId(0)));
  EXPECT_TRUE(view.Hear(WorkerId(0), {.state = WorkerState::kIdle}, kStart));
}

TEST(FailureBlame, ARowConvictsWhenItWouldSurpriseOfTheOthers) {
  struct Case {
    double others;
    int row;
  };
  for (const Case& c : {Case{0, 3}, {0.1, 3}, {0.25, 5}, {0.5, 10}, {0.9, 66}, {1, 688}}) {
    EXPECT_EQ(FailuresThatConvict(c.others, 3), c.row) << c.others;
  }
}

TEST(FailureBlame, TheBaselineIsThatOfTheOtherWorkers) {
  FailureBaseline baseline;
  float broken = 0, good = 0;
  for (int i = 0; i < 100; ++i) baseline.Count(true, broken);
  baseline.Count(false, good);
  EXPECT_NEAR(baseline.Others(broken, 3), 0, 1e-9) << "however many answers it gave";
  EXPECT_NEAR(baseline.Others(good, 3), 0.5, 1e-6);
  baseline.Forget(broken);
  EXPECT_NEAR(baseline.Others(good, 2), 0, 1e-9);
}

TEST(WorkerView, IsolationIsBounded) {
  WorkerView view;
  for (std::size_t i = 0; i < 2; ++i) view.List(WorkerId(i), kTheTier, false);
  Time now = kStart;
  for (int i = 0; i < 200; ++i) {
    Try(view, WorkerId(0), Outcome::kFailed, now);
    now += Seconds(10);
  }
  now += Seconds(30);
  EXPECT_TRUE(Try(view, WorkerId(0), Outcome::kDone, now));
}

TEST(WorkerView, TheJobsOwnFateSaysNothingAboutTheWorker) {
  WorkerView view;
  view.List(WorkerId(0), kTheTier, false);
  for (int i = 0; i < 50; ++i) {
    for (const Outcome o : {Outcome::kCancelled, Outcome::kTimeout, Outcome::kRejected}) {
      EXPECT_TRUE(Try(view, WorkerId(0), o, kStart));
    }
  }
}

TEST(WorkerView, NewsOpensAndCloses) {
  WorkerView view;
  view.List(WorkerId(0), kTheTier, true);
  view.List(WorkerId(1), kTheTier, false);
  EXPECT_TRUE(view.Hear(WorkerId(0), {.state = WorkerState::kIdle}, kStart));
  EXPECT_FALSE(view.Hear(WorkerId(0), {.state = WorkerState::kIdle, .draining = true}, kStart));
  EXPECT_FALSE(view.open(WorkerId(0)));
  EXPECT_FALSE(view.Hear(WorkerId(0), {.state = WorkerState::kFailed}, kStart));
  EXPECT_FALSE(view.open(WorkerId(0)));
  EXPECT_FALSE(view.Hear(WorkerId(0), {.state = WorkerState::kBusy}, kStart));
  EXPECT_TRUE(view.open(WorkerId(0))) << "said to be busy: tried last, not never";
  EXPECT_TRUE(view.LikelyBusy(WorkerId(0), kStart + Seconds(1)));
  EXPECT_FALSE(view.LikelyBusy(WorkerId(0), kStart + Seconds(10))) << "old news";
  EXPECT_EQ(view.BusyShare(kTheTier), 0.5);
  EXPECT_FALSE(view.Hear(WorkerId(9), {.state = WorkerState::kIdle}, kStart)) << "not listed";
}

// The sets and counts against what they must be, recomputed from scratch after every call.
TEST(WorkerView, SetsAgreeWithTheEntries) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    WorkerView view;
    Time now = kStart;
    AttemptId last = 0;
    constexpr std::size_t kWorkers = 12;
    for (int i = 0; i < 400; ++i) {
      now += Milliseconds(static_cast<int>(rng.Below(300)));
      const WorkerId w(rng.Below(kWorkers));
      switch (rng.Below(6)) {
        case 0:
          view.List(w, TierId(rng.Below(2)), rng.Chance(0.3));
          break;
        case 1:
          if (rng.Chance(0.2)) view.Unlist(w);
          break;
        case 2:
          view.Hear(w, {.state = static_cast<WorkerState>(rng.Below(4)), .draining = rng.Chance(0.1)}, now);
          break;
        case 3:
          if (view.open(w)) view.Claim(w, ++last);
          break;
        case 4:
          if (last > 0 && view.listed(w)) {
            view.Release(w, view.held(w), static_cast<Outcome>(rng.Below(7)), Seconds(1), now);
          }
          break;
        default:
          view.OpenReturned(now);
      }
      std::size_t open = 0;
      for (std::size_t k = 0; k < kWorkers; ++k) {
        if (!view.open(WorkerId(k))) continue;
        ++open;
        ASSERT_TRUE(view.listed(WorkerId(k)));
        ASSERT_FALSE(view.isolated(WorkerId(k)));
        ASSERT_EQ(view.held(WorkerId(k)), 0u);
        const auto& set = view.open_workers(view.tier(WorkerId(k)));
        ASSERT_EQ(std::count(set.begin(), set.end(), WorkerId(k)), 1);
      }
      ASSERT_EQ(open, view.open_workers(TierId(0)).size() + view.open_workers(TierId(1)).size());
      for (std::size_t t = 0; t < 2; ++t) {
        ASSERT_GE(view.BusyShare(TierId(t)), 0);
        ASSERT_LE(view.BusyShare(TierId(t)), 1);
        ASSERT_LE(view.listed_workers(TierId(t)), kWorkers);
      }
    }
  }
}

}  // namespace
}  // namespace ringway::dispatch
