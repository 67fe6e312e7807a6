// The leader of a ledger: who is connected, when it sends heartbeats, and what a lost stream costs.
#include "router/session/ledger_leader.h"

#include <gtest/gtest.h>

#include <optional>

namespace ringway::router {
namespace {

using ledger::Acquire;
using ledger::Announce;
using ledger::Grant;
using ledger::Refuse;
using ledger::RequestKey;
using ledger::WorkerStatus;

constexpr Fence kAppointment{3, 2};
const WorkerId kWorker(0);
const RouterId kHomeRouter(0), kOther(1);

class LedgerLeaderTest : public testing::Test {
 protected:
  void Do(const LeaderEvent& event) {
    actions_.clear();
    leader_.Step(now_, event, actions_);
  }
  void Pass(Duration span) {
    now_ += span;
    Do(LeaderWake{});
  }
  template <class T>
  std::optional<T> Last() const {
    for (auto action = actions_.rbegin(); action != actions_.rend(); ++action) {
      if (const T* match = std::get_if<T>(&*action)) return *match;
    }
    return std::nullopt;
  }
  // What a router was told last.
  template <class T>
  std::optional<T> Told(RouterId router) const {
    for (auto action = actions_.rbegin(); action != actions_.rend(); ++action) {
      const auto* tell = std::get_if<TellRouter>(&*action);
      if (tell == nullptr || tell->router != router) continue;
      if (const T* match = std::get_if<T>(&tell->what)) return *match;
    }
    return std::nullopt;
  }
  int Beats() const {
    int beats = 0;
    for (const LeaderAction& action : actions_) beats += std::holds_alternative<SendHeartbeat>(action);
    return beats;
  }
  void Idle(Lease fence = {kAppointment, 0}) {
    Do(Announce{kWorker, ++sequence_, WorkerStatus::kIdle, fence, {}});
  }
  void AskFor(RouterId router, std::uint64_t generation = 1) {
    Do(RouterSaid{router, Acquire{.key = {RouterId(77), 4, generation},
                                  .priority = 0,
                                  .arrived = now_,
                                  .deadline = now_ + Seconds(10),
                                  .expected = Seconds(1)}});
  }

