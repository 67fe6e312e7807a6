// Who is told what inside a router, and in which order.
#include "router/router_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/leader_epoch.h"
#include "tests/router/traced_node.h"

namespace ringway::router {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const WorkerId kNodeWorker(0);

ledger::Announce IdleAnnounce(std::uint64_t sequence) {
  return {.worker = kNodeWorker,
          .sequence = sequence,
          .status = ledger::WorkerStatus::kIdle,
          .fence = {{1, 1}, 0},  // it obeys ThisRouter's appointment
          .running = {}};
}

WatchHeard NewsOf(TierId tier, std::uint64_t sequence = 1) {
  return {{.worker = kNodeWorker, .tier = tier, .busy_total = ZeroDuration()}, IdleAnnounce(sequence)};
}

LeaderNamed ThisRouter(Fence fence = {1, 1}) {
  return {.router = kSelfAsKnown,
          .self = true,
          .incarnation = kNodeLife,
          .address = {},
          .fence = fence,
          .fresh = true};
}

DirectoryHeard LeadersDirectory(std::vector<TierLeader> leaders, bool partial = false) {
  DirectoryHeard heard;
  heard.given.partial = partial;
  heard.leaders.here = std::move(leaders);
  return heard;
}

std::shared_ptr<const RoutingTable> AllAtHome(TableVersion version) {
  auto table = std::make_shared<RoutingTable>();
  table->version = version;
  for (const TierId tier : {kTier, kProbeTier}) table->tiers.push_back(HomeTable(tier, 3, 2));
  return table;
}

class RouterNodeTest : public testing::Test {
 protected:
  // A local worker that is well, and of tier 0.
  void Know() {
    router_.Step(LocalWorkerNamed{kNodeWorker});
    router_.Step(NewsOf(kTier));
  }
  bool Idle() const {
    const ledger::SlotRecord* const slot =
        router_.node.session(kTier)->leadership().ledger().Slot(kNodeWorker);
    return slot != nullptr && slot->state == ledger::SlotState::kIdle;
  }

  TracedNode router_;
};

TEST_F(RouterNodeTest, AWorkerIsListedAtTheMachineAndAtItsTiersSession) {
  router_.Step(LocalWorkerNamed{kNodeWorker});
  EXPECT_THAT(router_.trace, ElementsAre("registry LocalWorkerNamed", "do WatchWorker"));
  router_.Step(NewsOf(kTier));
  EXPECT_THAT(router_.trace,
              ElementsAre("registry WorkerSaid", "machine WorkerListed", "session 0 WorkerListed",
                          "machine WorkerHeard", "session 0 WorkerAnnounced"));
  EXPECT_EQ(router_.node.listed_at(kNodeWorker), kTier);
  EXPECT_TRUE(router_.node.machine().workers().listed(kNodeWorker));
}

TEST_F(RouterNodeTest, ATierThatProbesHasNoSession) {
  router_.Step(LocalWorkerNamed{kNodeWorker});
  router_.Step(NewsOf(kProbeTier));
  EXPECT_THAT(router_.trace,
              ElementsAre("registry WorkerSaid", "machine WorkerListed", "machine WorkerHeard"));
  EXPECT_FALSE(router_.node.listed_at(kNodeWorker).valid());
  EXPECT_EQ(router_.node.session(kProbeTier), nullptr);
}

TEST_F(RouterNodeTest, AWorkerThatChangesItsTierLeavesTheSessionWhereItWasListed) {
  Know();
  router_.Step(NewsOf(kProbeTier, 2));
  EXPECT_THAT(router_.trace,
              ElementsAre("registry WorkerSaid", "machine WorkerListed", "session 0 WorkerGone",
                          "machine WorkerHeard", "session 0 WorkerAnnounced"));
  EXPECT_FALSE(router_.node.listed_at(kNodeWorker).valid());
}

TEST_F(RouterNodeTest, TheEndOfAWatchReachesRegistryMachineAndSession) {
  Know();
  router_.Step(WatchEnded{kNodeWorker, /*dead=*/true});
  EXPECT_THAT(router_.trace,
              ElementsAre("session 0 WatchBroke", "registry WatchEnded", "machine WorkerHeard"));
}

TEST_F(RouterNodeTest, WhoIsListedAgainIsGrantedByWhatItLastAnnounced) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  Know();
  EXPECT_TRUE(Idle());
  // A tier that the fleet does not have, and then has again, while the watch stands.
  router_.Step(FleetHeard{.fleet = std::make_shared<const Fleet>(NodeFleet()),
                          .tiers = {{kNodeWorker, TierId()}},
                          .directory = {}});
  EXPECT_THAT(router_.trace, Contains("session 0 WorkerGone"));
  EXPECT_FALSE(Idle());
  router_.Step(FleetHeard{
      .fleet = std::make_shared<const Fleet>(NodeFleet()), .tiers = {{kNodeWorker, kTier}}, .directory = {}});
  EXPECT_THAT(router_.trace,
              ElementsAre("machine FleetChanged", "registry TierResolved", "machine WorkerListed",
                          "session 0 WorkerListed", "do 0 FenceOff", "session 0 WorkerAnnounced"));
}

