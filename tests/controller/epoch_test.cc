// Leader epochs without an election, and what survives a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/machine.h"
#include "controller/wire/state_codec.h"
#include "core/leader_epoch.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

// Through the bytes of the state file, as a real restart.
DurableState Stored(const ControllerMachine& machine) {
  v1::ControllerState message;
  EXPECT_TRUE(message.ParseFromString(EncodeState(machine.Durable()).SerializeAsString()));
  auto state = DecodeState(message);
  EXPECT_TRUE(state.ok()) << state.status();
  return *std::move(state);
}

TEST(EpochTest, ARestartUsesTheNextEpochAndKeepsTheTable) {
  Rig before(MakeFleet());
  before.demand_rps[kR0] = 12;
  before.Connect();
  before.PassSeconds(30);
  Rig after(MakeFleet(), Stored(before.machine));
  EXPECT_EQ(after.machine.epoch(), 2u);
  ASSERT_NE(after.machine.table(), nullptr);
  EXPECT_EQ(after.machine.table()->version, (TableVersion{2, 1}));
  EXPECT_EQ(after.machine.table()->tiers, before.machine.table()->tiers);
  // The first router that connects gets it at once, although nothing has been planned yet.
  after.Send(
      RouterConnected{1, {.router = "x", .region = kR0, .address = "a:1", .table = {1, 9}, .build = ""}});
  ASSERT_EQ(after.Taken<SendTable>().size(), 1u);
  EXPECT_EQ(after.Taken<SendTable>()[0].table->version, (TableVersion{2, 1}));
  EXPECT_EQ(after.Taken<SendDirectory>()[0].directory->routers.size(), 6u) << "the peers of before";
}

TEST(EpochTest, AControllerThatLostItsDiskSaysThatItKnowsFewUntilRoutersHadTheTimeToReport) {
  Rig before(MakeFleet());
  before.Connect();
  before.PassSeconds(1);
  EXPECT_TRUE(before.machine.directory()->partial) << "nobody may be taken for gone by this one";
  before.PassSeconds(5);
  EXPECT_FALSE(before.machine.directory()->partial);
  EXPECT_FALSE(before.Taken<SendDirectory>().back().directory->partial) << "and everybody hears of it";
  Rig after(MakeFleet(), Stored(before.machine));
  EXPECT_FALSE(after.machine.directory()->partial) << "its disk named everybody";
}

TEST(EpochTest, TheViewOfRoutersKeepsItsNumberAsLongAsTheirNamesStay) {
  Rig before(MakeFleet());
  before.Connect();
  before.PassSeconds(1);
  EXPECT_EQ(before.machine.directory()->view.version, 0u) << "who is not named may have records";
  before.PassSeconds(10);
  const TableVersion view = before.machine.directory()->view;
  EXPECT_NE(view.version, 0u);
  Rig after(MakeFleet(), Stored(before.machine));
  EXPECT_EQ(after.machine.epoch(), 2u);
  EXPECT_EQ(after.machine.directory()->view, view) << "the same routers, so nothing has to be read";
  // Nobody connects again: after the grace all but the new one are gone.
  after.Send(RouterConnected{1, {.router = "x", .region = kR0, .address = "a:1", .table = {}, .build = ""}});
  after.PassSeconds(30);
  const Directory& last = *after.machine.directory();
  ASSERT_EQ(last.routers.size(), 1u);
  EXPECT_GT(last.view, view);
  ASSERT_FALSE(last.before.empty());
  EXPECT_EQ(last.before.back().number, view);
  EXPECT_EQ(last.before.back().routers.size(), 6u) << "who joins is told who had the records";
  Rig third(MakeFleet(), Stored(after.machine));
  EXPECT_EQ(third.machine.directory()->view, last.view);
  EXPECT_EQ(third.machine.directory()->before, last.before);
}

TEST(EpochTest, ALostDiskIsMadeGoodByWhatRoutersHaveSeen) {
  Rig rig(MakeFleet());
  EXPECT_EQ(rig.machine.epoch(), 1u);
  rig.Send(
      RouterConnected{1, {.router = "x", .region = kR0, .address = "a:1", .table = {5, 3}, .build = ""}});
  EXPECT_EQ(rig.machine.epoch(), 6u);
  EXPECT_EQ(rig.Taken<SendWelcome>()[0].epoch, 6u);
  ASSERT_FALSE(rig.Taken<SaveState>().empty());
  EXPECT_TRUE(rig.Taken<SaveState>()[0].now);
}

