#include "router/dispatch/ledger/slot_ledger.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/ledger/ledger_rig.h"

namespace ringway::ledger {
namespace {

TEST_F(LedgerTest, GrantsTheSlotThatWasIdleLongest) {
  Begin(2);
  const Acquire acquire = AskFor(0, 1, 10);
  Do(1, acquire);
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].key, acquire.key);
  EXPECT_EQ(All<Grant>()[0].worker, WorkerId(0));
  EXPECT_EQ(All<Grant>()[0].lease.fence, kFirst);
  EXPECT_EQ(ledger_.View().leased, 1u);
  EXPECT_EQ(ledger_.View().idle, 1u);
}

TEST_F(LedgerTest, AFreedSlotGoesToTheWaitingJobAtOnce) {
  Begin(1);
  Do(1, AskFor(0, 1, 10));
  const Grant first = All<Grant>()[0];
  const Acquire second = AskFor(1, 2, 11);
  Do(2, second);
  EXPECT_TRUE(actions_.empty()) << "it waits";
  Do(3, Release{first.worker, first.lease, Outcome::kDone, {}});
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].key, second.key);
  EXPECT_EQ(All<Grant>()[0].waited, Seconds(1));
  EXPECT_GT(All<Grant>()[0].lease, first.lease);
}

TEST_F(LedgerTest, TheWorkersOwnWordFreesTheSlotToo) {
  Begin(1);
  Do(1, AskFor(0, 1, 10));
  const Grant grant = All<Grant>()[0];
  Do(2, Idle(0, {kFirst, 0}));
  EXPECT_EQ(State(0), SlotState::kLeased) << "said before the worker had seen the lease";
  Do(3, Idle(0, grant.lease));
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, AStaleAnnouncementIsIgnored) {
  Begin(1);
  const Announce old_news = Idle(0, {kFirst, 0});
  Do(1, Busy(0, {kFirst, 0}, {}));
  ASSERT_EQ(State(0), SlotState::kTaken);
  Do(2, old_news);
  EXPECT_EQ(State(0), SlotState::kTaken);
}

TEST_F(LedgerTest, RefusesAtOnceWhatCannotFinishInTime) {
  Begin(1);
  Do(1, AskFor(0, 1, 1.5));
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kInfeasible);
  EXPECT_EQ(ledger_.View().idle, 1u);
}

TEST_F(LedgerTest, RefusesAWaitingJobWhenItsLatestStartPasses) {
  Do(0, Appointed{kFirst});
  const Acquire acquire = AskFor(0, 1, 5);
  Do(1, acquire);
  const Time wake = ledger_.NextWake();
  EXPECT_GT(wake, UnixEpoch() + Seconds(4));
  EXPECT_LT(wake, UnixEpoch() + Seconds(4) + Milliseconds(10));
  actions_.clear();
  ledger_.Step(wake, Wake{}, actions_);
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].key, acquire.key);
  EXPECT_EQ(ledger_.NextWake(), InfiniteFuture());
}

TEST_F(LedgerTest, ARepeatedAskGetsTheSameGrant) {
  Begin(2);
  const Acquire acquire = AskFor(0, 1, 10);
  Do(1, acquire);
  const Grant grant = All<Grant>()[0];
  Do(1.1, acquire);
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].lease, grant.lease);
  EXPECT_EQ(ledger_.View().leased, 1u);
  Do(2, Release{grant.worker, grant.lease, Outcome::kDone, {}});
  Do(2.1, acquire);
  EXPECT_TRUE(All<Grant>().empty());
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kStale);
}

TEST_F(LedgerTest, AWithdrawalIsAnsweredAndFinal) {
  Do(0, Appointed{kFirst});
  const Acquire acquire = AskFor(0, 1, 10);
  Do(1, acquire);
  Do(2, Withdraw{acquire.key});
  ASSERT_EQ(All<Withdrawn>().size(), 1u);
  Do(3, Idle(0, {kFirst, 0}));
  EXPECT_TRUE(All<Grant>().empty());
}

