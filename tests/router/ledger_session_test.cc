// A router's session with one tier's ledger: whom it believes, what its machine is told, which worker is
// heard.
#include "router/session/ledger_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/rng.h"

namespace ringway::router {
namespace {

using ledger::Acquire;
using ledger::Announce;
using ledger::Grant;
using ledger::WorkerStatus;

const TierId kSessionTier(0);
const RouterId kHere(5), kElsewhere(6), kClient(1);
const WorkerId kSessionWorker(0);
constexpr std::uint64_t kLife = 70;

Acquire AcquireOf(std::uint32_t job) {
  return {.key = {LedgerSession::kMachine, job, 1},
          .priority = 0,
          .arrived = UnixEpoch(),
          .deadline = UnixEpoch() + Hours(1),
          .expected = Seconds(1)};
}

class LedgerSessionTest : public testing::Test {
 protected:
  void Do(const SessionEvent& event) {
    actions_.clear();
    session_.Step(now_, event, actions_);
  }
  void NameOther(Fence fence, const std::string& address = "other:1") {
    Do(LeaderNamed{.router = kElsewhere, .address = address, .fence = fence});
  }
  void NameSelf(Fence fence, std::uint64_t life = kLife) {
    Do(LeaderNamed{.router = kHere, .self = true, .incarnation = life, .fence = fence, .fresh = true});
  }
  template <class T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const SessionAction& action : actions_) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  // What the machine was told of this kind, in order.
  template <class T>
  std::vector<T> Told() const {
    std::vector<T> found;
    for (const TellMachine& tell : All<TellMachine>()) {
      if (const T* match = std::get_if<T>(&tell.news)) found.push_back(*match);
    }
    return found;
  }
  void Hear(std::uint64_t sequence, WorkerStatus status, Lease fence,
            std::optional<std::uint64_t> connection = std::nullopt) {
    Do(WorkerAnnounced{{kSessionWorker, sequence, status, fence, {}}, connection});
  }

