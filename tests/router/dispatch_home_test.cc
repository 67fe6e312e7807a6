// Jobs that stay in the own region: rounds of probes, sleeping, waking, ending.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

TEST(DispatchHome, AFreeWorkerTakesTheJob) {
  RouterOnTheTable t;
  t.ListWorkers(3, 1);
  t.Arrive(5);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->job, JobId(5));
  EXPECT_EQ(offer->worker, WorkerId(0)) << "the one beside comes first";
  t.now += Milliseconds(3);
  t.Accept(*offer);
  t.now += Seconds(2);
  t.Finish(*offer, Outcome::kDone);
  const auto end = t.Last<EndJob>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, Outcome::kDone);
  EXPECT_EQ(end->trace.worker, WorkerId(0));
  EXPECT_EQ(end->trace.attempts, 1u);
  EXPECT_EQ(end->trace.wait, Milliseconds(3));
  EXPECT_EQ(end->trace.service, Seconds(2));
  EXPECT_EQ(t.machine().jobs(), 0u);
  EXPECT_EQ(t.machine().NextWake(), InfiniteFuture());
}

TEST(DispatchHome, BusyWorkersAreAskedOneAfterTheOther) {
  RouterOnTheTable t;
  t.ListWorkers(8);
  t.Arrive(0);
  std::set<std::uint32_t> asked;
  for (int i = 0; i < 4; ++i) {
    const auto offer = t.Last<OfferToWorker>();
    ASSERT_TRUE(offer) << i;
    EXPECT_TRUE(asked.insert(offer->worker.value()).second);
    t.Finish(*offer, Outcome::kBusy, true, false);
  }
  EXPECT_FALSE(t.Last<OfferToWorker>()) << "the round is over: the job sleeps";
  EXPECT_EQ(t.machine().NextWake(), t.now + Milliseconds(10));
  t.AdvanceToWake();
  EXPECT_TRUE(t.Last<OfferToWorker>());
}

TEST(DispatchHome, BackoffDoubles) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  for (const int ms : {10, 20, 40, 60, 60}) {  // the cap is 0.06 x 1 s
    t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
    EXPECT_EQ(t.machine().NextWake(), t.now + Milliseconds(ms));
    t.AdvanceToWake();
  }
}

TEST(DispatchHome, ADoneJobWakesASleeper) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto first = t.Last<OfferToWorker>();
  t.Accept(*first);
  t.Arrive(1);
  EXPECT_FALSE(t.Last<OfferToWorker>()) << "a worker that holds our job is not asked";
  t.now += Microseconds(500);
  t.Finish(*first, Outcome::kDone);
  const auto second = t.Last<OfferToWorker>();
  ASSERT_TRUE(second) << "at once, not by the timer";
  EXPECT_EQ(second->job, JobId(1));
}

TEST(DispatchHome, ImportantJobsWakeFirst) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto first = t.Last<OfferToWorker>();
  t.Accept(*first);
  JobFacts batch = t.Facts();
  batch.priority = 1;
  t.Arrive(1, batch);
  t.Arrive(2);
  t.Finish(*first, Outcome::kDone);
  ASSERT_TRUE(t.Last<OfferToWorker>());
  EXPECT_EQ(t.Last<OfferToWorker>()->job, JobId(2));
}

TEST(DispatchHome, OnlyTheNewsOfTheWorkerBesideWakes) {
  RouterOnTheTable t;
  t.ListWorkers(2, 1);
  for (const std::size_t w : {0, 1})
    t.Step(WorkerHeard{WorkerId(w), {.state = dispatch::WorkerState::kBusy}});
  t.Arrive(0);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  ASSERT_FALSE(t.Last<OfferToWorker>());
  t.Step(WorkerHeard{WorkerId(1), {.state = dispatch::WorkerState::kIdle}});
  EXPECT_FALSE(t.Last<OfferToWorker>());
  t.Step(WorkerHeard{WorkerId(0), {.state = dispatch::WorkerState::kIdle}});
  ASSERT_TRUE(t.Last<OfferToWorker>());
  EXPECT_EQ(t.Last<OfferToWorker>()->worker, WorkerId(0));
}

TEST(DispatchHome, WhatCannotFinishEndsAtOnce) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  JobFacts facts = t.Facts();
  facts.deadline = t.now + Milliseconds(999);
  t.Arrive(0, facts);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kTimeout);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("999ms left"));
  EXPECT_FALSE(t.Last<OfferToWorker>());
}

TEST(DispatchHome, ASleeperEndsWhenItBecomesHopelessNotLater) {
  RouterOnTheTable t;
  JobFacts facts = t.Facts();
  facts.deadline = t.now + Milliseconds(1005);
  const Time hopeless = t.now + Milliseconds(5);
  t.Arrive(0, facts);  // no worker exists
  EXPECT_EQ(t.machine().NextWake(), hopeless);
  t.AdvanceToWake();
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kTimeout);
}

