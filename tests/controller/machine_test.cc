#include "controller/machine.h"

#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/match.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

TEST(MachineTest, APeacefulWorldStaysAtHomeAndIsPushedOnce) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(20);
  ASSERT_NE(rig.machine.table(), nullptr);
  EXPECT_EQ(rig.machine.table()->version, (TableVersion{1, 1}));
  EXPECT_EQ(rig.Taken<SendTable>().size(), 1u);
  for (const RegionId r : {kR0, kR1, kR2}) EXPECT_EQ(rig.HomeFraction(r), 1);
}

TEST(MachineTest, AHotRegionShedsToItsNeighbourUntilItIsBelowTheThreshold) {
  Rig rig(MakeFleet());
  rig.demand_rps[kR0] = 12;  // 120 % of its fleet
  rig.Connect();
  rig.PassSeconds(60);
  EXPECT_LT(rig.HomeFraction(kR0), 0.7);
  const double threshold = 0.8;
  for (const RegionId r : {kR0, kR1, kR2}) EXPECT_LE(rig.LoadOf(r), threshold * 1.02) << r.value();
  for (const Route& route : rig.RowOf(kR0).routes) {
    if (route.target != kR0) {
      EXPECT_EQ(route.reason, RouteReason::kOverload);
    }
  }
  EXPECT_EQ(WhatIsWrong(*rig.machine.table(), *rig.machine.fleet()), "");
}

TEST(MachineTest, ARouterIsWelcomedWithMapAndPeersAndTheTableInForce) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(2);
  rig.actions.clear();
  rig.Send(
      RouterConnected{99, {.router = "late", .region = kR1, .address = "h:1", .table = {}, .build = ""}});
  ASSERT_EQ(rig.actions.size(), 4u);
  EXPECT_EQ(std::get<SendWelcome>(rig.actions[0]).epoch, 1u);
  EXPECT_EQ(std::get<SendMap>(rig.actions[1]).stream, 99u);
  EXPECT_EQ(std::get<SendDirectory>(rig.actions[2]).stream, 99u);
  EXPECT_EQ(std::get<SendDirectory>(rig.actions[2]).directory->routers.size(), 6u);
  EXPECT_EQ(std::get<SendTable>(rig.actions[3]).table->version, (TableVersion{1, 1}));
  // With the next epoch everyone hears of it.
  rig.actions.clear();
  rig.Second();
  EXPECT_EQ(rig.Taken<SendDirectory>().size(), 7u);
  EXPECT_EQ(rig.Taken<SendDirectory>()[0].directory->routers.size(), 7u);
}

TEST(MachineTest, TheDirectoryNamesWorkersOfTheRegionAndChangesReachOnlyThem) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(5);
  EXPECT_EQ(rig.machine.directory()->workers[kR0].size(), 10u);
  rig.actions.clear();
  rig.dead[kR1] = 1;
  rig.Second();
  ASSERT_EQ(rig.Taken<SendDirectory>().size(), 2u);  // the two routers of r1
  EXPECT_EQ(rig.Taken<SendDirectory>()[0].region, kR1);
  EXPECT_EQ(rig.machine.directory()->workers[kR1].size(), 9u);
}

// Only an adopter would see it come back; nobody shall use it until then.
TEST(MachineTest, AWorkerThatIsUnwellWhenItsRouterGoesIsNamedToAnAdopter) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(2);
  rig.dead[kR1] = WorldShape().workers;
  rig.Second();
  EXPECT_TRUE(rig.machine.directory()->workers[kR1].empty());
  const StreamId gone = rig.StreamsOf(kR1)[0];
  rig.Send(RouterDisconnected{gone});
  rig.routers.erase(gone);
  rig.silent = true;  // the other has not spoken for them yet
  rig.Second();
  ASSERT_EQ(rig.machine.directory()->workers[kR1].size(), 5u) << "those of the router that is gone";
  for (const WorkerEntry& entry : rig.machine.directory()->workers[kR1]) {
    EXPECT_EQ(entry.router, rig.routers.at(rig.StreamsOf(kR1)[0]).router);
    EXPECT_TRUE(entry.draining);
  }
}

TEST(MachineTest, ARouterThatLeftStaysListedForAWhile) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(2);
  const StreamId gone = rig.StreamsOf(kR0)[0];
  rig.Send(RouterDisconnected{gone});
  rig.routers.erase(gone);
  rig.PassSeconds(5);
  EXPECT_EQ(rig.machine.directory()->routers.size(), 6u);
  rig.PassSeconds(6);
  EXPECT_EQ(rig.machine.directory()->routers.size(), 5u);
}