TEST_F(LedgerTest, AWithdrawalThatCrossesItsGrantFreesTheSlot) {
  Begin(1);
  const Acquire acquire = AskFor(0, 1, 10);
  Do(1, acquire);
  ASSERT_EQ(All<Grant>().size(), 1u);
  Do(1, Withdraw{acquire.key});
  EXPECT_EQ(All<Withdrawn>().size(), 1u);
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, AWithdrawalThatOvertakesItsAskStillCounts) {
  Begin(1);
  const Acquire acquire = AskFor(0, 1, 10);
  Do(1, Withdraw{acquire.key});
  EXPECT_EQ(All<Withdrawn>().size(), 1u);
  Do(1.1, acquire);
  EXPECT_TRUE(All<Grant>().empty());
}

TEST_F(LedgerTest, TheBoundOfTheLineHolds) {
  Do(0, Appointed{kFirst});
  for (std::uint32_t slot = 0; slot < 6; ++slot) Do(1 + slot * 0.1, AskFor(slot, 1 + slot * 0.1, 50));
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kLineFull);
  EXPECT_EQ(All<Refuse>()[0].key.slot, 5u);
  EXPECT_EQ(ledger_.View().waiting, 4u);
}

TEST_F(LedgerTest, ALowerBoundGivesUpWhoStandsBeyondIt) {
  Do(0, Appointed{kFirst});
  for (std::uint32_t slot = 0; slot < 4; ++slot) Do(1 + slot * 0.1, AskFor(slot, 1 + slot * 0.1, 50));
  EXPECT_TRUE(All<Refuse>().empty());
  Do(2, LineBounded{.waiting_max = 1});
  EXPECT_EQ(All<Refuse>().size(), 3u);
  EXPECT_EQ(ledger_.View().waiting, 1u);
  Do(3, LineBounded{.waiting_max = 2});
  Do(3, AskFor(5, 3, 50));
  EXPECT_EQ(ledger_.View().waiting, 2u);
}

TEST(SlotLedgerTest, WhereNobodyMayWaitAnAskIsGrantedOrRefusedAtOnce) {
  LedgerSettings settings;
  settings.workers_announce = false;
  settings.waiting_max = 0;
  SlotLedger ledger(settings);
  const Time now = FromUnixSeconds(100);
  std::vector<LedgerAction> actions;
  ledger.Step(now, Appointed{.appointment = {1, 1}, .fresh = true}, actions);
  ledger.Step(now, WorkerListed{WorkerId(0)}, actions);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    actions.clear();
    Acquire acquire;
    acquire.key = {RouterId(0), slot, 1};
    acquire.deadline = now + Minutes(1);
    ledger.Step(now, acquire, actions);
    ASSERT_EQ(actions.size(), 1u);
    EXPECT_EQ(std::holds_alternative<Grant>(actions[0]), slot == 0);
    EXPECT_EQ(ledger.View().waiting, 0u);
  }
  EXPECT_EQ(std::get<Refuse>(actions[0]).reason, RefuseReason::kLineFull);
  EXPECT_EQ(ledger.NextWake(), now + LedgerSettings().lease_span);
}

