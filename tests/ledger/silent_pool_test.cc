// Pools of plain servers, which announce nothing: what a ledger believes of their slots, and for how long.
#include "gtest/gtest.h"
#include "tests/ledger/ledger_rig.h"

namespace ringway::ledger {
namespace {

TEST_F(LedgerTest, AFreshPoolIsFreeAtOnce) {
  Build(false);
  Do(0, WorkerListed{WorkerId(0)});
  Do(0, Appointed{kFirst, true});
  Do(100, AskFor(0, 100, 200));
  EXPECT_EQ(All<Grant>().size(), 1u);
}

TEST_F(LedgerTest, ANewLeaderQuarantinesWhatNobodyVouchesFor) {
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
  Do(2, Release{grant.worker, grant.lease, Outcome::kBusy, Seconds(3)});
  EXPECT_EQ(State(0), SlotState::kHeld);
  EXPECT_EQ(ledger_.NextWake(), UnixEpoch() + Seconds(5));
}

}  // namespace
}  // namespace ringway::ledger