  Time now_ = UnixEpoch() + Seconds(1000);
  LedgerSession session_{
      SessionSettings{.tier = kSessionTier, .self = RouterId(0), .incarnation = kLife, .leader = {}}};
  std::vector<SessionAction> actions_;
};

TEST_F(LedgerSessionTest, TheMachineHearsOfALeaderWithItsFirstBeat) {
  NameOther({3, 1});
  ASSERT_EQ(All<DialLeader>().size(), 1u);
  EXPECT_EQ(All<DialLeader>()[0].router, kElsewhere);
  EXPECT_TRUE(Told<LeaderAppointed>().empty());
  Do(LeaderHeartbeat{{3, 1}});
  ASSERT_EQ(Told<LeaderAppointed>().size(), 1u);
  EXPECT_EQ(Told<LeaderAppointed>()[0].leader.router, kElsewhere);
  Do(LeaderHeartbeat{{3, 1}});
  EXPECT_TRUE(Told<LeaderAppointed>().empty());
  EXPECT_EQ(Told<LeaderHeard>().size(), 1u);
}

TEST_F(LedgerSessionTest, ALeaderThatWasReplacedIsNotBelieved) {
  NameOther({3, 2});
  Do(LeaderHeartbeat{{3, 1}});
  EXPECT_TRUE(actions_.empty());
  NameOther({3, 1}, "older:1");
  EXPECT_TRUE(actions_.empty()) << "an older directory";
  Do(LeaderHeartbeat{{4, 1}});
  EXPECT_EQ(Told<LeaderAppointed>().size(), 1u) << "its appointment is newer than this router's directory";
}

TEST_F(LedgerSessionTest, ABrokenLinkIsTheMachinesToKnowAtOnceAndOnce) {
  NameOther({3, 1});
  Do(LeaderLost{});
  EXPECT_TRUE(actions_.empty()) << "it had not been heard";
  Do(LeaderHeartbeat{{3, 1}});
  Do(LeaderLost{});
  ASSERT_EQ(Told<LeaderAppointed>().size(), 1u);
  EXPECT_FALSE(Told<LeaderAppointed>()[0].leader.router.valid());
  Do(LeaderLost{});
  EXPECT_TRUE(actions_.empty());
}

TEST_F(LedgerSessionTest, ALeaderIsDialledAnewOnlyIfItMoved) {
  NameOther({3, 1});
  NameOther({3, 2});
  EXPECT_TRUE(All<DialLeader>().empty());
  NameOther({3, 2}, "moved:1");
  EXPECT_EQ(All<HangUpLeader>().size(), 1u);
  ASSERT_EQ(All<DialLeader>().size(), 1u);
  EXPECT_EQ(All<DialLeader>()[0].address, "moved:1");
}

TEST_F(LedgerSessionTest, WhereNobodyLeadsNothingIsSaid) {
  NameOther({3, 1});
  Do(LeaderHeartbeat{{3, 1}});
  Do(NoLeaderNamed{});
  EXPECT_EQ(All<HangUpLeader>().size(), 1u);
  ASSERT_EQ(Told<LeaderAppointed>().size(), 1u);
  EXPECT_FALSE(Told<LeaderAppointed>()[0].leader.router.valid());
  Do(MachineSaid{kElsewhere, AcquireOf(1)});
  EXPECT_TRUE(actions_.empty());
}

TEST_F(LedgerSessionTest, WhatIsForAnotherLeaderIsDropped) {
  NameOther({3, 1});
  Do(MachineSaid{kHere, AcquireOf(1)});
  EXPECT_TRUE(actions_.empty());
  Do(MachineSaid{kElsewhere, AcquireOf(1)});
  EXPECT_EQ(All<TellLeader>().size(), 1u);
}

TEST_F(LedgerSessionTest, AnAppointmentOfAnEarlierLifeIsNobodys) {
  NameSelf({3, 1}, kLife - 1);
  EXPECT_FALSE(session_.leads());
  EXPECT_FALSE(session_.leader().valid());
  NameSelf({3, 1}, kLife);
  EXPECT_TRUE(session_.leads());
  ASSERT_EQ(Told<LeaderAppointed>().size(), 1u);
  EXPECT_EQ(Told<LeaderAppointed>()[0].leader.router, kHere);
}

TEST_F(LedgerSessionTest, TheLeadersOwnMachineIsAClientWithoutALink) {
  NameSelf({3, 1});
  Do(ledger::WorkerListed{kSessionWorker});
  Hear(1, WorkerStatus::kIdle, {{3, 1}, 0});
  Do(MachineSaid{kHere, AcquireOf(9)});
  ASSERT_EQ(Told<LeaderAnswered>().size(), 1u);
  const LeaderAnswered answered = Told<LeaderAnswered>()[0];
  const auto* grant = std::get_if<Grant>(&answered.answer);
  ASSERT_NE(grant, nullptr);
  EXPECT_EQ(grant->key.router, LedgerSession::kMachine);
  EXPECT_EQ(grant->key.slot, 9u);
  EXPECT_TRUE(All<TellRouter>().empty());
}

TEST_F(LedgerSessionTest, ALeaderThatIsReplacedGivesUpAndFollows) {
  NameSelf({3, 1});
  Do(ClientConnected{kClient});
  NameOther({3, 2});
  EXPECT_FALSE(session_.leads());
  EXPECT_FALSE(session_.leadership().holding());
  EXPECT_EQ(All<DialLeader>().size(), 1u);
  Do(LeaderWake{});
  EXPECT_TRUE(All<SendHeartbeat>().empty()) << "silence says that nobody leads here";
}

TEST_F(LedgerSessionTest, AWorkerWhoseStreamBrokeIsGrantedToNobodyUntilItIsHeard) {
  NameSelf({3, 1});
  Do(ledger::WorkerListed{kSessionWorker});
  Hear(100, WorkerStatus::kIdle, {{3, 1}, 0});
  Do(WatchBroke{kSessionWorker});
  Do(MachineSaid{kHere, AcquireOf(1)});
  EXPECT_TRUE(Told<LeaderAnswered>().empty());
  Hear(7, WorkerStatus::kIdle, {{3, 1}, 0});  // its clock was set back
  ASSERT_EQ(Told<LeaderAnswered>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Grant>(Told<LeaderAnswered>()[0].answer));
}

TEST_F(LedgerSessionTest, AReplyOfAnEarlierConnectionIsNotHeard) {
  NameSelf({3, 1});
  Do(ledger::WorkerListed{kSessionWorker});
  ASSERT_EQ(All<FenceOff>().size(), 1u);
  const std::uint64_t before = All<FenceOff>()[0].connection;
  Do(WatchBroke{kSessionWorker});
  Hear(9, WorkerStatus::kIdle, {{3, 1}, 0}, before);
  EXPECT_EQ(session_.leadership().ledger().View().idle, 0u);
  Hear(3, WorkerStatus::kIdle, {{3, 1}, 0});
  EXPECT_EQ(session_.leadership().ledger().View().idle, 1u);
}

TEST_F(LedgerSessionTest, AWorkerThatIsNotListedIsNotHeard) {
  NameSelf({3, 1});
  Hear(1, WorkerStatus::kIdle, {{3, 1}, 0});
  EXPECT_TRUE(actions_.empty());
  Do(ledger::WorkerListed{kSessionWorker});
  Do(ledger::WorkerGone{kSessionWorker});
  Hear(2, WorkerStatus::kIdle, {{3, 1}, 0});
  EXPECT_EQ(session_.leadership().ledger().View().idle, 0u);
}

SessionEvent RandomEvent(Rng& rng) {
  const auto pick = [&](std::uint64_t n) { return rng.Next() % n; };
  const Fence fence{3 + pick(2), pick(4)};
  switch (pick(10)) {
    case 0:
      return LeaderNamed{.router = kElsewhere, .address = pick(2) ? "a" : "b", .fence = fence};
    case 1:
      return LeaderNamed{.router = kHere, .self = true, .incarnation = kLife - pick(2), .fence = fence};
    case 2:
      return NoLeaderNamed{};
    case 3:
      return LeaderLost{};
    case 4:
      return LeaderHeartbeat{fence};
    case 5:
      return MachineSaid{pick(2) ? kHere : kElsewhere, AcquireOf(static_cast<std::uint32_t>(pick(100)))};
    case 6:
      return WorkerAnnounced{{kSessionWorker, pick(1000), WorkerStatus::kIdle, {fence, 0}, {}}, std::nullopt};
    case 7:
      return WatchBroke{kSessionWorker};
    case 8:
      return ledger::WorkerListed{kSessionWorker};
    default:
      return ledger::WorkerGone{kSessionWorker};
  }
}

// At most one link; the machine is told of changes only, and of no leader below the directory's appointment;
// who does not lead grants nothing.
struct Follower {
  void See(const DialLeader&) { Must(!std::exchange(dialled, true), "a second link"); }
  void See(const HangUpLeader&) { Must(std::exchange(dialled, false), "no link to hang up"); }
  void See(const TellMachine& tell) {
    std::visit([this](const auto& news) { See(news); }, tell.news);
  }
  void See(const LeaderAppointed& news) {
    const bool valid = news.leader.router.valid();
    Must(!valid || news.leader.fence >= directory, "a leader that was replaced");
    Must(valid || seated, "none, where none was");
    seated = valid;
  }
  void See(const LeaderAnswered& news) {
    Must(leads || !std::holds_alternative<Grant>(news.answer), "a grant by nobody");
  }
  void Must(bool holds, const char* what) {
    if (!holds) wrong = what;
  }
  template <class Other>
  void See(const Other&) {}