TEST_F(LedgerTest, AnExpiredLeaseIsCalledBackAndTheSlotWaitsForTheWorkersWord) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(5.9, Renew{RouterId(0), WorkerId(0), grant.lease});
  Do(10.8, Wake{});
  EXPECT_TRUE(actions_.empty()) << "renewed";
  Do(10.9, Wake{});
  ASSERT_EQ(All<Revoke>().size(), 1u);
  EXPECT_EQ(All<Revoke>()[0].lease, grant.lease);
  ASSERT_EQ(All<LeaseLost>().size(), 1u);
  Do(11, Idle(0, {kFirst, 0}));
  EXPECT_EQ(All<Revoke>().size(), 1u) << "repeated to a worker that has not heard it";
  EXPECT_EQ(State(0), SlotState::kRevoking);
  Do(11.1, Idle(0, grant.lease));
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, ALeaseThatItsWorkerNeverSeesIsCalledBackLongBeforeItsSpan) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(3.9, Idle(0, {kFirst, 0}));
  EXPECT_EQ(State(0), SlotState::kLeased) << "the offer may still be on its way";
  Do(4, Idle(0, {kFirst, 0}));
  ASSERT_EQ(All<Revoke>().size(), 1u);
  ASSERT_EQ(All<LeaseLost>().size(), 1u);
  Do(4.1, Idle(0, grant.lease));
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, ABusyWorkerVouchesForItsLease) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  for (double at = 3; at < 30; at += 3) {
    Do(at, Busy(0, grant.lease, grant.lease));
    EXPECT_EQ(State(0), SlotState::kLeased);
  }
}

TEST_F(LedgerTest, BusyIsNotAFailureAndTheSlotWaitsForItsWorker) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(2, Release{grant.worker, grant.lease, Outcome::kBusy, {}});
  EXPECT_EQ(State(0), SlotState::kTaken);
  Do(3, Idle(0, grant.lease));
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, AWorkerThatCannotBeReachedIsLeftAloneLongerEachTime) {
  Begin(1);
  double at = 1;
  for (const double hold_s : {0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0}) {
    Do(at, AskFor(0, at, at + 100));
    ASSERT_EQ(All<Grant>().size(), 1u);
    const Grant grant = All<Grant>()[0];
    Do(at, Release{grant.worker, grant.lease, Outcome::kFailed, {}, Contact::kUnreached});
    Do(at, Idle(0, grant.lease));
    EXPECT_EQ(State(0), SlotState::kHeld);
    EXPECT_LT(AbsDuration(ledger_.NextWake() - (UnixEpoch() + Seconds(at + hold_s))), Microseconds(1));
    at += hold_s + 0.001;
    Do(at, Idle(0, grant.lease));
    EXPECT_EQ(State(0), SlotState::kIdle);
  }
}

TEST_F(LedgerTest, AWorkerThatAloneFailsRestsAfterThreeInARowAndReturnsByTime) {
  Build(false);
  for (std::size_t w = 0; w < 4; ++w) Do(0, WorkerListed{WorkerId(w)});
  Do(0, Appointed{kFirst, true});
  double at = 1;
  int failed = 0;
  for (int job = 0; failed < 3; ++job, at += 0.01) {
    Do(at, AskFor(0, at, at + 100));
    const Grant grant = All<Grant>().at(0);
    const bool fails = grant.worker == WorkerId(2);
    failed += fails;
    EXPECT_LT(State(2), SlotState::kHeld) << "after " << failed;
    Do(at, Release{grant.worker, grant.lease, fails ? Outcome::kFailed : Outcome::kDone, {}});
  }
  EXPECT_EQ(ledger_.View().resting, 1u);
  Do(at + 0.2, Wake{});
  EXPECT_EQ(State(2), SlotState::kIdle);
}

TEST_F(LedgerTest, FailuresThatAllWorkersShareRestNobody) {
  Build(false);
  for (std::size_t w = 0; w < 8; ++w) Do(0, WorkerListed{WorkerId(w)});
  Do(0, Appointed{kFirst, true});
  for (double at = 1; at < 5; at += 0.01) {
    Do(at, AskFor(0, at, at + 100));
    const Grant grant = All<Grant>().at(0);
    Do(at, Release{grant.worker, grant.lease, Outcome::kFailed, {}});
    EXPECT_EQ(ledger_.View().idle, 8u);
  }
}

