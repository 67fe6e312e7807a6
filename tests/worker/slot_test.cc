#include "worker/slot.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway {
namespace {

using ::testing::IsEmpty;

class SlotTest : public ::testing::Test {
 protected:
  // Steps the slot and keeps what it answered.
  void Do(const SlotEvent& event) {
    actions_.clear();
    slot_.Step(now_, event, actions_);
  }
  template <class A>
  std::optional<A> Got() const {
    for (const SlotAction& action : actions_) {
      if (const A* a = std::get_if<A>(&action)) return *a;
    }
    return std::nullopt;
  }
  std::optional<Refusal> Refused() const {
    const auto refused = Got<RefuseAttempt>();
    return refused ? std::optional(refused->reason) : std::nullopt;
  }
  bool Admitted(SlotOffer offer) {
    Do(offer);
    return Got<AdmitAttempt>().has_value();
  }
  void Run(AttemptId attempt) {
    ASSERT_TRUE(Admitted({.attempt = attempt}));
    Do(SlotPayloadComplete{attempt});
    ASSERT_TRUE(Got<StartJob>());
  }
  void RunAndFail(AttemptId attempt) {
    Run(attempt);
    Do(SlotFinished{attempt, Outcome::kFailed});
  }
  void Advance(double seconds) { now_ += Seconds(seconds); }

  Time now_ = UnixEpoch() + Hours(1);
  Slot slot_{SlotSettings{.service_prior = Seconds(4),
                          .upload_max = Seconds(10),
                          .drain_max = Seconds(60),
                          .failures_before_rest = 3,
                          .rest = Seconds(5)}};
  std::vector<SlotAction> actions_;
};

TEST_F(SlotTest, OneJobRunsAndTheSecondIsBusyWithAHint) {
  Run(1);
  Advance(1);
  Do(SlotOffer{.attempt = 2});
  const auto refused = Got<RefuseAttempt>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, Refusal::kBusy);
  EXPECT_EQ(refused->retry_after, Seconds(3));
  Advance(3);
  Do(SlotFinished{1, Outcome::kDone});
  ASSERT_TRUE(Got<AttemptEnded>());
  EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kDone);
  EXPECT_EQ(Got<AttemptEnded>()->held, Seconds(4));
  EXPECT_TRUE(Admitted({.attempt = 3}));
}

TEST_F(SlotTest, AnUploadAlreadyHoldsTheSlot) {
  ASSERT_TRUE(Admitted({.attempt = 1}));
  EXPECT_FALSE(Admitted({.attempt = 2}));
  EXPECT_EQ(Refused(), Refusal::kBusy);
}

TEST_F(SlotTest, AStalledUploadIsGivenUp) {
  ASSERT_TRUE(Admitted({.attempt = 1}));
  EXPECT_EQ(slot_.NextWake(), now_ + Seconds(10));
  Advance(10);
  Do(SlotWake{});
  ASSERT_TRUE(Got<AttemptEnded>());
  EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kTimeout);
  EXPECT_FALSE(Got<StopJob>()) << "nothing was started, so there is nothing to stop";
  EXPECT_FALSE(slot_.View(now_).busy);
}

TEST_F(SlotTest, ACancelledJobHoldsTheSlotUntilTheBackendLetGo) {
  Run(1);
  Do(SlotWithdraw{1});
  EXPECT_TRUE(Got<StopJob>());
  EXPECT_FALSE(Admitted({.attempt = 2}));
  Do(SlotWithdraw{1});
  EXPECT_THAT(actions_, IsEmpty()) << "asked once is enough";
  Do(SlotFinished{1, Outcome::kCancelled});
  EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kCancelled);
  EXPECT_TRUE(Admitted({.attempt = 3}));
}

TEST_F(SlotTest, AJobThatBeatsItsCancellationIsDone) {
  Run(1);
  Do(SlotWithdraw{1});
  Do(SlotFinished{1, Outcome::kDone});
  EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kDone);
}

TEST_F(SlotTest, TheDeadlineStopsTheJobAndNamesItself) {
  ASSERT_TRUE(Admitted({.attempt = 1, .deadline = now_ + Seconds(6)}));
  Do(SlotPayloadComplete{1});
  EXPECT_EQ(slot_.NextWake(), now_ + Seconds(6));
  Advance(6);
  Do(SlotWake{});
  ASSERT_TRUE(Got<StopJob>());
  Do(SlotFinished{1, Outcome::kCancelled});
  EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kTimeout);
  EXPECT_FALSE(Admitted({.attempt = 2, .deadline = now_}));
  EXPECT_EQ(Refused(), Refusal::kExpired);
}