TEST(DispatchHome, ARunningJobIsCutAtItsDeadline) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.Accept(*offer);
  EXPECT_EQ(t.machine().NextWake(), t.now + Seconds(10));
  t.AdvanceToWake();
  ASSERT_TRUE(t.Last<WithdrawAttempt>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kTimeout);
  EXPECT_FALSE(t.machine().workers().open(WorkerId(0))) << "until the worker has let go";
  t.Finish(*offer, Outcome::kCancelled);
  EXPECT_TRUE(t.actions.empty());
  EXPECT_TRUE(t.machine().workers().open(WorkerId(0)));
}

TEST(DispatchHome, TheClientLeavesInEveryPhase) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.Step(ClientGone{JobId(0)});
  EXPECT_TRUE(t.Last<WithdrawAttempt>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kCancelled);
  t.Arrive(1);  // asleep: the worker is not free before the first attempt has ended
  EXPECT_FALSE(t.Last<OfferToWorker>());
  t.Step(ClientGone{JobId(1)});
  EXPECT_FALSE(t.Last<WithdrawAttempt>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kCancelled);
  t.Step(ClientGone{JobId(1)});
  EXPECT_TRUE(t.actions.empty());
  t.Finish(*offer, Outcome::kCancelled);
  EXPECT_EQ(t.machine().NextWake(), InfiniteFuture());
}

TEST(DispatchHome, AWithdrawnJobEndsWithItsAttempt) {
  RouterOnTheTable t;
  t.ListWorkers(2);
  JobFacts facts = t.Facts();
  facts.forwarded = true;
  t.Arrive(0, facts);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  t.Accept(*offer);
  t.Step(JobWithdrawn{JobId(0)});
  ASSERT_TRUE(t.Last<WithdrawAttempt>());
  EXPECT_EQ(t.Last<WithdrawAttempt>()->why, Outcome::kCancelled);
  EXPECT_FALSE(t.Last<EndJob>()) << "its worker has not stopped";
  t.Step(JobWithdrawn{JobId(0)});
  EXPECT_TRUE(t.actions.empty()) << "said again";
  t.Finish(*offer, Outcome::kCancelled);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kCancelled);

  t.Arrive(1, facts);
  const auto refused = t.Last<OfferToWorker>();
  t.Step(JobWithdrawn{JobId(1)});
  t.Finish(*refused, Outcome::kBusy);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_FALSE(t.Last<OfferToWorker>()) << "nobody wants it";

  t.Arrive(2, facts);
  const auto last = t.Last<OfferToWorker>();
  t.Accept(*last);
  t.Step(JobWithdrawn{JobId(2)});
  t.Finish(*last, Outcome::kDone);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kDone) << "it was done before it heard";

  t.Arrive(3, facts);
  t.Accept(*t.Last<OfferToWorker>());
  t.Step(JobWithdrawn{JobId(3)});
  t.Step(ClientGone{JobId(3)});
  ASSERT_TRUE(t.Last<EndJob>()) << "who waited has left";
  EXPECT_EQ(t.machine().jobs(), 0u);
}

TEST(DispatchHome, AttemptsMaxEndsTheJob) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.attempts_max = 3;
  RouterOnTheTable t(fleet);
  t.ListWorkers(2);
  t.Arrive(0);
  for (int i = 0; i < 3; ++i) {
    if (!t.Last<OfferToWorker>()) t.AdvanceToWake();
    t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  }
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("after 3 offers (3 busy)"));
}

TEST(DispatchHome, WhereNobodyMayWaitAJobIsServedOrRefusedAtOnce) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.waiting_max = 0;
  RouterOnTheTable t(fleet);
  t.ListWorkers(1);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  t.Accept(*offer);
  t.Arrive(1);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("do not wait"));
  t.Finish(*offer, Outcome::kDone);
  t.Arrive(2);
  EXPECT_TRUE(t.Last<OfferToWorker>());
}

TEST(DispatchHome, WithoutBudgetAJobOnlyWaits) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.budget = {.share = 1, .floor_per_second = 0};
  RouterOnTheTable t(fleet);
  t.ListWorkers(5);
  t.Arrive(0);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  int offers = 0;
  while (!t.Last<EndJob>()) {
    ASSERT_GT(t.machine().NextWake(), t.now);
    t.AdvanceToWake();
    offers += t.Last<OfferToWorker>().has_value();
  }
  EXPECT_EQ(offers, 0) << "one arrival paid for one retry";
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kTimeout);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("retry budget was spent"));
}

TEST(DispatchHome, ATokenThatComesLaterIsUsed) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.budget = {.share = 0, .floor_per_second = 0};
  RouterOnTheTable t(fleet);
  t.ListWorkers(2);
  t.Arrive(0);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  EXPECT_FALSE(t.Last<OfferToWorker>());
  EXPECT_FALSE(t.Last<EndJob>());
  fleet.tiers[kTier].dispatch.budget = {.share = 0, .floor_per_second = 10};
  t.Step(FleetChanged{std::make_shared<const Fleet>(fleet)});
  while (!t.Last<OfferToWorker>()) {
    ASSERT_LT(t.now, FromUnixSeconds(1001));
    t.AdvanceToWake();
  }
}