TEST_F(RouterNodeTest, WhoIsListedAlreadyIsNoNewsToItsSession) {
  Know();
  router_.Step(FleetHeard{
      .fleet = std::make_shared<const Fleet>(NodeFleet()), .tiers = {{kNodeWorker, kTier}}, .directory = {}});
  EXPECT_THAT(router_.trace,
              ElementsAre("machine FleetChanged", "registry TierResolved", "machine WorkerListed"));
}

// It was idle when it was heard last, but that was over a stream that has broken since.
TEST_F(RouterNodeTest, WhatWasAnnouncedBeforeTheWatchEndedIsForgotten) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  Know();
  router_.Step(WatchEnded{kNodeWorker, /*dead=*/true});
  router_.Step(FleetHeard{.fleet = std::make_shared<const Fleet>(NodeFleet()),
                          .tiers = {{kNodeWorker, TierId()}},
                          .directory = {}});
  router_.Step(FleetHeard{
      .fleet = std::make_shared<const Fleet>(NodeFleet()), .tiers = {{kNodeWorker, kTier}}, .directory = {}});
  EXPECT_THAT(router_.trace, Not(Contains("session 0 WorkerAnnounced")));
  EXPECT_FALSE(Idle());
}

// While it was not watched it was started anew, on a host whose clock had been set back.
TEST_F(RouterNodeTest, WhoIsWatchedAgainMayCountFromAnEarlierTime) {
  DirectoryHeard named = LeadersDirectory({{kTier, ThisRouter()}});
  named.given.workers = {{kNodeWorker, kTier}};
  router_.Step(named);
  router_.Step(NewsOf(kTier, 9));
  ASSERT_TRUE(Idle());
  DirectoryHeard without = named;
  without.given.workers.clear();
  router_.Step(without);
  ASSERT_FALSE(router_.node.registry().watched(kNodeWorker));
  EXPECT_FALSE(Idle());
  router_.Step(named);
  router_.Step(NewsOf(kTier, 2));
  EXPECT_TRUE(Idle());
}

// A worker of a tier that the fleet does not have is not watched any more, so nobody tells when it dies.
TEST_F(RouterNodeTest, WhatAWorkerSaysWithTheWordThatEndsItsWatchIsNotKept) {
  DirectoryHeard named = LeadersDirectory({{kTier, ThisRouter()}});
  named.given.workers = {{kNodeWorker, kTier}};
  router_.Step(named);
  ASSERT_TRUE(router_.node.registry().watched(kNodeWorker));
  router_.Step(NewsOf(TierId()));
  ASSERT_FALSE(router_.node.registry().watched(kNodeWorker));
  router_.Step(named);
  EXPECT_THAT(router_.trace, Contains("session 0 WorkerListed"));
  EXPECT_THAT(router_.trace, Not(Contains("session 0 WorkerAnnounced")));
  EXPECT_FALSE(Idle());
}

// It was idle when it announced last, and a job that a ledger granted has begun since.
TEST_F(RouterNodeTest, WhatWasAnnouncedBeforeAJobBeganIsNotSaidAgain) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  Know();
  router_.Step(
      WatchHeard{{.worker = kNodeWorker, .tier = kTier, .busy = true, .busy_total = ZeroDuration()}});
  EXPECT_THAT(router_.trace, Not(Contains("session 0 WorkerAnnounced"))) << "it announced nothing";
  router_.Step(FleetHeard{.fleet = std::make_shared<const Fleet>(NodeFleet()),
                          .tiers = {{kNodeWorker, TierId()}},
                          .directory = {}});
  router_.Step(FleetHeard{
      .fleet = std::make_shared<const Fleet>(NodeFleet()), .tiers = {{kNodeWorker, kTier}}, .directory = {}});
  EXPECT_THAT(router_.trace, Contains("session 0 WorkerListed"));
  EXPECT_THAT(router_.trace, Not(Contains("session 0 WorkerAnnounced")));
  EXPECT_FALSE(Idle());
}