TEST_F(SlotTest, LeasesOnlyRiseAndTheEpochCountsFirst) {
  struct Case {
    Lease grant;
    bool admitted;
  };
  const Case cases[] = {{{{2, 5}, 3}, true},  {{{2, 5}, 3}, false}, {{{2, 5}, 2}, false},
                        {{{2, 4}, 9}, false}, {{{1, 9}, 9}, false}, {{{2, 5}, 4}, true},
                        {{{3, 1}, 1}, true},  {{{2, 9}, 9}, false}, {{}, true},
                        {{}, true},           {{{3, 0}, 9}, false}, {{{3, 1}, 2}, true}};
  AttemptId attempt = 0;
  for (const Case& c : cases) {
    ++attempt;
    EXPECT_EQ(Admitted({.attempt = attempt, .grant = c.grant}), c.admitted) << "offer " << attempt;
    if (!c.admitted) {
      EXPECT_EQ(Refused(), Refusal::kStaleLease);
    }
    Do(SlotWithdraw{attempt});
  }
}

TEST_F(SlotTest, ANewerLeaderIsObeyedEvenWhenItsOfferMeetsABusySlot) {
  Run(1);
  EXPECT_FALSE(Admitted({.attempt = 2, .grant = {{7, 1}, 1}}));
  EXPECT_EQ(Refused(), Refusal::kBusy);
  Do(SlotFinished{1, Outcome::kDone});
  EXPECT_FALSE(Admitted({.attempt = 3, .grant = {{6, 9}, 1}}));
  EXPECT_EQ(Refused(), Refusal::kStaleLease);
  EXPECT_TRUE(Admitted({.attempt = 4, .grant = {{7, 1}, 1}})) << "it was not used up";
  Do(SlotWithdraw{4});
  Do(SlotFenced{.by = {8, 0}, .upto = {{8, 0}, 0}});
  EXPECT_FALSE(Admitted({.attempt = 5, .grant = {{7, 1}, 2}}));
}

TEST_F(SlotTest, ALeaseThatFindsAnotherInTheSlotIsADoubleGrant) {
  ASSERT_TRUE(Admitted({.attempt = 1, .grant = {{2, 1}, 1}}));
  EXPECT_FALSE(Admitted({.attempt = 2}));
  EXPECT_EQ(Refused(), Refusal::kBusy);
  EXPECT_FALSE(Admitted({.attempt = 3, .grant = {{2, 1}, 2}}));
  EXPECT_EQ(Refused(), Refusal::kDoubleGrant);
}

TEST_F(SlotTest, ALeaderCallsALeaseBackAndAReplacedOneCannot) {
  ASSERT_TRUE(Admitted({.attempt = 1, .grant = {{2, 1}, 5}}));
  Do(SlotPayloadComplete{1});
  Do(SlotFenced{.by = {1, 9}, .upto = {{2, 1}, 5}, .revoke = true});
  EXPECT_FALSE(Got<StopJob>()) << "of a leader that was replaced";
  Do(SlotFenced{.by = {2, 2}, .upto = {{2, 1}, 4}, .revoke = true});
  EXPECT_FALSE(Got<StopJob>()) << "of another lease";
  Do(SlotFenced{.by = {2, 2}, .upto = {{2, 1}, 5}, .revoke = true});
  EXPECT_TRUE(Got<StopJob>());
  EXPECT_EQ(slot_.View(now_).fence, (Lease{{2, 2}, 0}));
}

TEST_F(SlotTest, DrainFinishesTheJobAdmitsNothingAndCanBeTakenBack) {
  Run(1);
  Do(SlotDrain{true});
  EXPECT_TRUE(Got<StateChanged>());
  EXPECT_FALSE(Got<StopJob>());
  EXPECT_FALSE(Admitted({.attempt = 2}));
  EXPECT_EQ(Refused(), Refusal::kDraining);
  Do(SlotFinished{1, Outcome::kDone});
  EXPECT_FALSE(Admitted({.attempt = 3}));
  EXPECT_TRUE(slot_.View(now_).draining);
  Do(SlotDrain{false});
  EXPECT_TRUE(Admitted({.attempt = 4}));
}

