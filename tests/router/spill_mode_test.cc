// Jobs that leave the home line: never in two lines, within the caps, and home again when they are refused.
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

constexpr Fence kSpillFence{1, 1};
const RouterId kLeader(0);
const RouterId kNearRouter(1);

class SpillMode : public testing::Test {
 protected:
  explicit SpillMode(DispatchMode mode = DispatchMode::kProbe, Fleet fleet = SmallFleet())
      : t_(WithMode(std::move(fleet), mode)) {
    t_.ListWorkers(1);
    t_.ListRouter(kNearRouter.index(), kNear);
    // Jobs whose clients left at once: each has earned the share of a spill.
    for (std::size_t job = 100; job < 120; ++job) {
      t_.Arrive(job);
      t_.Step(ClientGone{JobId(job)});
      for (const RouterAction& action : std::vector<RouterAction>(t_.actions)) {
        const auto* withdrawn = std::get_if<WithdrawAttempt>(&action);
        if (withdrawn == nullptr) continue;
        t_.Step(AttemptEnded{.job = withdrawn->job,
                             .attempt = withdrawn->attempt,
                             .worker = withdrawn->worker,
                             .outcome = Outcome::kCancelled});
      }
    }
  }
  static Fleet WithMode(Fleet fleet, DispatchMode mode) {
    fleet.tiers[kTier].dispatch.mode = mode;
    fleet.tiers[kTier].dispatch.spill.share = 1;
    return fleet;
  }
  // The only worker is taken, so the next jobs wait.
  void Fill() {
    t_.Arrive(0);
    t_.Accept(*t_.Last<OfferToWorker>());
  }
  // Until something other than waiting happens.
  template <class Action>
  std::optional<Action> Await() {
    for (int i = 0; i < 2000; ++i) {
      if (const auto action = t_.Last<Action>()) return action;
      if (t_.machine().NextWake() == InfiniteFuture()) break;
      t_.AdvanceToWake();
    }
    return std::nullopt;
  }
  RouterOnTheTable t_;
};

TEST_F(SpillMode, ASleepingJobGoesToTheNearestRegion) {
  Fill();
  const Time arrived = t_.now;
  t_.Arrive(1);
  const auto forward = Await<ForwardToRouter>();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->job, JobId(1));
  EXPECT_EQ(forward->router, kNearRouter);
  EXPECT_EQ(forward->route.reason, "spill");
  EXPECT_GE(t_.now - arrived, Milliseconds(50)) << "not before it has waited";
  t_.Finish(*forward, Outcome::kDone);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->trace.route.reason, "spill");
  t_.Step(ControllerWelcomed{});
  EXPECT_EQ(t_.machine().tier(kTier).held, 0u);
}

TEST_F(SpillMode, WhatIsRefusedThereComesHomeAndDoesNotLeaveAgain) {
  Fill();
  t_.Arrive(1);
  const auto forward = Await<ForwardToRouter>();
  ASSERT_TRUE(forward);
  t_.Finish(*forward, Outcome::kShed, /*answered=*/true, /*started=*/false);
  EXPECT_FALSE(t_.Last<EndJob>()) << "it still has its chance at home";
  const auto end = Await<EndJob>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, Outcome::kTimeout);
  EXPECT_FALSE(t_.Last<ForwardToRouter>());
}

TEST_F(SpillMode, TheImportCapOfTheOtherRegionSendsItHomeAndIsLearnt) {
  t_.ListRouter(kNearRouter.index() + 1, kNear);
  Fill();
  t_.Arrive(1);
  auto forward = Await<ForwardToRouter>();
  for (int tries = 0; tries < 2; ++tries) {
    ASSERT_TRUE(forward) << "the region's other router may still have room";
    t_.Step(AttemptEnded{.job = forward->job,
                         .attempt = forward->attempt,
                         .router = forward->router,
                         .outcome = Outcome::kBusy,
                         .answered = true,
                         .may_have_started = false,
                         .import_full = true});
    forward = t_.Last<ForwardToRouter>();
  }
  EXPECT_FALSE(forward);
  const Time learnt = t_.now;
  t_.Arrive(2);
  const auto next = Await<ForwardToRouter>();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->job, JobId(2));
  EXPECT_GE(t_.now - learnt, Seconds(1)) << "a refusal is expected to cost two seconds, fading";
  t_.Step(ClientGone{JobId(1)});
  EXPECT_EQ(t_.Last<EndJob>()->trace.route.reason, kImportCapReason);
}