  Time now_ = FromUnixSeconds(1000);
  std::vector<LeaderAction> actions_;
  LeaderSettings settings_;
  LedgerLeader leader_{settings_};
  std::uint64_t sequence_ = 0;
};

TEST_F(LedgerLeaderTest, OneThatDoesNotHoldSaysNothing) {
  Do(ClientConnected{kOther});
  EXPECT_EQ(Beats(), 0);
  AskFor(kOther);
  ASSERT_TRUE(Told<Refuse>(kOther));
  EXPECT_EQ(Told<Refuse>(kOther)->reason, ledger::RefuseReason::kNotLeader);
  EXPECT_EQ(leader_.NextWake(), InfiniteFuture());
}

TEST_F(LedgerLeaderTest, HeartbeatsBeginWithTheAppointmentAndWithEachStreamAndComeInTime) {
  Do(ClientConnected{kOther});
  Do(LeadershipGiven{kAppointment, true});
  EXPECT_EQ(Beats(), 1);
  EXPECT_EQ(Last<SendHeartbeat>()->appointment, kAppointment);
  Do(ClientConnected{kHomeRouter});
  EXPECT_EQ(Beats(), 1) << "the one that came is told at once";
  EXPECT_EQ(leader_.NextWake(), now_ + Milliseconds(100));
  Pass(Milliseconds(100));
  EXPECT_EQ(Beats(), 2);
  Do(LeadershipMoved{{3, 3}});
  Pass(Milliseconds(100));
  EXPECT_EQ(Beats(), 0);
}

TEST_F(LedgerLeaderTest, AWorkerIsFencedBeforeItIsGranted) {
  Do(ledger::WorkerListed{kWorker});
  Do(ClientConnected{kOther});
  Do(LeadershipGiven{kAppointment, true});
  ASSERT_TRUE(Last<FenceOff>());
  EXPECT_EQ(Last<FenceOff>()->by, kAppointment);
  EXPECT_EQ(Last<FenceOff>()->upto, (Lease{kAppointment, 0}));
  AskFor(kOther);
  Idle(Lease{});
  EXPECT_FALSE(Told<Grant>(kOther)) << "it does not know of this leader yet";
  Idle();
  ASSERT_TRUE(Told<Grant>(kOther));
  EXPECT_EQ(Told<Grant>(kOther)->key.router, kOther) << "whoever the message names";
}

TEST_F(LedgerLeaderTest, ARouterThatFellIsNotGrantedAndItsLeasesOutliveAShortBreak) {
  Do(ledger::WorkerListed{kWorker});
  Do(LeadershipGiven{kAppointment, true});
  Do(ClientConnected{kOther});
  Do(ClientConnected{kHomeRouter});
  Idle();
  AskFor(kOther, 1);
  const auto grant = Told<Grant>(kOther);
  ASSERT_TRUE(grant);
  AskFor(kHomeRouter, 1);
  Do(ClientDisconnected{kOther});
  Do(ClientConnected{kOther});
  Pass(Seconds(2));
  EXPECT_FALSE(Last<FenceOff>()) << "a short break calls nothing back";
  Do(ClientDisconnected{kOther});
  Pass(Milliseconds(999));
  EXPECT_FALSE(Last<FenceOff>());
  Pass(Milliseconds(2));
  ASSERT_TRUE(Last<FenceOff>());
  EXPECT_EQ(Last<FenceOff>()->upto, grant->lease);
  EXPECT_TRUE(Last<FenceOff>()->revoke);
  Idle(grant->lease);
  EXPECT_TRUE(Told<Grant>(kHomeRouter));
}

TEST_F(LedgerLeaderTest, PlacesInTheLineEndWithTheStream) {
  Do(ledger::WorkerListed{kWorker});
  Do(LeadershipGiven{kAppointment, true});
  Do(ClientConnected{kOther});
  Do(ClientConnected{kHomeRouter});
  AskFor(kOther);
  AskFor(kHomeRouter);
  Do(ClientDisconnected{kOther});
  Idle();
  EXPECT_FALSE(Told<Grant>(kOther));
  EXPECT_TRUE(Told<Grant>(kHomeRouter)) << "the one before it has left";
}

TEST_F(LedgerLeaderTest, AWorkerThatKnowsAHigherLeaderDeposesThisOne) {
  Do(ledger::WorkerListed{kWorker});
  Do(LeadershipGiven{kAppointment, true});
  Do(ClientConnected{kOther});
  AskFor(kOther);
  Idle(Lease{{3, 9}, 0});
  EXPECT_FALSE(leader_.holding());
  ASSERT_TRUE(Told<Refuse>(kOther));
  EXPECT_EQ(Told<Refuse>(kOther)->reason, ledger::RefuseReason::kNotLeader);
}

TEST_F(LedgerLeaderTest, ADeposedOneStaysDeposedUntilAHigherAppointment) {
  Do(LeadershipGiven{kAppointment, true});
  Do(LeadershipMoved{{3, 3}});
  Do(LeadershipGiven{kAppointment, true});
  EXPECT_FALSE(leader_.holding());
  Do(LeadershipGiven{{3, 4}, false});
  EXPECT_TRUE(leader_.holding());
}

TEST_F(LedgerLeaderTest, WithoutAControllerWorkersThatAnnounceAreGrantedOn) {
  Do(ledger::WorkerListed{kWorker});
  Do(LeadershipGiven{kAppointment, true});
  Do(ControllerSeen{false});
  Do(ClientConnected{kOther});
  Pass(Hours(1));
  Idle();
  AskFor(kOther);
  EXPECT_TRUE(Told<Grant>(kOther));
}

TEST_F(LedgerLeaderTest, WithoutAControllerPoolsThatAnnounceNothingAreNotGrantedForLong) {
  settings_.ledger.workers_announce = false;
  settings_.uncontrolled_max = Seconds(60);
  leader_ = LedgerLeader(settings_);
  Do(LeadershipGiven{kAppointment, true});
  Do(ledger::WorkerListed{kWorker});
  Do(ClientConnected{kOther});
  Do(ControllerSeen{false});
  Pass(Seconds(59));
  EXPECT_EQ(Beats(), 1);
  EXPECT_EQ(leader_.NextWake(), now_ + Milliseconds(100));
  Pass(Seconds(1));
  EXPECT_TRUE(leader_.cut_off());
  EXPECT_EQ(Beats(), 0);
  AskFor(kOther);
  EXPECT_TRUE(Told<Refuse>(kOther));
  Do(ControllerSeen{true});
  AskFor(kOther, 2);
  EXPECT_TRUE(Told<Grant>(kOther));
}

// ---- leaders of other regions ----

std::vector<ledger::IdleHint> HintsOf(const std::vector<LeaderAction>& actions) {
  std::vector<ledger::IdleHint> hints;
  for (const LeaderAction& action : actions) {
    if (const auto* send = std::get_if<SendHint>(&action)) hints.push_back(send->hint);
  }
  return hints;
}

TEST_F(LedgerLeaderTest, AListenerIsToldOnChangeAndOnceASecond) {
  Do(LeadershipGiven{kAppointment});
  Do(ledger::WorkerListed{kWorker});
  Do(ListenerConnected{RouterId(900), Milliseconds(100)});
  EXPECT_EQ(Beats(), 0) << "it acquires nothing, and is no client";
  std::vector<ledger::IdleHint> hints;
  const auto pass = [&](int tenths) {
    hints.clear();
    for (int i = 0; i < tenths; ++i) {
      Pass(Milliseconds(100));
      for (const ledger::IdleHint& hint : HintsOf(actions_)) hints.push_back(hint);
    }
  };
  pass(1);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].idle, 0u);
  EXPECT_EQ(hints[0].appointment, kAppointment);
  const std::uint64_t first = hints[0].sequence;
  pass(9);
  EXPECT_TRUE(hints.empty()) << "nothing has changed";
  pass(1);
  EXPECT_EQ(hints.size(), 1u) << "a sign of life";
  Idle();
  pass(3);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].idle, 1u);
  EXPECT_GT(hints[0].sequence, first);
  Do(ListenerDisconnected{RouterId(900)});
  pass(20);
  EXPECT_TRUE(hints.empty());
}