TEST(EpochTest, ATableOfOurEpochThatIsNotOursCountsAsHigher) {
  Rig rig(MakeFleet());
  rig.Send(
      RouterConnected{1, {.router = "x", .region = kR0, .address = "a:1", .table = {1, 3}, .build = ""}});
  EXPECT_EQ(rig.machine.epoch(), 2u);
  // Our own tables are no reason to move.
  Rig calm(MakeFleet());
  calm.Connect();
  calm.PassSeconds(10);
  EXPECT_EQ(calm.machine.epoch(), 1u);
}

// So nothing that a life numbers was ever numbered before, even if the disk knows nothing of that life.
TEST(EpochTest, AControllerBeginsWithTheTimeUnlessItsDiskKnowsALaterEpoch) {
  const Time now = UnixEpoch() + Seconds(1'795'886'400) + Milliseconds(900);
  const auto begin = [&](std::uint64_t known) {
    DurableState disk;
    disk.epoch = known;
    return ControllerMachine({}, MakeFleet(), disk, now).epoch();
  };
  EXPECT_EQ(begin(0), 1'795'886'400u);
  EXPECT_EQ(begin(7), 1'795'886'400u);
  EXPECT_EQ(begin(1'795'886'399), 1'795'886'400u);
  EXPECT_EQ(begin(1'795'886'400), 1'795'886'401u) << "started again within a second";
  EXPECT_EQ(begin(1'795'990'000), 1'795'990'001u) << "the clock was set back";
}

// After an old copy of the disk came back: routers would go on by the list that they know.
TEST(EpochTest, TheViewGetsALaterNumberWhereARouterKnowsALaterOne) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(10);
  const TableVersion view = rig.machine.directory()->view;
  ASSERT_NE(view.version, 0u);
  RouterReport report = rig.ReportOf(1);
  for (const TableVersion known : {TableVersion{}, TableVersion{0, 99}, view}) {
    report.view = known;
    rig.Send(RouterReported{1, report});
    EXPECT_EQ(rig.machine.directory()->view, view);
  }
  for (const std::uint64_t epoch : {1, 4}) {
    report.view = {epoch, 1'000};
    rig.Send(RouterReported{1, report});
    EXPECT_EQ(rig.machine.epoch(), epoch + 1);
    EXPECT_GT(rig.machine.directory()->view, report.view);
    EXPECT_EQ(rig.machine.directory()->before.front().routers.size(), 6u) << "who had the records";
  }
  const TableVersion later = rig.machine.directory()->view;
  rig.Send(RouterReported{1, report});
  EXPECT_EQ(rig.machine.directory()->view, later) << "once";
}

TEST(EpochTest, AHigherEpochInAReportMovesEveryTableAboveIt) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(3);
  rig.actions.clear();
  RouterReport report = rig.ReportOf(1);
  report.epoch_seen_max = 40;
  rig.Send(RouterReported{1, report});
  EXPECT_EQ(rig.machine.epoch(), 41u);
  ASSERT_EQ(rig.actions.size(), 4u);
  EXPECT_TRUE(std::get<SaveState>(rig.actions[1]).now) << "the claim is on disk before it is used";
  EXPECT_EQ(std::get<SendTable>(rig.actions[2]).table->version, (TableVersion{41, 1}));
  rig.Second();
  EXPECT_EQ(rig.machine.directory()->version.epoch, 41u);
}

// One that lies, or that a liar has told. Whatever it says, it is served, and nobody else is troubled.
TEST(EpochTest, AnEpochThatNoControllerCanHaveReachedIsNotBelieved) {
  for (const std::uint64_t absurd :
       {~std::uint64_t{0}, (std::uint64_t{1} << 48) - 1, (std::uint64_t{1} << 48) - 2,
        EpochAt(FromUnixSeconds(4)) + kEpochStepMax + 1}) {
    SCOPED_TRACE(absurd);
    Rig rig(MakeFleet());
    rig.Connect();
    rig.PassSeconds(3);
    rig.actions.clear();
    RouterReport report = rig.ReportOf(1);
    report.epoch_seen_max = absurd;
    report.table = {absurd, 7};
    for (int i = 0; i < 3; ++i) rig.Send(RouterReported{1, report});
    EXPECT_EQ(rig.machine.epoch(), 1u);
    ASSERT_EQ(rig.Taken<Note>().size(), 1u) << "told once";
    EXPECT_THAT(rig.Taken<Note>()[0].text, ::testing::HasSubstr("r0-0 says that it has seen epoch"));
    rig.Send(RouterConnected{
        99, {.router = "x", .region = kR0, .address = "a:1", .table = {absurd, 1}, .build = ""}});
    EXPECT_EQ(rig.machine.epoch(), 1u);
    EXPECT_EQ(rig.Taken<SendWelcome>()[0].epoch, 1u);
    EXPECT_EQ(rig.Taken<CloseStream>().size(), 0u);
    // It does not hold the table in force, whatever it says it holds.
    rig.actions.clear();
    rig.PassSeconds(7);
    const auto sent = rig.Taken<SendTable>();
    EXPECT_TRUE(std::any_of(sent.begin(), sent.end(), [](const SendTable& s) { return s.stream == 99u; }));
  }
}

// A controller that has been up for long hears of one that began yesterday.
TEST(EpochTest, AnEpochUpToTheTimeIsBelieved) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.now += Hours(24 * 365);
  RouterReport report = rig.ReportOf(1);
  const std::uint64_t yesterday = 364 * 24 * 3600;
  report.epoch_seen_max = yesterday;
  rig.Send(RouterReported{1, report});
  EXPECT_EQ(rig.machine.epoch(), yesterday + 1);
  report.epoch_seen_max = EpochAt(rig.now) + kEpochStepMax + 1;
  rig.Send(RouterReported{1, report});
  EXPECT_EQ(rig.machine.epoch(), yesterday + 1);
}

TEST(EpochTest, AsManyStartsAsAControllerCanHaveMadeAreBelieved) {
  Rig rig(MakeFleet());
  rig.Connect();
  RouterReport report = rig.ReportOf(1);
  report.epoch_seen_max = 1 + kEpochStepMax;
  rig.Send(RouterReported{1, report});
  EXPECT_EQ(rig.machine.epoch(), 2 + kEpochStepMax);
}

TEST(EpochTest, AStateFileOfAnAbsurdEpochHeals) {
  Rig before(MakeFleet({.ledger = true}));
  before.demand_rps[kR0] = 12;
  before.Connect();
  before.PassSeconds(30);
  ASSERT_TRUE(before.Ask(DrainCommand{.region = "r0", .tier = "", .drain = true}).done);
  v1::ControllerState message = EncodeState(before.machine.Durable());
  EXPECT_FALSE(DropAbsurdEpochs(message));
  message.set_epoch(std::uint64_t{1} << 48);
  message.mutable_table()->set_epoch(std::uint64_t{1} << 48);
  for (v1::LeaderEntry& leader : *message.mutable_directory()->mutable_leaders()) {
    leader.set_leader_epoch(std::uint64_t{1} << 48);
  }
  EXPECT_TRUE(DropAbsurdEpochs(message));
  const auto state = DecodeState(message);
  ASSERT_TRUE(state.ok()) << state.status();
  Rig after(MakeFleet({.ledger = true}), *state);
  EXPECT_EQ(after.machine.epoch(), 1u);
  EXPECT_EQ(after.machine.table()->tiers, before.machine.table()->tiers);
  EXPECT_EQ(after.machine.tiers()[0].region(kR0).drain.goal, 1);
  after.Connect();
  after.PassSeconds(5);
  for (const auto& region : after.machine.leaders()) {
    ASSERT_EQ(region.size(), 1u);
    EXPECT_EQ(region[0].fence.leader_epoch, 1u) << "appointed anew";
    EXPECT_FALSE(region[0].fresh) << "somebody held it before";
  }
}

TEST(EpochTest, OperatorsDecisionsSurvive) {
  Rig before(MakeFleet());
  before.Connect();
  before.PassSeconds(3);
  ASSERT_TRUE(before.Ask(DrainCommand{.region = "r0", .tier = "", .drain = true}).done);
  ASSERT_TRUE(before.Ask(ThresholdCommand{"t0", 0.5}).done);
  ASSERT_TRUE(
      before.Ask(PinCommand{.tier = "t0", .region = "r1", .routes = {{"r1", 0.25}, {"r2", 0.75}}}).done);
  before.PassSeconds(40);
  ASSERT_TRUE(before.Ask(ModeCommand{"t0", TierMode::kObserve}).done);

  Rig after(MakeFleet(), Stored(before.machine));
  after.now = before.now;
  const TierLoop& loop = after.machine.tiers()[0];
  EXPECT_EQ(loop.mode(), TierMode::kObserve);
  EXPECT_EQ(loop.tier().route.overload_threshold, 0.5);
  EXPECT_EQ(loop.DrainShare(kR0, after.now), 1);
  EXPECT_EQ(loop.pins(), before.machine.tiers()[0].pins());
  // Nothing of it was half-way: a second life saves the same.
  EXPECT_EQ(EncodeState(Stored(after.machine)).SerializeAsString(),
            EncodeState(after.machine.Durable()).SerializeAsString());
}

TEST(EpochTest, AnotherTopologyAtTheRestartKeepsWhatStillExists) {
  Rig before(MakeFleet({.regions = 4}));
  before.demand_rps[kR0] = 12;
  before.Connect();
  before.PassSeconds(30);
  before.Ask(DrainCommand{.region = "r3", .tier = "", .drain = true});
  before.Ask(DrainCommand{.region = "r1", .tier = "", .drain = true});
  Rig after(MakeFleet({.regions = 2, .tiers = 2}), Stored(before.machine));
  EXPECT_EQ(WhatIsWrong(*after.machine.table(), *after.machine.fleet()), "");
  EXPECT_EQ(after.machine.tiers()[0].region(kR1).drain.goal, 1);
  EXPECT_EQ(after.machine.tiers()[1].region(kR1).drain.goal, 0) << "a tier that is new";
  EXPECT_EQ(after.machine.Durable().tiers[0].drains.size(), 1u);
}

TEST(EpochTest, ANewTopologyWhileRunningRemapsAndSendsEverythingAgain) {
  Rig rig(MakeFleet({.regions = 4}));
  rig.demand_rps[kR0] = 12;
  rig.Connect();
  rig.PassSeconds(40);
  const double learnt = rig.machine.tiers()[0].estimate().Load(kR0, rig.now).load_cost;
  const TableVersion version = rig.machine.table()->version;
  const double home = rig.HomeFraction(kR0);
  rig.actions.clear();
  rig.Send(TopologyLoaded{MakeFleet({.regions = 3}), "three"});
  EXPECT_EQ(rig.Taken<CloseStream>().size(), 2u) << "the routers of r3";
  EXPECT_EQ(rig.Taken<SendMap>().size(), 1u);
  EXPECT_FALSE(rig.Taken<SendDirectory>().empty());
  EXPECT_GT(rig.machine.table()->version, version);
  EXPECT_EQ(rig.HomeFraction(kR0), home) << "the row stands, its targets still exist";
  EXPECT_EQ(rig.machine.tiers()[0].estimate().Load(kR0, rig.now).load_cost, learnt);
  EXPECT_TRUE(rig.machine.settling());
  // What can be rolled back to is still there, in the ids of the new topology.
  ASSERT_NE(rig.machine.history().Find(version), nullptr);
  EXPECT_EQ(WhatIsWrong(*rig.machine.history().Find(version), *rig.machine.fleet()), "");
  EXPECT_EQ(rig.machine.history().tables().back(), rig.machine.table());
  for (const StreamId gone : {7, 8}) rig.routers.erase(gone);
  rig.demand_rps.resize(3);
  rig.dead.resize(3);
  rig.PassSeconds(30);
  EXPECT_FALSE(rig.machine.settling());
  EXPECT_EQ(WhatIsWrong(*rig.machine.table(), *rig.machine.fleet()), "");
}

}  // namespace
}  // namespace ringway::controller
