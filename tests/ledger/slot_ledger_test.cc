#include "router/dispatch/ledger/slot_ledger.h"

#include <variant>
#include <vector>

#include "gtest/gtest.h"

namespace ringway::ledger {
namespace {

constexpr Fence kFirst{7, 1};
constexpr Fence kSecond{7, 2};

class LedgerTest : public testing::Test {
 protected:
  static LedgerSettings Settings(bool announce) {
    LedgerSettings settings;
    settings.lease_span = absl::Seconds(5);
    settings.workers_announce = announce;
    settings.waiting_max = 4;
    settings.workers_max = 8;
    settings.routers_max = 4;
    settings.start_margin = absl::ZeroDuration();
    return settings;
  }

  void Build(bool announce) { ledger_ = SlotLedger(Settings(announce)); }
  // Steps and keeps what came out.
  void Do(double at_s, const LedgerEvent& event) {
    now_ = absl::UnixEpoch() + absl::Seconds(at_s);
    actions_.clear();
    ledger_.Step(now_, event, actions_);
  }
  // Ask of router 0 with one second of service and the given deadline.
  Ask AskFor(std::uint32_t slot, double arrived_s, double deadline_s, Priority priority = 0) {
    return {.key = {RouterId(0), slot, ++generation_},
            .priority = priority,
            .arrived = absl::UnixEpoch() + absl::Seconds(arrived_s),
            .deadline = absl::UnixEpoch() + absl::Seconds(deadline_s),
            .expected = absl::Seconds(1)};
  }
  Announce Idle(std::size_t worker, const Lease& fence) {
    return {WorkerId(worker), ++sequence_, WorkerStatus::kIdle, fence, {}};
  }
  Announce Busy(std::size_t worker, const Lease& fence, const Lease& running) {
    return {WorkerId(worker), ++sequence_, WorkerStatus::kBusy, fence, running};
  }
  template <class T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const LedgerAction& action : actions_) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  SlotState State(std::size_t worker) const { return ledger_.Slot(WorkerId(worker))->state; }
  // Appoints and brings up `workers` idle announcing workers.
  void Begin(std::size_t workers) {
    Do(0, Appointed{kFirst});
    for (std::size_t w = 0; w < workers; ++w) Do(0, Idle(w, {kFirst, 0}));
  }

  SlotLedger ledger_{Settings(true)};
  absl::Time now_;
  std::vector<LedgerAction> actions_;
  std::uint32_t generation_ = 0;
  std::uint64_t sequence_ = 0;
};

TEST_F(LedgerTest, GrantsTheSlotThatWasIdleLongest) {
  Begin(2);
  const Ask ask = AskFor(0, 1, 10);
  Do(1, ask);
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].key, ask.key);
  EXPECT_EQ(All<Grant>()[0].worker, WorkerId(0));
  EXPECT_EQ(All<Grant>()[0].lease.fence, kFirst);
  EXPECT_EQ(ledger_.View().leased, 1u);
  EXPECT_EQ(ledger_.View().idle, 1u);
}

TEST_F(LedgerTest, AFreedSlotGoesToTheWaitingJobAtOnce) {
  Begin(1);
  Do(1, AskFor(0, 1, 10));
  const Grant first = All<Grant>()[0];
  const Ask second = AskFor(1, 2, 11);
  Do(2, second);
  EXPECT_TRUE(actions_.empty()) << "it waits";
  Do(3, Release{first.worker, first.lease, Outcome::kDone, {}});
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].key, second.key);
  EXPECT_EQ(All<Grant>()[0].waited, absl::Seconds(1));
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
  const Announce old_news = Idle(0, {kFirst, 5});
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
  const Ask ask = AskFor(0, 1, 5);
  Do(1, ask);
  const absl::Time wake = ledger_.NextWake();
  EXPECT_GT(wake, absl::UnixEpoch() + absl::Seconds(4));
  EXPECT_LT(wake, absl::UnixEpoch() + absl::Seconds(4) + absl::Milliseconds(10));
  actions_.clear();
  ledger_.Step(wake, Wake{}, actions_);
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].key, ask.key);
  EXPECT_EQ(ledger_.NextWake(), absl::InfiniteFuture());
}