TEST_F(RouterNodeTest, ADirectoryIsReadByTheRegistryThenBySessionsAndThenItIsSeenWhoLeads) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  EXPECT_THAT(router_.trace, ElementsAre("registry DirectoryGiven", "machine RoutersComplete",
                                         "session 0 LeaderNamed", "registry LeadershipSeen",
                                         "session 0 LeadersElsewhere", "machine LeaderAppointed"));
  EXPECT_TRUE(router_.leads[kTier]);
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  EXPECT_THAT(router_.trace, Not(Contains("registry LeadershipSeen"))) << "nothing has changed";
  router_.Step(LeadersDirectory({}));
  EXPECT_THAT(router_.trace, Contains("session 0 NoLeaderNamed"));
  EXPECT_THAT(router_.trace, Contains("registry LeadershipSeen"));
  EXPECT_FALSE(router_.leads[kTier]);
}

TEST_F(RouterNodeTest, OfSeveralLeadersOfATierTheFirstCounts) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter({1, 1})},
                                 {kTier, {.router = kPeerAsKnown, .address = "peer:1", .fence = {1, 2}}}}));
  EXPECT_TRUE(router_.node.session(kTier)->leads());
}

TEST_F(RouterNodeTest, APartialDirectoryTakesNoLeaderAway) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  router_.Step(LeadersDirectory({}, /*partial=*/true));
  EXPECT_THAT(router_.trace, ElementsAre("registry DirectoryGiven", "machine RoutersComplete"));
  EXPECT_TRUE(router_.node.session(kTier)->leads());
}

TEST_F(RouterNodeTest, ALeaderThatIsFixedIsNotMovedByADirectory) {
  NodeSettings settings = SettingsOfNode();
  settings.tiers.push_back({.tier = kTier, .leader = {}, .fixed = true});
  TracedNode router(settings);
  router.Step(TierHeard{kTier, ThisRouter()});
  EXPECT_THAT(router.trace,
              ElementsAre("session 0 LeaderNamed", "registry LeadershipSeen", "machine LeaderAppointed"));
  router.Step(LeadersDirectory({{kTier, {.router = kPeerAsKnown, .address = "peer:1", .fence = {7, 7}}}}));
  EXPECT_TRUE(router.node.session(kTier)->leads());
  router.Step(LeadersDirectory({}));
  EXPECT_TRUE(router.node.session(kTier)->leads());
}

TEST_F(RouterNodeTest, TheControllerIsSeenByTheMachineAndBySessionsOldAndNew) {
  router_.Step(ControllerWelcomed{.epoch = 1});
  EXPECT_THAT(router_.trace, ElementsAre("machine ControllerWelcomed", "session 0 ControllerSeen"));
  router_.Step(RouterEvent(ControllerLost{}));
  EXPECT_THAT(router_.trace, ElementsAre("machine ControllerLost", "session 0 ControllerSeen"));
  Fleet fleet = NodeFleet();
  fleet.tiers[kProbeTier].dispatch.mode = DispatchMode::kLedger;
  router_.Step(FleetHeard{.fleet = std::make_shared<const Fleet>(fleet), .tiers = {}, .directory = {}});
  EXPECT_THAT(router_.trace, ElementsAre("session 1 ControllerSeen", "machine FleetChanged"));
}

TEST_F(RouterNodeTest, AFleetIsReadBeforeTheTiersOfWorkersAndTheseBeforeTheDirectory) {
  router_.Step(LocalWorkerNamed{kNodeWorker});
  router_.Step(NewsOf(TierId()));
  EXPECT_THAT(router_.trace, ElementsAre("registry WorkerSaid", "do TierNotServed", "machine WorkerHeard"));
  Fleet fleet = NodeFleet();
  fleet.tiers.push_back(fleet.tiers[kTier]);
  const TierId added(2);
  fleet.tiers[added].name = "added";
  router_.Step(FleetHeard{.fleet = std::make_shared<const Fleet>(fleet),
                          .tiers = {{kNodeWorker, added}},
                          .directory = LeadersDirectory({{added, ThisRouter()}})});
  EXPECT_THAT(router_.trace,
              ElementsAre("machine FleetChanged", "registry TierResolved", "machine WorkerListed",
                          "session 2 WorkerListed", "session 2 WorkerAnnounced", "registry DirectoryGiven",
                          "machine RoutersComplete", "session 0 NoLeaderNamed", "session 0 LeadersElsewhere",
                          "session 2 LeaderNamed", "do 2 FenceOff", "registry LeadershipSeen",
                          "session 2 LeadersElsewhere", "machine LeaderAppointed"));
}