TEST(MachineTest, NothingIsPlannedBeforeEveryRegionIsHeardOf) {
  Rig rig(MakeFleet());
  rig.Connect();
  for (const StreamId stream : rig.StreamsOf(kR2)) {
    rig.Send(RouterDisconnected{stream});
    rig.routers.erase(stream);
  }
  rig.demand_rps[kR0] = 12;
  rig.PassSeconds(10);
  EXPECT_EQ(rig.machine.table(), nullptr);
  EXPECT_TRUE(rig.machine.settling());
  rig.PassSeconds(6);  // settle_max
  ASSERT_NE(rig.machine.table(), nullptr);
  for (const Route& route : rig.RowOf(kR0).routes) EXPECT_NE(route.target, kR2) << "nobody has heard of r2";
}

// No row of any table ever pushed refuses anybody.
void ExpectNobodyRefused(const Rig& rig) {
  for (const SendTable& sent : rig.Taken<SendTable>()) {
    for (const TierTable& tier : sent.table->tiers) {
      for (std::size_t r = 0; r < tier.regions(); ++r) {
        EXPECT_EQ(tier.at(0, RegionId(r)).shed_fraction, 0)
            << "region " << r << " in table " << sent.table->version.epoch << "/"
            << sent.table->version.version;
      }
    }
  }
}

// Of `period`, which is longer than the tier's staleAfter of 15 s. Reports come in the middle of an epoch.
void LiveWithPeriods(Rig& rig, Duration period, int periods) {
  for (int i = 0; i < periods; ++i) {
    rig.now += period / 2;
    rig.Send(Tick{});
    for (const auto& [stream, hello] : rig.routers) rig.Send(RouterReported{stream, rig.ReportOf(stream)});
    rig.now += period / 2;
    rig.Send(Tick{});
  }
}

TEST(MachineTest, RareReportsDoNotMakeAnIdleHealthyFleetRefuse) {
  for (const double period_s : {14.0, 16.0, 20.0, 60.0, 600.0}) {
    SCOPED_TRACE(period_s);
    const Duration period = Seconds(period_s);
    Rig rig(MakeFleet(), {}, 2, {.epoch_period = period, .report_period = period});
    for (double& rps : rig.demand_rps) rps = 0;
    rig.Connect();
    LiveWithPeriods(rig, period, 10);
    ASSERT_NE(rig.machine.table(), nullptr);
    ExpectNobodyRefused(rig);
    for (const RegionLoad& load : rig.machine.tiers()[0].Snapshot(rig.now).regions) {
      EXPECT_EQ(load.health, InputHealth::kFresh);
    }
  }
}

TEST(MachineTest, RareReportsAreStillActedOn) {
  Rig rig(MakeFleet(), {}, 2, {.epoch_period = Seconds(20), .report_period = Seconds(20)});
  rig.demand_rps[kR0] = 12;
  rig.Connect();
  LiveWithPeriods(rig, Seconds(20), 30);
  EXPECT_LT(rig.HomeFraction(kR0), 0.75);
  EXPECT_LE(rig.LoadOf(kR0), 0.8 * 1.02);
}

TEST(MachineTest, NothingIsRefusedBeforeAWorkerOfTheTierWasSeen) {
  Rig rig(MakeFleet());
  rig.dead.assign(3, 10);
  rig.Connect();
  rig.PassSeconds(40);
  ASSERT_NE(rig.machine.table(), nullptr);
  ExpectNobodyRefused(rig);
  for (const RegionId r : {kR0, kR1, kR2}) EXPECT_EQ(rig.HomeFraction(r), 1) << r.value();
  rig.dead.assign(3, 0);
  rig.PassSeconds(20);
  ExpectNobodyRefused(rig);
  // Once they have been seen, their end is known for what it is.
  rig.dead.assign(3, 10);
  rig.PassSeconds(20);
  EXPECT_GT(rig.RowOf(kR0).shed_fraction, 0.9);
}

TEST(MachineTest, ARegionThatWasNeverHeardOfServesItsOwnAndTakesNoOthers) {
  Rig rig(MakeFleet());
  rig.demand_rps[kR0] = 12;
  rig.Connect();
  for (const StreamId stream : rig.StreamsOf(kR1)) {
    rig.Send(RouterDisconnected{stream});
    rig.routers.erase(stream);
  }
  rig.PassSeconds(90);
  EXPECT_EQ(rig.RowOf(kR1).shed_fraction, 0);
  EXPECT_EQ(rig.HomeFraction(kR1), 1);
  for (const Route& route : rig.RowOf(kR0).routes) EXPECT_NE(route.target, kR1);
}

TEST(MachineTest, HalfTheWorkersDeadIsHalfTheCapacity) {
  Rig rig(MakeFleet());
  rig.demand_rps[kR1] = 6;
  rig.Connect();
  rig.PassSeconds(5);
  EXPECT_EQ(rig.HomeFraction(kR1), 1);
  rig.dead[kR1] = 5;
  rig.PassSeconds(60);
  const RegionLoad load = rig.machine.tiers()[0].Snapshot(rig.now).regions[kR1];
  EXPECT_NEAR(load.usable_share, 0.5, 1e-9);
  EXPECT_LE(rig.LoadOf(kR1), 0.8 * 0.5 * 1.02);
}