TEST_F(LedgerTest, ARepeatedAskGetsTheSameGrant) {
  Begin(2);
  const Ask ask = AskFor(0, 1, 10);
  Do(1, ask);
  const Grant grant = All<Grant>()[0];
  Do(1.1, ask);
  ASSERT_EQ(All<Grant>().size(), 1u);
  EXPECT_EQ(All<Grant>()[0].lease, grant.lease);
  EXPECT_EQ(ledger_.View().leased, 1u);
  Do(2, Release{grant.worker, grant.lease, Outcome::kDone, {}});
  Do(2.1, ask);
  EXPECT_TRUE(All<Grant>().empty());
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kStale);
}

TEST_F(LedgerTest, AWithdrawalIsAnsweredAndFinal) {
  Do(0, Appointed{kFirst});
  const Ask ask = AskFor(0, 1, 10);
  Do(1, ask);
  Do(2, Withdraw{ask.key});
  ASSERT_EQ(All<Withdrawn>().size(), 1u);
  Do(3, Idle(0, {kFirst, 0}));
  EXPECT_TRUE(All<Grant>().empty());
}

TEST_F(LedgerTest, AWithdrawalThatCrossesItsGrantFreesTheSlot) {
  Begin(1);
  const Ask ask = AskFor(0, 1, 10);
  Do(1, ask);
  ASSERT_EQ(All<Grant>().size(), 1u);
  Do(1, Withdraw{ask.key});
  EXPECT_EQ(All<Withdrawn>().size(), 1u);
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, AWithdrawalThatOvertakesItsAskStillCounts) {
  Begin(1);
  const Ask ask = AskFor(0, 1, 10);
  Do(1, Withdraw{ask.key});
  EXPECT_EQ(All<Withdrawn>().size(), 1u);
  Do(1.1, ask);
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

TEST(SlotLedgerTest, WhereNobodyMayWaitAnAskIsGrantedOrRefusedAtOnce) {
  LedgerSettings settings;
  settings.workers_announce = false;
  settings.waiting_max = 0;
  SlotLedger ledger(settings);
  const absl::Time now = absl::FromUnixSeconds(100);
  std::vector<LedgerAction> actions;
  ledger.Step(now, Appointed{.appointment = {1, 1}, .fresh = true}, actions);
  ledger.Step(now, WorkerListed{WorkerId(0)}, actions);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    actions.clear();
    Ask ask;
    ask.key = {RouterId(0), slot, 1};
    ask.deadline = now + absl::Minutes(1);
    ledger.Step(now, ask, actions);
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

TEST_F(LedgerTest, AWorkerThatFailsAtOnceIsLeftAloneLongerEachTime) {
  Begin(1);
  double at = 1;
  for (const double hold_s : {0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0}) {
    Do(at, AskFor(0, at, at + 100));
    ASSERT_EQ(All<Grant>().size(), 1u);
    const Grant grant = All<Grant>()[0];
    Do(at, Release{grant.worker, grant.lease, Outcome::kFailed, {}});
    Do(at, Idle(0, grant.lease));
    EXPECT_EQ(State(0), SlotState::kHeld);
    EXPECT_LT(absl::AbsDuration(ledger_.NextWake() - (absl::UnixEpoch() + absl::Seconds(at + hold_s))),
              absl::Microseconds(1));
    at += hold_s + 0.001;
    Do(at, Idle(0, grant.lease));
    EXPECT_EQ(State(0), SlotState::kIdle);
  }
}

TEST_F(LedgerTest, AnIdleWorkerThatWentSilentIsNotGranted) {
  Begin(1);
  Do(6, AskFor(0, 6, 100));
  EXPECT_TRUE(All<Grant>().empty());
  EXPECT_EQ(State(0), SlotState::kUnknown);
  Do(7, Idle(0, {kFirst, 0}));
  EXPECT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, ANewHolderBelievesIdleOnlyBehindItsOwnFence) {
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

TEST_F(LedgerTest, AHigherFenceDeposesTheHolder) {
  Begin(2);
  Do(1, Busy(0, {kFirst, 0}, {}));
  Do(1, Busy(1, {kFirst, 0}, {}));
  const Ask ask = AskFor(0, 1, 100);
  Do(1, ask);
  Do(2, Idle(0, {kSecond, 0}));
  EXPECT_FALSE(ledger_.View().holding);
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kNotHolder);
  Do(3, Idle(1, {kFirst, 0}));
  Do(3, AskFor(1, 3, 100));
  EXPECT_TRUE(All<Grant>().empty());
  Do(4, Appointed{kFirst});
  EXPECT_FALSE(ledger_.View().holding) << "an old appointment does not come back";
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

// ---- pools that announce nothing ----

TEST_F(LedgerTest, AFreshPoolIsFreeAtOnce) {
  Build(false);
  Do(0, WorkerListed{WorkerId(0)});
  Do(0, Appointed{kFirst, true});
  Do(100, AskFor(0, 100, 200));
  EXPECT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, ANewHolderQuarantinesWhatNobodyVouchesFor) {
  Build(false);
  for (std::size_t w = 0; w < 2; ++w) Do(0, WorkerListed{WorkerId(w)});
  Do(0, Appointed{kSecond, false});
  const Lease presented{kFirst, 3};
  Do(1, Renew{RouterId(1), WorkerId(0), presented});
  EXPECT_EQ(State(0), SlotState::kLeased);
  EXPECT_EQ(State(1), SlotState::kQuarantined);
  Do(2, AskFor(0, 2, 500));
  EXPECT_TRUE(All<Grant>().empty());
  Do(3, Release{WorkerId(0), presented, Outcome::kDone, {}});
  ASSERT_EQ(All<Grant>().size(), 1u) << "the presented lease ended";
  EXPECT_EQ(All<Grant>()[0].worker, WorkerId(0));
  Do(4, AskFor(1, 4, 500));
  Do(119.9, Wake{});
  EXPECT_TRUE(All<Grant>().empty());
  Do(120, Wake{});
  ASSERT_EQ(All<Grant>().size(), 1u) << "the service bound has passed";
  EXPECT_EQ(All<Grant>()[0].worker, WorkerId(1));
}

TEST_F(LedgerTest, TheHigherOfTwoPresentedLeasesCounts) {
  Build(false);
  Do(0, WorkerListed{WorkerId(0)});
  Do(0, Appointed{kSecond, false});
  Do(1, Renew{RouterId(1), WorkerId(0), {kFirst, 3}});
  Do(1, Renew{RouterId(2), WorkerId(0), {kFirst, 8}});
  Do(1, Release{WorkerId(0), {kFirst, 3}, Outcome::kDone, {}});
  EXPECT_EQ(State(0), SlotState::kLeased);
  Do(1, Renew{RouterId(1), WorkerId(0), {kFirst, 3}});
  EXPECT_EQ(All<LeaseLost>().size(), 1u);
}

TEST_F(LedgerTest, AnExpiredLeaseOfASilentPoolIsQuarantined) {
  Build(false);
  Do(0, WorkerListed{WorkerId(0)});
  Do(0, Appointed{kFirst, true});
  Do(1, AskFor(0, 1, 300));
  Do(6, Wake{});
  EXPECT_EQ(All<LeaseLost>().size(), 1u);
  EXPECT_EQ(State(0), SlotState::kQuarantined);
  Do(126, Wake{});
  EXPECT_EQ(State(0), SlotState::kIdle);
}

TEST_F(LedgerTest, ABusyAnswerFromASilentPoolIsHeldForItsHint) {
  Build(false);
  Do(0, WorkerListed{WorkerId(0)});
  Do(0, Appointed{kFirst, true});
  Do(1, AskFor(0, 1, 300));
  const Grant grant = All<Grant>()[0];
  Do(2, Release{grant.worker, grant.lease, Outcome::kBusy, absl::Seconds(3)});
  EXPECT_EQ(State(0), SlotState::kHeld);
  EXPECT_EQ(ledger_.NextWake(), absl::UnixEpoch() + absl::Seconds(5));
}

TEST(SlotLedgerDeathTest, DoubleBookingEndsTheProcess) {
  SlotBook book(2);
  book.At(WorkerId(0));
  book.Move(WorkerId(0), SlotState::kIdle);
  book.Bind(WorkerId(0), {kFirst, 1}, {}, absl::UnixEpoch());
  EXPECT_DEATH(book.Bind(WorkerId(0), {kFirst, 2}, {}, absl::UnixEpoch()), "invariant broken");
}

}  // namespace
}  // namespace ringway::ledger