TEST_F(RouterNodeTest, WhereJobsMayGoIsTheMachinesToSayAndTheSessionsToHear) {
  Fleet fleet = NodeFleet();
  fleet.tiers[kTier].dispatch.spill.share = 1;
  TracedNode router(SettingsOfNode(), fleet);
  DirectoryHeard heard = LeadersDirectory({{kTier, ThisRouter()}});
  heard.given.routers.push_back({kPeerAsKnown, kNear, "peer"});
  heard.leaders.elsewhere.push_back({kTier, {kNear, kPeerAsKnown, "peer:1"}});
  router.Step(heard);
  EXPECT_THAT(router.trace, Contains("session 0 AwayAimed"));
  EXPECT_THAT(router.trace, Contains("do 0 DialRegion"));
}

// A controller that was replaced does not know it, and goes on sending.
TEST_F(RouterNodeTest, ADirectoryOfAnEarlierLeaderChangesNothing) {
  DirectoryHeard heard = LeadersDirectory({{kTier, ThisRouter()}});
  heard.epoch = 5;
  router_.Step(heard);
  ASSERT_TRUE(router_.decided->active);
  EXPECT_TRUE(router_.decided->store);
  router_.Step(ControllerWelcomed{.epoch = 6});
  router_.Step(LeadersDirectory({}));
  EXPECT_FALSE(router_.decided->active);
  EXPECT_FALSE(router_.decided->store);
  EXPECT_EQ(router_.decided->epoch_seen_max, 6u);
  EXPECT_THAT(router_.trace, IsEmpty());
  router_.Step(heard);
  EXPECT_FALSE(router_.decided->active) << "one less is earlier, too";
  EXPECT_TRUE(router_.leads[kTier]);
  heard = LeadersDirectory({});
  heard.epoch = 6;
  router_.Step(heard);
  EXPECT_TRUE(router_.decided->active);
  EXPECT_FALSE(router_.leads[kTier]);
}

TEST_F(RouterNodeTest, WhatAnEarlierLifeHasSeenCounts) {
  NodeSettings settings = SettingsOfNode();
  settings.epoch_seen_max = 6;
  TracedNode router(settings);
  DirectoryHeard heard = LeadersDirectory({{kTier, ThisRouter()}});
  heard.epoch = 5;
  router.Step(heard);
  EXPECT_FALSE(router.decided->active);
  heard.from_disk = true;
  router.Step(heard);
  EXPECT_TRUE(router.decided->active) << "it was in force in that life";
  EXPECT_FALSE(router.decided->store);
  router.Step(TableOffered{.table = AllAtHome({5, 1}), .from_disk = true});
  EXPECT_EQ(router.node.machine().table().epoch, 5u) << "the last good table, whatever was seen since";
  router.Step(TableOffered{.table = AllAtHome({5, 2})});
  EXPECT_EQ(router.node.machine().table().version, 1u) << "but none that its controller makes now";
}

TEST_F(RouterNodeTest, APartialDirectoryDoesNotReplaceTheOneOnDisk) {
  router_.Step(LeadersDirectory({}, /*partial=*/true));
  EXPECT_TRUE(router_.decided->store) << "better than none";
  router_.Step(LeadersDirectory({}));
  EXPECT_TRUE(router_.decided->store);
  router_.Step(LeadersDirectory({}, /*partial=*/true));
  EXPECT_TRUE(router_.decided->active);
  EXPECT_FALSE(router_.decided->store);
  TracedNode started;
  DirectoryHeard disk = LeadersDirectory({});
  disk.from_disk = true;
  started.Step(disk);
  EXPECT_FALSE(started.decided->store) << "it is there";
  started.Step(LeadersDirectory({}, /*partial=*/true));
  EXPECT_FALSE(started.decided->store);
}