TEST_F(SpillMode, AForwardedJobStays) {
  Fill();
  JobFacts facts = t_.Facts();
  facts.forwarded = true;
  t_.Arrive(1, facts);
  EXPECT_TRUE(Await<EndJob>());
  EXPECT_FALSE(t_.Last<ForwardToRouter>());
}

TEST_F(SpillMode, OwnJobsUnderWayCountAgainstTheRegionsCap) {
  Fill();
  // Four workers there, and one router elsewhere: this one.
  int away = 0;
  for (std::size_t job = 1; job <= 8; ++job) t_.Arrive(job);
  for (int i = 0; i < 1000 && t_.now < FromUnixSeconds(1005); ++i) {
    t_.AdvanceToWake();
    for (const RouterAction& action : t_.actions) away += std::holds_alternative<ForwardToRouter>(action);
  }
  EXPECT_EQ(away, 4);
}

Fleet Resident() {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].residency_forbidden[kHome] = {kNear};
  return fleet;
}
class SpillWithResidency : public SpillMode {
 protected:
  SpillWithResidency() : SpillMode(DispatchMode::kProbe, Resident()) {}
};
TEST_F(SpillWithResidency, NoJobEntersARegionThatItsDataMayNot) {
  Fill();
  t_.Arrive(1);
  EXPECT_TRUE(Await<EndJob>());
}

class SpillFromTheLedger : public SpillMode {
 protected:
  SpillFromTheLedger() : SpillMode(DispatchMode::kLedger) {
    t_.Step(LeaderAppointed{kTier, {kLeader, kSpillFence}});
  }
  template <class T>
  std::optional<T> Told() const {
    for (const RouterAction& action : t_.actions) {
      const auto* tell = std::get_if<TellLedger>(&action);
      if (tell == nullptr) continue;
      if (const T* match = std::get_if<T>(&tell->event)) return *match;
    }
    return std::nullopt;
  }
};

TEST_F(SpillFromTheLedger, ItLeavesTheLineFirstAndMovesWhenThatIsCertain) {
  t_.Arrive(1);
  const auto ask = Told<ledger::Acquire>();
  ASSERT_TRUE(ask);
  for (int i = 0; i < 20 && !Told<ledger::Withdraw>(); ++i) {
    t_.Step(LeaderHeard{kTier});
    t_.AdvanceToWake();
  }
  ASSERT_TRUE(Told<ledger::Withdraw>());
  EXPECT_FALSE(t_.Last<ForwardToRouter>()) << "it would stand in two lines";
  t_.Step(LeaderAnswered{kTier, ledger::Withdrawn{.key = ask->key}});
  const auto forward = t_.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->route.reason, "spill");
}

TEST_F(SpillFromTheLedger, AGrantThatCrossesItIsNotUsed) {
  t_.Arrive(1);
  const auto ask = Told<ledger::Acquire>();
  for (int i = 0; i < 20 && !Told<ledger::Withdraw>(); ++i) {
    t_.Step(LeaderHeard{kTier});
    t_.AdvanceToWake();
  }
  t_.Step(LeaderAnswered{
      kTier,
      ledger::Grant{
          .key = ask->key, .worker = WorkerId(0), .lease = {kSpillFence, 1}, .waited = Milliseconds(60)}});
  EXPECT_FALSE(t_.Last<OfferToWorker>());
  t_.Step(LeaderAnswered{kTier, ledger::Withdrawn{.key = ask->key}});
  EXPECT_TRUE(t_.Last<ForwardToRouter>());
}