TEST_F(LedgerTest, AtMostHalfOfTheWorkersRestOnSuspicion) {
  Build(false);
  for (std::size_t w = 0; w < 4; ++w) Do(0, WorkerListed{WorkerId(w)});
  Do(0, Appointed{kFirst, true});
  double at = 1;
  for (int job = 0; job < 4000; ++job, at += 0.001) {
    Do(at, AskFor(0, at, at + 100));
    if (All<Grant>().empty()) continue;
    const Grant grant = All<Grant>()[0];
    // All but one are broken.
    const bool fails = grant.worker != WorkerId(0);
    Do(at, Release{grant.worker, grant.lease, fails ? Outcome::kFailed : Outcome::kDone, {}});
    EXPECT_LE(ledger_.View().resting, 2u);
  }
  EXPECT_GE(ledger_.View().resting, 1u);
  Do(at + 11, Wake{});
  EXPECT_EQ(ledger_.View().idle, 4u) << "every rest ends by time";
}

TEST_F(LedgerTest, AnIdleWorkerThatWentSilentIsNotGranted) {
  Begin(1);
  Do(6, AskFor(0, 6, 100));
  EXPECT_TRUE(All<Grant>().empty());
  EXPECT_EQ(State(0), SlotState::kUnknown);
  Do(7, Idle(0, {kFirst, 0}));
  EXPECT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, ANewLeaderBelievesIdleOnlyBehindItsOwnFence) {
  Do(0, Appointed{kSecond});
  Do(1, Idle(0, {kFirst, 9}));
  ASSERT_EQ(All<FenceWorker>().size(), 1u);
  EXPECT_EQ(All<FenceWorker>()[0].upto, (Lease{kSecond, 0}));
  Do(1, AskFor(0, 1, 100));
  EXPECT_TRUE(All<Grant>().empty());
  Do(2, Idle(0, {kSecond, 0}));
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_GT(All<Grant>()[0].lease, (Lease{kFirst, 9}));
}

TEST_F(LedgerTest, AHigherFenceDeposesTheLeader) {
  Begin(2);
  Do(1, Busy(0, {kFirst, 0}, {}));
  Do(1, Busy(1, {kFirst, 0}, {}));
  const Acquire acquire = AskFor(0, 1, 100);
  Do(1, acquire);
  Do(2, Idle(0, {kSecond, 0}));
  EXPECT_FALSE(ledger_.View().holding);
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kNotLeader);
  Do(3, Idle(1, {kFirst, 0}));
  Do(3, AskFor(1, 3, 100));
  EXPECT_TRUE(All<Grant>().empty());
  Do(4, Appointed{kFirst});
  EXPECT_FALSE(ledger_.View().holding) << "an old appointment does not come back";
}

// Of what workers say meanwhile only a higher leader counts; the rest they say again.
TEST_F(LedgerTest, ALedgerThatIsNotHeldKeepsNothingOfWhatWorkersSay) {
  Do(0, WorkerListed{WorkerId(0)});
  Do(1, Idle(0, {kFirst, 0}));
  EXPECT_TRUE(actions_.empty());
  EXPECT_EQ(State(0), SlotState::kUnknown);
  Do(2, Appointed{kFirst});
  EXPECT_EQ(All<FenceWorker>().size(), 1u) << "it is asked to say it again";
  Do(3, AskFor(0, 3, 100));
  EXPECT_TRUE(All<Grant>().empty());
  Do(4, Idle(0, {kFirst, 0}));
  EXPECT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, AHigherLeaderIsLearntOfWhileNobodyLeadsHere) {
  Do(0, WorkerListed{WorkerId(0)});
  Do(1, Idle(0, {kSecond, 0}));
  Do(2, Appointed{kFirst});
  EXPECT_FALSE(ledger_.View().holding);
}

TEST_F(LedgerTest, ARouterThatDiesLosesItsAsksAndItsLeases) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(1, AskFor(1, 1, 100));
  Do(2, RouterGone{RouterId(0)});
  EXPECT_EQ(ledger_.View().waiting, 0u);
  ASSERT_EQ(All<Revoke>().size(), 1u);
  Do(3, Idle(0, grant.lease));
  EXPECT_EQ(State(0), SlotState::kIdle);
}