// A worker that falls free asks for a job: that offer is no retry, and needs no token.
TEST(DispatchHome, AWorkerThatFallsFreeCostsNoToken) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.budget = {.share = 0, .floor_per_second = 0};
  RouterOnTheTable t(fleet);
  t.ListWorkers(1, 1);
  t.Arrive(0);
  t.Accept(*t.Last<OfferToWorker>());
  t.Step(WorkerListed{WorkerId(1), kTier, false});
  t.Arrive(1);
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy);
  EXPECT_FALSE(t.Last<OfferToWorker>()) << "no token for a second offer";
  t.Step(WorkerHeard{WorkerId(0), {.state = dispatch::WorkerState::kBusy}});
  EXPECT_FALSE(t.Last<OfferToWorker>());
  t.Step(AttemptEnded{
      .job = JobId(0), .attempt = 1, .worker = WorkerId(0), .outcome = Outcome::kDone, .answered = true});
  ASSERT_TRUE(t.Last<OfferToWorker>());
  EXPECT_EQ(t.Last<OfferToWorker>()->job, JobId(1));
}

// The article's failure stays reachable: no delay, no backoff, a budget without bounds.
TEST(DispatchHome, WithoutBackoffAJobProbesWithoutPause) {
  Fleet fleet = SmallFleet();
  DispatchSpec& spec = fleet.tiers[kTier].dispatch;
  spec.backoff.base = ZeroDuration();
  spec.budget.share = 1e6;
  spec.attempts_max = 1000;
  RouterOnTheTable t(fleet);
  t.ListWorkers(4);
  t.Arrive(0);
  for (int i = 0; i < 999; ++i) {
    ASSERT_TRUE(t.Last<OfferToWorker>()) << i;
    t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  }
}

TEST(DispatchHome, DelayOnlyUnderPressure) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.delay = {.busy_min = 0.5, .share_max = 1, .span = Milliseconds(250)};
  RouterOnTheTable t(fleet);
  t.ListWorkers(2);
  t.Arrive(0);
  EXPECT_TRUE(t.Last<OfferToWorker>());
  t.Step(WorkerHeard{WorkerId(0), {.state = dispatch::WorkerState::kBusy}});
  t.Step(WorkerHeard{WorkerId(1), {.state = dispatch::WorkerState::kBusy}});
  t.Arrive(1);
  EXPECT_FALSE(t.Last<OfferToWorker>());
  EXPECT_GT(t.machine().NextWake(), t.now);
  EXPECT_LE(t.machine().NextWake(), t.now + Milliseconds(250));
}

TEST(DispatchHome, TheLineIsBounded) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.waiting_max = 3;
  RouterOnTheTable t(fleet);
  for (std::size_t i = 0; i < 3; ++i) {
    t.Arrive(i);
    EXPECT_FALSE(t.Last<EndJob>());
  }
  t.Arrive(3);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("line of tier animate is full: 3"));
  EXPECT_GT(t.Last<EndJob>()->retry_after, ZeroDuration());
}

TEST(DispatchHome, DrainingAdmitsNothingAndFinishesTheRest) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  t.Accept(*offer);
  t.Step(DrainChanged{true});
  t.Arrive(1);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  JobFacts forwarded = t.Facts();
  forwarded.forwarded = true;
  t.Arrive(2, forwarded);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kBusy) << "the other router shall ask the next one";
  t.Finish(*offer, Outcome::kDone);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kDone);
}

struct Restart {
  const char* name;
  bool keyed, accepted, may_have_started, dropped;
  bool again;
};

TEST(DispatchHome, AJobIsAskedForAgainOnlyWhenThatIsSafe) {
  for (const Restart& c : {Restart{"refused connection", false, false, false, false, true},
                           {"died, may have started", false, false, true, false, false},
                           {"died while running", false, true, true, false, false},
                           {"died while running, keyed", true, true, true, false, true},
                           {"died before accepting, keyed", true, false, true, false, true},
                           {"payload too large to keep", true, true, true, true, false},
                           {"payload too large, refused", false, false, false, true, false}}) {
    RouterOnTheTable t;
    t.ListWorkers(4);
    JobFacts facts = t.Facts();
    facts.keyed = c.keyed;
    t.Arrive(0, facts);
    for (int life = 0; life < 2; ++life) {
      const auto offer = t.Last<OfferToWorker>();
      ASSERT_TRUE(offer) << c.name;
      if (c.dropped) t.Step(RepeatRuledOut{JobId(0), "too large"});
      if (c.accepted) t.Accept(*offer);
      t.Finish(*offer, Outcome::kFailed, false, c.may_have_started);
      if (life == 0) {
        EXPECT_EQ(t.Last<OfferToWorker>().has_value(), c.again) << c.name;
      }
      if (!t.Last<OfferToWorker>()) break;
    }
    if (c.again && c.may_have_started) {
      EXPECT_FALSE(t.Last<OfferToWorker>()) << c.name << ": once, not twice";
    }
    if (!t.Last<OfferToWorker>()) {
      EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kFailed) << c.name;
    }
  }
}

}  // namespace
}  // namespace ringway::router