// The jobs of a line share its alarm: a long line wakes the router no more often than a short one.
TEST_F(SpillFromTheLedger, TheLineHasOneAlarm) {
  for (std::size_t job = 1; job <= 50; ++job) t_.Arrive(job);
  int away = 0;
  int alarms = 0;
  for (int i = 0; i < 50; ++i) {
    const Time beat = t_.now + Milliseconds(100);
    while (t_.machine().NextWake() < beat) {
      t_.AdvanceToWake();
      ++alarms;
      for (const RouterAction& action : t_.actions) {
        const auto* tell = std::get_if<TellLedger>(&action);
        away += tell != nullptr && std::holds_alternative<ledger::Withdraw>(tell->event);
      }
    }
    t_.now = beat;
    t_.Step(LeaderHeard{kTier});
  }
  EXPECT_EQ(away, 4) << "as many as may be there";
  EXPECT_EQ(alarms, 1) << "nothing else can change before one of them is back";
}

TEST_F(SpillFromTheLedger, TheImportantOnesLeaveFirstAndThenTheOldest) {
  const auto arrive = [&](std::size_t job, Priority priority) {
    JobFacts facts = t_.Facts();
    facts.priority = priority;
    t_.Arrive(job, facts);
    t_.now += Milliseconds(1);
  };
  arrive(1, 1);
  arrive(2, 0);
  arrive(3, 1);
  arrive(4, 0);
  t_.now += Milliseconds(100);
  t_.Step(LeaderHeard{kTier});
  std::vector<std::uint32_t> left;
  for (const RouterAction& action : t_.actions) {
    const auto* tell = std::get_if<TellLedger>(&action);
    if (tell == nullptr) continue;
    if (const auto* gone = std::get_if<ledger::Withdraw>(&tell->event)) left.push_back(gone->key.slot);
  }
  EXPECT_EQ(left, (std::vector<std::uint32_t>{2, 4, 1, 3}));
}

// Nobody may leave for want of a place, and the place that falls free is taken in the same moment.
TEST_F(SpillFromTheLedger, AJobThatComesBackLetsTheNextOneLeave) {
  for (std::size_t job = 1; job <= 8; ++job) t_.Arrive(job);
  std::vector<ledger::RequestKey> gone;
  const auto count = [&] {
    for (const RouterAction& action : t_.actions) {
      const auto* tell = std::get_if<TellLedger>(&action);
      if (tell == nullptr) continue;
      if (const auto* ask = std::get_if<ledger::Withdraw>(&tell->event)) gone.push_back(ask->key);
    }
  };
  for (int i = 0; i < 3; ++i) {
    t_.now += Milliseconds(100);
    t_.Step(LeaderHeard{kTier});
    count();
  }
  ASSERT_EQ(gone.size(), 4u) << "as many as may be there";
  t_.Step(LeaderAnswered{kTier, ledger::Withdrawn{.key = gone.front()}});
  const auto forward = t_.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  t_.Finish(*forward, Outcome::kDone);
  count();
  EXPECT_EQ(gone.size(), 5u);
}

// On a busy machine an alarm is late, and the answer comes in the turn in which the job would leave.
class AnswerWhenItWouldLeave : public SpillFromTheLedger {
 protected:
  AnswerWhenItWouldLeave() {
    t_.Arrive(1);
    ask_ = Told<ledger::Acquire>()->key;
    t_.now += Milliseconds(100);
  }
  ledger::RequestKey ask_;
};

TEST_F(AnswerWhenItWouldLeave, AGrantIsUsed) {
  t_.Step(LeaderAnswered{
      kTier, ledger::Grant{
                 .key = ask_, .worker = WorkerId(0), .lease = {kSpillFence, 1}, .waited = Milliseconds(99)}});
  EXPECT_FALSE(Told<ledger::Withdraw>());
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

TEST_F(AnswerWhenItWouldLeave, ARefusalSendsItToTheProbes) {
  t_.Step(LeaderAnswered{kTier, ledger::Refuse{ask_, ledger::RefuseReason::kNotLeader}});
  EXPECT_FALSE(Told<ledger::Withdraw>());
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

TEST_F(AnswerWhenItWouldLeave, ALostLeaderSendsItToTheProbes) {
  t_.Step(LeaderAppointed{kTier, {RouterId(), {1, 2}}});
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

}  // namespace
}  // namespace ringway::router
