// Jobs that leave a ledger's line for a region with idle workers.
#include "tests/ledger/ledger_rig.h"

namespace ringway::ledger {
namespace {

const RegionId kShort(1), kLong(2);

class RedirectTest : public LedgerTest {
 protected:
  void SetUp() override {
    Begin(1);
    Do(0, AwayAimed{{{kShort, Milliseconds(20)}, {kLong, Milliseconds(200)}}});
  }
  Acquire MayLeave(std::uint32_t slot, double arrived_s, double deadline_s, Priority priority = 0) {
    Acquire acquire = AskFor(slot, arrived_s, deadline_s, priority);
    acquire.may_leave = true;
    return acquire;
  }
  void Hint(double at_s, RegionId region, std::uint32_t idle) {
    Do(at_s, HintHeard{region, {.appointment = kFirst, .sequence = ++hints_, .idle = idle, .landings = 0}});
  }
  std::uint64_t hints_ = 0;
};

TEST_F(RedirectTest, AnIdleWorkerHereComesFirst) {
  Hint(1, kShort, 5);
  Do(1, MayLeave(0, 1, 60));
  EXPECT_EQ(All<Grant>().size(), 1u);
  EXPECT_TRUE(All<Redirect>().empty());
}

TEST_F(RedirectTest, WhoFindsNoneLeavesAtOnceForOneThatIsIdle) {
  Do(1, MayLeave(0, 1, 60));
  Hint(1, kShort, 1);
  Do(1, MayLeave(1, 1, 60));
  ASSERT_EQ(All<Redirect>().size(), 1u);
  EXPECT_EQ(All<Redirect>()[0].region, kShort);
  EXPECT_EQ(All<Redirect>()[0].key.slot, 1u);
  EXPECT_EQ(ledger_.View().waiting, 0u);
  EXPECT_EQ(ledger_.View().redirected_total, 1u);
  Do(1, MayLeave(2, 1, 60));
  EXPECT_TRUE(All<Redirect>().empty()) << "there was one worker, and one job has left for it";
  EXPECT_EQ(ledger_.View().waiting, 1u);
}

TEST_F(RedirectTest, AHintLetsTheOldestLeaveAndTheMoreImportantFirst) {
  Do(1, MayLeave(0, 1, 60));
  Do(1, MayLeave(1, .5, 60, /*priority=*/1));
  Do(1, MayLeave(2, .9, 60));
  Do(1, MayLeave(3, .7, 60));
  Hint(2, kShort, 2);
  ASSERT_EQ(All<Redirect>().size(), 2u);
  EXPECT_EQ(All<Redirect>()[0].key.slot, 3u);
  EXPECT_EQ(All<Redirect>()[1].key.slot, 2u);
}

TEST_F(RedirectTest, WhoMayNotLeaveStays) {
  Do(1, AskFor(0, 1, 60));
  Hint(1, kShort, 5);
  Do(1, AskFor(1, 1, 60));
  EXPECT_TRUE(All<Redirect>().empty());
  EXPECT_EQ(ledger_.View().waiting, 1u);
}

TEST_F(RedirectTest, WhoCannotBeThereInTimeStaysAndStopsNobody) {
  Do(1, MayLeave(0, 1, 60));
  Do(1, MayLeave(1, 1, 2.15));  // it has to start within .15 s
  Do(1.01, MayLeave(2, 1.01, 60));
  Hint(1.02, kLong, 1);
  ASSERT_EQ(All<Redirect>().size(), 1u);
  EXPECT_EQ(All<Redirect>()[0].key.slot, 2u);
}

TEST_F(RedirectTest, WhatTheTablePrefersIsTakenWhereAWorkerIsIdle) {
  Acquire acquire = MayLeave(0, 1, 60);
  acquire.prefers = kLong;
  Do(1, acquire);
  EXPECT_EQ(All<Grant>().size(), 1u) << "nothing is known of it";
  Hint(1, kLong, 1);
  acquire = MayLeave(1, 1, 60);
  acquire.prefers = kLong;
  Do(1, acquire);
  ASSERT_EQ(All<Redirect>().size(), 1u);
  EXPECT_EQ(All<Redirect>()[0].region, kLong);
}

TEST_F(RedirectTest, ARefusedJobHasItsOldPlaceAndTheRegionIsNotAskedAgain) {
  Do(1, MayLeave(0, 1, 60));
  Hint(1, kShort, 3);
  Do(1, MayLeave(1, 1, 60));
  ASSERT_EQ(All<Redirect>().size(), 1u);
  Do(1.01, AskFor(2, 1.01, 60.01));
  Acquire again = MayLeave(1, 1, 60);
  again.refused_by = kShort;
  Do(1.02, again);
  EXPECT_TRUE(All<Redirect>().empty());
  EXPECT_EQ(ledger_.NextWaiting()->slot, 1u) << "it entered first";
}

TEST_F(RedirectTest, ARepeatedAskAfterARedirectIsToldToAskAnew) {
  Do(1, MayLeave(0, 1, 60));
  Hint(1, kShort, 1);
  const Acquire acquire = MayLeave(1, 1, 60);
  Do(1, acquire);
  Do(1, acquire);
  ASSERT_EQ(All<Refuse>().size(), 1u);
  EXPECT_EQ(All<Refuse>()[0].reason, RefuseReason::kStale);
}

TEST_F(RedirectTest, OthersAreToldOfIdleWorkersOnlyWhileNobodyWaits) {
  EXPECT_EQ(ledger_.Hint().idle, 1u);
  EXPECT_EQ(ledger_.Hint().appointment, kFirst);
  Acquire landing = AskFor(0, 1, 60);
  landing.foreign = true;
  landing.idle_only = true;
  Do(1, landing);
  EXPECT_EQ(ledger_.Hint().idle, 0u);
  EXPECT_EQ(ledger_.Hint().landings, 1u);
  Do(1, AskFor(1, 1, 60));
  EXPECT_EQ(ledger_.Hint().idle, 0u);
  Do(2, Deposed{kSecond});
  EXPECT_EQ(ledger_.Hint().idle, 0u);
}

// Jobs without a deadline that matters stand by age too, or whoever came back would stand last.
TEST_F(RedirectTest, WithoutADeadlineTheLineIsByAge) {
  Do(1, AskFor(0, 1, 60));
  Acquire younger = AskFor(1, 3, 60);
  younger.deadline = InfiniteFuture();
  Acquire older = AskFor(2, 2, 60);
  older.deadline = InfiniteFuture();
  Do(3, younger);
  Do(4, older);
  EXPECT_EQ(ledger_.NextWaiting()->slot, 2u);
}

}  // namespace
}  // namespace ringway::ledger