  Fence directory;
  bool leads = false, dialled = false, seated = false;
  std::string wrong;
};

TEST(LedgerSessionProperty, AnyOrderOfEvents) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, 1);
    LedgerSession session(
        SessionSettings{.tier = kSessionTier, .self = RouterId(0), .incarnation = kLife, .leader = {}});
    Time now = UnixEpoch() + Seconds(1000);
    Follower follower;
    for (int step = 0; step < 300; ++step) {
      now += Milliseconds(static_cast<std::int64_t>(rng.Next() % 200));
      const SessionEvent event = RandomEvent(rng);
      const auto* named = std::get_if<LeaderNamed>(&event);
      if (named != nullptr) follower.directory = std::max(follower.directory, named->fence);
      std::vector<SessionAction> actions;
      session.Step(now, event, actions);
      follower.leads = session.leads();
      for (const SessionAction& action : actions) std::visit([&](const auto& a) { follower.See(a); }, action);
      ASSERT_EQ(follower.wrong, "") << "seed " << seed << ", step " << step;
      ASSERT_FALSE(follower.dialled && follower.leads) << "seed " << seed << ", step " << step;
      ASSERT_EQ(follower.seated, session.heard()) << "seed " << seed << ", step " << step;
    }
  }
}

// ---- leaders of other regions ----