TEST_F(RouterNodeTest, AnEpochThatNoLeaderCanHaveIsForgottenAloud) {
  router_.Step(ControllerWelcomed{.epoch = 3});
  EXPECT_FALSE(router_.forgotten);
  const std::uint64_t absurd = 3 + kEpochStepMax + 1;
  router_.Step(ControllerWelcomed{.epoch = absurd});
  EXPECT_FALSE(router_.forgotten);
  router_.Step(ControllerWelcomed{.epoch = 3});
  ASSERT_TRUE(router_.forgotten);
  EXPECT_EQ(router_.forgotten->seen, absurd);
  EXPECT_EQ(router_.forgotten->leader, 3u);
  DirectoryHeard heard = LeadersDirectory({});
  heard.epoch = 3;
  router_.Step(heard);
  EXPECT_TRUE(router_.decided->active);
}

TEST(RouterLives, AnIncarnationIsAboveTheLastOneWhateverTheClockSays) {
  EXPECT_EQ(NextIncarnation(5'000'000, 0), 5'000'000u);
  EXPECT_EQ(NextIncarnation(5'000'000, 4'500'000), 5'500'000u);
  EXPECT_EQ(NextIncarnation(5'000'000, 9'000'000), 10'000'000u) << "the clock was set back";
}

TEST_F(RouterNodeTest, TheOwnLeadersAnswerIsToldWhenTheMachinesTurnIsOver) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  Know();
  ASSERT_TRUE(Idle());
  router_.Step(
      JobArrived{JobId(0), {.tier = kTier, .arrived = router_.now, .deadline = router_.now + Seconds(9)}});
  EXPECT_THAT(router_.trace, ElementsAre("machine JobArrived", "session 0 MachineHeard",
                                         "machine LeaderAnswered", "do OfferToWorker"));
}

TEST_F(RouterNodeTest, AWakeStepsThoseThatAreDueAndNobodyElse) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  const Time heartbeat = router_.node.NextWake();
  ASSERT_LT(heartbeat, InfiniteFuture());
  router_.Step(NodeWake{});
  EXPECT_THAT(router_.trace, IsEmpty());
  router_.now = heartbeat;
  router_.Step(NodeWake{});
  EXPECT_THAT(router_.trace, ElementsAre("session 0 LeaderWake", "machine LeaderHeard"));
  EXPECT_GT(router_.node.NextWake(), heartbeat);
}

TEST_F(RouterNodeTest, ALineWithoutPlacesIsOneInEverySession) {
  Fleet fleet = NodeFleet();
  fleet.tiers[kTier].dispatch.waiting_max = 0;
  NodeSettings settings = SettingsOfNode();
  settings.tiers.push_back({.tier = kTier, .leader = {}, .fixed = false});
  TracedNode router(settings, fleet);
  router.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  router.Step(
      JobArrived{JobId(0), {.tier = kTier, .arrived = router.now, .deadline = router.now + Seconds(9)}});
  EXPECT_EQ(router.node.session(kTier)->leadership().ledger().View().waiting, 0u);
}

TEST_F(RouterNodeTest, HowManyMayWaitFollowsTheFleet) {
  router_.Step(LeadersDirectory({{kTier, ThisRouter()}}));
  const auto waiting = [&] { return router_.node.session(kTier)->leadership().ledger().View().waiting; };
  const auto let_wait = [&](std::size_t waiting_max) {
    Fleet fleet = NodeFleet();
    fleet.tiers[kTier].dispatch.waiting_max = waiting_max;
    router_.Step(
        FleetHeard{.fleet = std::make_shared<const Fleet>(fleet), .tiers = {}, .directory = std::nullopt});
  };
  const auto submit = [&](int job) {
    router_.Step(JobArrived{JobId(job),
                            {.tier = kTier, .arrived = router_.now, .deadline = router_.now + Seconds(9)}});
  };
  submit(0);
  EXPECT_EQ(waiting(), 1u);
  let_wait(0);
  EXPECT_THAT(router_.trace, Contains("session 0 LineBounded"));
  EXPECT_EQ(waiting(), 0u) << "whoever waited is given up";
  submit(1);
  EXPECT_EQ(waiting(), 0u);
  let_wait(100);
  submit(2);
  EXPECT_EQ(waiting(), 1u);
  let_wait(50);
  EXPECT_THAT(router_.trace, Not(Contains("session 0 LineBounded"))) << "the ledger's bound is its own";
}

}  // namespace
}  // namespace ringway::router