// A slow region is all busy, whatever is sent there; that it holds each request longer must be
// noticed.
TEST(MachineTest, ARegionWhoseWorkersBecameSlowIsRelieved) {
  Rig rig(MakeFleet());
  rig.demand_rps[kR1] = 7;
  rig.Connect();
  rig.PassSeconds(30);
  EXPECT_EQ(rig.HomeFraction(kR1), 1);
  rig.slowness[kR1] = 2.5;
  rig.Second();
  EXPECT_EQ(rig.LoadOf(kR1), 1);
  rig.PassSeconds(89);
  EXPECT_LE(rig.LoadOf(kR1), 0.8 * 1.02);
  rig.slowness[kR1] = 1;
  rig.PassSeconds(300);
  EXPECT_EQ(rig.HomeFraction(kR1), 1) << "and trusted again";
}

TEST(MachineTest, AWorkerThatTwoRoutersReportCountsOnce) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.now += Milliseconds(500);
  for (const auto& [stream, hello] : rig.routers) {
    RouterReport report = rig.ReportOf(stream);
    const RouterReport twin = rig.ReportOf(rig.StreamsOf(hello.region)[0]);
    report.workers = twin.workers;  // both routers of a region see the same five
    rig.Send(RouterReported{stream, report});
  }
  rig.now += Milliseconds(500);
  rig.Send(Tick{});
  EXPECT_EQ(rig.machine.tiers()[0].region(kR0).traffic.alive, 5);
  EXPECT_EQ(rig.machine.directory()->workers[kR0].size(), 5u);
}

TEST(MachineTest, SilenceFreezesARegionAndThenTakesItOut) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(5);
  rig.silent = true;
  const auto health = [&] { return rig.machine.tiers()[0].Snapshot(rig.now).regions[kR0].health; };
  EXPECT_EQ(health(), InputHealth::kFresh);
  rig.PassSeconds(20);
  EXPECT_EQ(health(), InputHealth::kStale);
  rig.PassSeconds(60);
  EXPECT_EQ(health(), InputHealth::kMissing);
  EXPECT_EQ(WhatIsWrong(*rig.machine.table(), *rig.machine.fleet()), "");
  rig.silent = false;
  rig.PassSeconds(2);
  EXPECT_EQ(health(), InputHealth::kFresh);
}

TEST(MachineTest, BadMetricsAreSaidAndMakeNoBadTable) {
  auto fleet = MakeFleet();
  fleet->tiers[TierId(0)].metrics[0].name = "queue";  // from pages only
  Rig rig(fleet);
  rig.Connect();
  for (const double value : {0.5, std::numeric_limits<double>::quiet_NaN(), -3.0, 1e308,
                             std::numeric_limits<double>::infinity()}) {
    for (int second = 0; second < 3; ++second) {
      rig.now += Milliseconds(500);
      for (const auto& [stream, hello] : rig.routers) {
        RouterReport report = rig.ReportOf(stream);
        for (WorkerSeen& worker : report.workers) worker.metrics = {{0, value, Seconds(1)}};
        rig.Send(RouterReported{stream, report});
      }
      rig.now += Milliseconds(500);
      rig.Send(Tick{});
      ASSERT_NE(rig.machine.table(), nullptr);
      ASSERT_EQ(WhatIsWrong(*rig.machine.table(), *rig.machine.fleet()), "") << value;
    }
  }
  bool said = false;
  for (const Note& note : rig.Taken<Note>()) said = said || absl::StrContains(note.text, "'queue'");
  EXPECT_TRUE(said);
  EXPECT_LT(rig.Taken<Note>().size(), 20u) << "a finding is noted once, not every epoch";
}

TEST(MachineTest, ATableThatIsNotAcknowledgedIsSentAgain) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(2);
  rig.actions.clear();
  // The router goes on reporting that it has nothing.
  for (int second = 0; second < 12; ++second) {
    rig.now += Seconds(1);
    RouterReport report = rig.ReportOf(1);
    report.table = {};
    rig.Send(RouterReported{1, report});
    rig.Send(Tick{});
  }
  EXPECT_EQ(rig.Taken<SendTable>().size(), 2u);
  EXPECT_EQ(rig.Taken<SendTable>()[0].stream, 1u);
  rig.actions.clear();
  rig.Send(RouterAcked{1, rig.machine.table()->version, true, ""});
  rig.now += Seconds(20);
  rig.Send(Tick{});
  for (const SendTable& sent : rig.Taken<SendTable>()) EXPECT_NE(sent.stream, 1u);
}

TEST(MachineTest, MissedEpochsAreNotMadeUpFor) {
  Rig rig(MakeFleet());
  rig.now += Seconds(100.3);
  rig.Send(Tick{});
  EXPECT_EQ(rig.Taken<EpochEnded>().size(), 1u);
  EXPECT_GT(rig.machine.NextWake(), rig.now);
  EXPECT_LE(rig.machine.NextWake(), rig.now + Seconds(1));
}

}  // namespace
}  // namespace ringway::controller