TEST_F(LedgerLeaderTest, AChangeAfterQuietIsToldAtOnce) {
  Do(LeadershipGiven{kAppointment});
  Do(ledger::WorkerListed{kWorker});
  Do(ListenerConnected{RouterId(900), Milliseconds(100)});
  for (int i = 0; i < 3; ++i) Pass(Milliseconds(100));
  Pass(Milliseconds(40));
  EXPECT_TRUE(HintsOf(actions_).empty());
  now_ += Milliseconds(10);
  Idle();
  ASSERT_EQ(HintsOf(actions_).size(), 1u) << "no beat is due";
  EXPECT_EQ(HintsOf(actions_)[0].idle, 1u);
  now_ += Milliseconds(10);
  Do(RouterSaid{kHomeRouter, Acquire{}});
  EXPECT_TRUE(HintsOf(actions_).empty()) << "not more often than every 100 ms";
}

TEST_F(LedgerLeaderTest, AFarListenerHearsOfChangesOnceASecond) {
  Do(LeadershipGiven{kAppointment});
  Do(ledger::WorkerListed{kWorker});
  Do(ListenerConnected{RouterId(900), Seconds(1)});
  int hints = 0;
  for (int i = 0; i < 40; ++i) {
    Pass(Milliseconds(100));
    hints += static_cast<int>(HintsOf(actions_).size());
    Do(RouterSaid{kHomeRouter, Acquire{}});
    Idle();
  }
  EXPECT_GE(hints, 3);
  EXPECT_LE(hints, 5);
}

TEST_F(LedgerLeaderTest, WhoeverListensIsAnsweredAtOnce) {
  Do(ListenerConnected{RouterId(900), Seconds(1)});
  Do(HintWanted{RouterId(900), 5});
  EXPECT_FALSE(Last<SendHint>()) << "it does not lead yet";
  Do(LeadershipGiven{kAppointment});
  ASSERT_TRUE(Last<SendHint>());
  const std::uint64_t before = Last<SendHint>()->hint.sequence;
  EXPECT_EQ(Last<SendHint>()->answers, 0u);
  Do(HintWanted{RouterId(900), 6});
  ASSERT_TRUE(Last<SendHint>());
  EXPECT_EQ(Last<SendHint>()->answers, 6u);
  EXPECT_GT(Last<SendHint>()->hint.sequence, before);
  actions_.clear();
  Do(HintWanted{RouterId(901), 7});
  EXPECT_FALSE(Last<SendHint>()) << "of nobody who listens";
}

TEST_F(LedgerLeaderTest, ItSaysThatItRedirectsWhileItHearsOfOtherRegions) {
  Do(LeadershipGiven{kAppointment});
  Do(ClientConnected{kHomeRouter});
  EXPECT_FALSE(Last<SendHeartbeat>()->redirects);
  Do(ledger::AwayAimed{{{RegionId(3), Milliseconds(20)}}});
  Do(ledger::HintHeard{RegionId(3), {.appointment = {1, 1}, .sequence = 1, .idle = 0, .landings = 0}});
  Pass(Milliseconds(100));
  ASSERT_TRUE(Last<SendHeartbeat>());
  EXPECT_TRUE(Last<SendHeartbeat>()->redirects) << "also when none of them has an idle worker";
  Pass(Seconds(3));
  EXPECT_FALSE(Last<SendHeartbeat>()->redirects);
}

TEST_F(LedgerLeaderTest, ARedirectGoesToTheRouterThatAsked) {
  Do(LeadershipGiven{kAppointment});
  Do(ClientConnected{kOther});
  Do(ledger::AwayAimed{{{RegionId(3), Milliseconds(20)}}});
  Do(ledger::HintHeard{RegionId(3), {.appointment = {1, 1}, .sequence = 1, .idle = 1, .landings = 0}});
  Acquire acquire{.key = {RouterId(77), 4, 1},
                  .priority = 0,
                  .arrived = now_,
                  .deadline = now_ + Seconds(10),
                  .expected = Seconds(1)};
  acquire.may_leave = true;
  Do(RouterSaid{kOther, acquire});
  ASSERT_TRUE(Told<ledger::Redirect>(kOther));
  EXPECT_EQ(Told<ledger::Redirect>(kOther)->region, RegionId(3));
}

}  // namespace
}  // namespace ringway::router