ledger::AwayAimed AimAt(std::size_t regions) {
  ledger::AwayAimed aimed;
  for (std::size_t r = 1; r <= regions; ++r) {
    aimed.targets.push_back({RegionId(r), Milliseconds(static_cast<std::int64_t>(10 * r))});
  }
  return aimed;
}
LeadersElsewhere LeadersOf(std::size_t regions) {
  LeadersElsewhere elsewhere;
  for (std::size_t r = 1; r <= regions; ++r) {
    elsewhere.leaders.push_back({RegionId(r), RouterId(100 + r), "there:" + std::to_string(r)});
  }
  return elsewhere;
}

TEST_F(LedgerSessionTest, OnlyALeaderListensToOtherRegions) {
  Do(AimAt(2));
  Do(LeadersOf(3));
  EXPECT_TRUE(All<DialRegion>().empty());
  NameSelf({3, 1});
  ASSERT_EQ(All<DialRegion>().size(), 2u) << "where jobs may go";
  EXPECT_EQ(All<DialRegion>()[0].region, RegionId(1));
  EXPECT_EQ(All<DialRegion>()[0].address, "there:1");
  NameOther({3, 2});
  EXPECT_EQ(All<HangUpRegion>().size(), 2u);
}

TEST_F(LedgerSessionTest, ALeaderThatMovedElsewhereIsDialledAnewAndTheOthersAreLeftAlone) {
  NameSelf({3, 1});
  Do(AimAt(2));
  Do(LeadersOf(2));
  EXPECT_EQ(All<DialRegion>().size(), 2u);
  LeadersElsewhere moved = LeadersOf(2);
  moved.leaders[1].router = RouterId(55);
  Do(moved);
  ASSERT_EQ(All<HangUpRegion>().size(), 1u);
  EXPECT_EQ(All<HangUpRegion>()[0].region, RegionId(2));
  ASSERT_EQ(All<DialRegion>().size(), 1u);
  EXPECT_EQ(All<DialRegion>()[0].router, RouterId(55));
  Do(moved);
  EXPECT_TRUE(actions_.empty());
}

TEST_F(LedgerSessionTest, TheNearestRegionsTellFastAndTheirNumberIsBounded) {
  NameSelf({3, 1});
  Do(LeadersOf(90));
  Do(AimAt(90));
  const std::vector<DialRegion> dialled = All<DialRegion>();
  ASSERT_EQ(dialled.size(), LedgerSession::kRegionsMax);
  for (std::size_t i = 0; i < dialled.size(); ++i) {
    EXPECT_EQ(dialled[i].period,
              i < LedgerSession::kNearRegions ? LedgerSession::kNearPeriod : LedgerSession::kFarPeriod);
  }
}

TEST_F(LedgerSessionTest, HintsAreHeardWhileTheLinkStands) {
  NameSelf({3, 1});
  const ledger::IdleHint hint{.appointment = {1, 1}, .sequence = 1, .idle = 4, .landings = 0};
  const auto believed = [&] { return session_.leadership().ledger().others().Believed(now_, RegionId(1)); };
  Do(AimAt(1));
  Do(RegionHinted{RegionId(1), hint});
  EXPECT_EQ(believed(), 0) << "nobody is listened to";
  Do(LeadersOf(1));
  Do(RegionHinted{RegionId(1), hint});
  EXPECT_EQ(believed(), 4);
  Do(RegionLinkBroke{RegionId(1)});
  EXPECT_EQ(believed(), 0);
}

TEST_F(LedgerSessionTest, TheMachineHearsWhetherItsLeaderRedirects) {
  NameOther({3, 1});
  Do(LeaderHeartbeat{{3, 1}, true});
  ASSERT_EQ(Told<LeaderAppointed>().size(), 1u);
  ASSERT_EQ(Told<LeaderHeard>().size(), 1u);
  EXPECT_TRUE(Told<LeaderHeard>()[0].redirects);
  Do(LeaderHeartbeat{{3, 1}, false});
  EXPECT_FALSE(Told<LeaderHeard>()[0].redirects);
}

}  // namespace
}  // namespace ringway::router