TEST_F(SlotTest, ADrainHasAnEnd) {
  Run(1);
  Do(SlotDrain{true});
  EXPECT_EQ(slot_.NextWake(), now_ + Seconds(60));
  Advance(60);
  Do(SlotWake{});
  EXPECT_TRUE(Got<StopJob>());
}

TEST_F(SlotTest, ADrainForAWhileEndsByItselfAndTheLastOrderCounts) {
  Do(SlotDrain{true, Seconds(5)});
  EXPECT_EQ(slot_.View(now_).drain_left, Seconds(5));
  EXPECT_EQ(slot_.NextWake(), now_ + Seconds(5));
  Advance(4);
  Do(SlotWake{});
  EXPECT_FALSE(Admitted({.attempt = 1}));
  EXPECT_EQ(Refused(), Refusal::kDraining);
  Do(SlotDrain{true, Seconds(3)});
  Advance(2);
  Do(SlotWake{});
  EXPECT_TRUE(slot_.View(now_).draining) << "the first order does not end the second";
  Advance(1);
  Do(SlotWake{});
  EXPECT_TRUE(Got<StateChanged>());
  EXPECT_FALSE(slot_.View(now_).draining);
  EXPECT_EQ(slot_.NextWake(), InfiniteFuture());
  EXPECT_TRUE(Admitted({.attempt = 2}));
}

TEST_F(SlotTest, ADrainForGoodTakesTheEndOfAnEarlierOneAway) {
  Do(SlotDrain{true, Seconds(5)});
  Do(SlotDrain{true});
  Advance(6);
  Do(SlotWake{});
  EXPECT_TRUE(slot_.View(now_).draining);
  Do(SlotDrain{true, Seconds(5)});
  Do(SlotDrain{false});
  EXPECT_EQ(slot_.View(now_).drain_left, InfiniteDuration());
  EXPECT_EQ(slot_.NextWake(), InfiniteFuture());
}

TEST_F(SlotTest, FailuresInARowMakeItRestAndOneMoreFailureRestsAgain) {
  for (AttemptId attempt = 1; attempt <= 3; ++attempt) RunAndFail(attempt);
  EXPECT_TRUE(slot_.View(now_).resting);
  Advance(1);
  EXPECT_FALSE(Admitted({.attempt = 4}));
  EXPECT_EQ(Refused(), Refusal::kResting);
  EXPECT_EQ(Got<RefuseAttempt>()->retry_after, Seconds(4));
  EXPECT_EQ(slot_.NextWake(), now_ + Seconds(4));
  Advance(4);
  Do(SlotWake{});
  EXPECT_TRUE(Got<StateChanged>());
  EXPECT_EQ(slot_.NextWake(), InfiniteFuture());
  RunAndFail(5);
  EXPECT_TRUE(slot_.View(now_).resting);
}

TEST_F(SlotTest, OneThatKeepsFrontingABusyServerRestsToo) {
  for (AttemptId attempt = 1; attempt <= 3; ++attempt) {
    Run(attempt);
    Do(SlotFinished{attempt, Outcome::kBusy});
    EXPECT_EQ(Got<AttemptEnded>()->outcome, Outcome::kBusy);
  }
  EXPECT_TRUE(slot_.View(now_).resting);
}

TEST_F(SlotTest, ARejectedRequestSaysNothingAboutTheWorker) {
  for (AttemptId attempt = 1; attempt <= 5; ++attempt) {
    Run(attempt);
    Do(SlotFinished{attempt, Outcome::kRejected});
  }
  EXPECT_FALSE(slot_.View(now_).resting);
}

TEST_F(SlotTest, ASuccessForgivesFailures) {
  RunAndFail(1);
  RunAndFail(2);
  Run(3);
  Do(SlotFinished{3, Outcome::kDone});
  RunAndFail(4);
  EXPECT_FALSE(slot_.View(now_).resting);
}

TEST_F(SlotTest, ProgressIsMonotoneAndSharpensTheEstimate) {
  Run(1);
  Advance(2);
  Do(SlotProgress{1, 2, 10});
  EXPECT_EQ(slot_.View(now_).expected_free, Seconds(8));
  Do(SlotProgress{1, 1, 10});
  EXPECT_EQ(slot_.View(now_).step, 2u);
  Do(SlotProgress{1, 11, 10});
  EXPECT_EQ(slot_.View(now_).step, 2u);
  Do(SlotProgress{9, 5, 10});
  EXPECT_EQ(slot_.View(now_).step, 2u) << "of another attempt";
}