// Its number may be another router's now, whose clock is behind.
TEST_F(LedgerTest, ARouterThatIsGoneIsForgotten) {
  Begin(1);
  generation_ = 1000;
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(2, RouterGone{RouterId(0)});
  Do(3, Idle(0, grant.lease));
  generation_ = 10;
  Do(4, AskFor(0, 4, 100));
  ASSERT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, AnAskForAnIdleSlotOnlyNeverWaits) {
  Begin(1);
  Acquire acquire = AskFor(0, 1, 100);
  acquire.idle_only = true;
  Do(1, acquire);
  ASSERT_EQ(All<Grant>().size(), 1u);
  acquire = AskFor(1, 1, 100);
  acquire.idle_only = true;
  Do(1, acquire);
  EXPECT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(ledger_.View().waiting, 0u);
}

TEST_F(LedgerTest, ADrainedWorkerEndsItsJobAndGetsNoOther) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(2, Announce{WorkerId(0), ++sequence_, WorkerStatus::kLeaving, grant.lease, grant.lease});
  EXPECT_EQ(State(0), SlotState::kLeased);
  Do(2, AskFor(1, 2, 100));
  Do(3, Release{grant.worker, grant.lease, Outcome::kDone, {}});
  EXPECT_EQ(State(0), SlotState::kAbsent);
  EXPECT_TRUE(All<Grant>().empty());
}

// The router's word that the job is over was lost with its stream.
TEST_F(LedgerTest, ADrainedWorkersOwnWordEndsItsLease) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(2, Announce{WorkerId(0), ++sequence_, WorkerStatus::kLeaving, {kFirst, 0}, {}});
  EXPECT_EQ(State(0), SlotState::kLeased) << "said before the worker had seen the lease";
  Do(3, Announce{WorkerId(0), ++sequence_, WorkerStatus::kLeaving, grant.lease, {}});
  EXPECT_EQ(State(0), SlotState::kAbsent);
}

// It died on its way to the worker.
TEST_F(LedgerTest, ALeaseThatADrainedWorkerNeverSawIsCalledBack) {
  Begin(1);
  Do(1, AskFor(0, 1, 100));
  const Grant grant = All<Grant>()[0];
  Do(6, Announce{WorkerId(0), ++sequence_, WorkerStatus::kLeaving, {kFirst, 0}, {}});
  EXPECT_EQ(State(0), SlotState::kRevoking);
  ASSERT_EQ(All<LeaseLost>().size(), 1u);
  Do(7, Announce{WorkerId(0), ++sequence_, WorkerStatus::kLeaving, grant.lease, {}});
  EXPECT_EQ(State(0), SlotState::kAbsent);
}

TEST_F(LedgerTest, AWorkerThatWasToldOfALeaderThatCannotBeDeposesNobody) {
  Begin(2);
  const Fence nonsense{std::uint64_t{1} << 47, 3};
  Do(1, Idle(0, {nonsense, 0}));
  EXPECT_TRUE(ledger_.View().holding);
  ASSERT_EQ(All<FenceWorker>().size(), 1u) << "it is told who holds the ledger";
  EXPECT_EQ(All<FenceWorker>()[0].upto, (Lease{kFirst, 0}));
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    Do(2, AskFor(slot, 2, 60));
    for (const Grant& grant : All<Grant>()) EXPECT_EQ(grant.worker, WorkerId(1)) << "the other one serves";
  }
  // It obeys again.
  Do(3, Idle(0, {kFirst, 0}));
  EXPECT_EQ(All<Grant>().size(), 1u) << "the job that waited";
}

TEST(SlotLedgerDeathTest, DoubleBookingEndsTheProcess) {
  SlotTable table(2);
  table.At(WorkerId(0));
  table.Move(WorkerId(0), SlotState::kIdle);
  table.Bind(WorkerId(0), {kFirst, 1}, {}, UnixEpoch());
  EXPECT_DEATH(table.Bind(WorkerId(0), {kFirst, 2}, {}, UnixEpoch()), "invariant broken");
}

}  // namespace
}  // namespace ringway::ledger