TEST_F(SlotTest, EventsOfAttemptsLongGoneChangeNothing) {
  Run(1);
  Do(SlotFinished{1, Outcome::kDone});
  Run(2);
  for (const SlotEvent& late : {SlotEvent(SlotFinished{1, Outcome::kDone}), SlotEvent(SlotWithdraw{1}),
                                SlotEvent(SlotPayloadComplete{1}), SlotEvent(SlotPayloadComplete{2})}) {
    Do(late);
    EXPECT_THAT(actions_, IsEmpty());
  }
  EXPECT_EQ(slot_.View(now_).attempt, 2u);
}

TEST_F(SlotTest, AFenceThatNoLeaderCanHaveIsNotTaken) {
  ASSERT_TRUE(Admitted({.attempt = 1, .lease = "L7-1-1", .grant = {{7, 1}, 1}}));
  Do(SlotWithdraw{1});
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t epoch : {kMost, std::uint64_t{1} << 48, std::uint64_t{1} << 40}) {
    Do(SlotFenced{.by = {epoch, kMost}, .upto = {{epoch, kMost}, kMost}});
    Do(SlotOffer{.attempt = 2, .grant = {{epoch, 1}, 1}});
    EXPECT_EQ(Refused(), Refusal::kStaleLease);
    EXPECT_EQ(slot_.fence(), (Lease{{7, 1}, 1})) << epoch;
  }
  EXPECT_TRUE(Admitted({.attempt = 3, .lease = "L8-1-1", .grant = {{8, 1}, 1}})) << "a real one is";
}

TEST_F(SlotTest, AClaimedFenceHealsWhenALeaderObjectsAndAProvenOneDoesNot) {
  ASSERT_TRUE(Admitted({.attempt = 1, .lease = "L7-1-1", .grant = {{7, 1}, 1}}));
  Do(SlotWithdraw{1});
  Do(SlotFenced{.by = {9, 1}, .upto = {{9, 1}, 1000}});
  Do(SlotFenced{.by = {7, 1}, .upto = {{7, 1}, 0}});
  EXPECT_EQ(slot_.fence(), (Lease{{9, 1}, 1000})) << "a newer leader's word counts at first";
  Advance(59);
  Do(SlotOffer{.attempt = 2, .grant = {{7, 1}, 2}});
  EXPECT_EQ(Refused(), Refusal::kStaleLease);
  Advance(2);
  Do(SlotFenced{.by = {7, 1}, .upto = {{7, 1}, 0}});
  EXPECT_EQ(slot_.fence(), (Lease{{7, 1}, 1})) << "nothing ran under it";
  EXPECT_TRUE(Admitted({.attempt = 3, .lease = "L7-1-2", .grant = {{7, 1}, 2}}));
  Do(SlotWithdraw{3});
  Do(SlotOffer{.attempt = 4, .grant = {{7, 1}, 2}});
  EXPECT_EQ(Refused(), Refusal::kStaleLease) << "no lease passes twice";
  // The newer leader's lease ran: the older one may object for ever.
  ASSERT_TRUE(Admitted({.attempt = 5, .lease = "L9-1-1", .grant = {{9, 1}, 1}}));
  Do(SlotWithdraw{5});
  Advance(1000);
  Do(SlotFenced{.by = {7, 1}, .upto = {{7, 1}, 0}});
  Do(SlotOffer{.attempt = 6, .grant = {{7, 1}, 9}});
  EXPECT_EQ(Refused(), Refusal::kStaleLease);
  EXPECT_EQ(slot_.fence(), (Lease{{9, 1}, 1}));
}

TEST_F(SlotTest, ASerialBeyondSenseHealsForTheLeaderItself) {
  ASSERT_TRUE(Admitted({.attempt = 1, .lease = "L7-1-1", .grant = {{7, 1}, 1}}));
  Do(SlotWithdraw{1});
  Do(SlotFenced{.by = {7, 1}, .upto = {{7, 1}, std::numeric_limits<std::uint64_t>::max()}});
  Do(SlotOffer{.attempt = 2, .grant = {{7, 1}, 2}});
  EXPECT_EQ(Refused(), Refusal::kStaleLease);
  Advance(61);
  EXPECT_TRUE(Admitted({.attempt = 3, .lease = "L7-1-3", .grant = {{7, 1}, 3}}));
}

}  // namespace
}  // namespace ringway
