// A canary of a configuration as the controller carries it: who gets which table, and what is left at the
// end.
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

constexpr TierId kT0(0);

// Demand above capacity waits in lines under the old settings; the new ones refuse it by table.
std::shared_ptr<Fleet> File(double shed_above, WorldShape shape = {.regions = 2, .ledger = true}) {
  auto fleet = MakeFleet(shape);
  for (Tier& tier : fleet->tiers) tier.guard.shed_above = shed_above;
  fleet->canary = CanarySpec{.share = 0.25, .period = Seconds(30)};
  return fleet;
}

class TrialMachineTest : public ::testing::Test {
 protected:
  TrialMachineTest() {
    rig_.demand_rps = IdVector<RegionId, double>(2, 15.0);
    rig_.Connect();
    rig_.PassSeconds(30);
    rig_.actions.clear();
  }

  const canary::TrialState& state() const { return rig_.machine.trial().state(); }
  void Load(std::shared_ptr<const Fleet> file) { rig_.Send(TopologyLoaded{std::move(file), "text"}); }
  // Seconds until the phase is another one.
  int Until(canary::Phase phase, int at_most = 200) {
    for (int i = 0; i < at_most; ++i) {
      if (state().phase == phase) return i;
      rig_.Second();
    }
    return -1;
  }
  std::vector<StreamId> Chosen() const {
    std::vector<StreamId> streams;
    for (const auto& [stream, hello] : rig_.routers) {
      if (rig_.machine.trial().Chosen(hello.router)) streams.push_back(stream);
    }
    return streams;
  }
  bool Sheds(StreamId stream) const {
    return rig_.Followed(stream)->tiers[kT0].at(0, rig_.routers.at(stream).region).shed_fraction > 0;
  }
  bool Noted(const std::string& part) const {
    for (const Note& note : rig_.Taken<Note>()) {
      if (note.text.find(part) != std::string::npos) return true;
    }
    return false;
  }

  Rig rig_{File(3), {}, 4};
};

TEST_F(TrialMachineTest, OnlyTheChosenRoutersGetTheNewTable) {
  Load(File(1));
  EXPECT_TRUE(Noted("tier t0: guard.shedAbove 3 -> 1"));
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].guard.shed_above, 3);
  ASSERT_GE(Until(canary::Phase::kRunning), 10) << "it measures first";
  EXPECT_TRUE(Noted("2 of 8 routers plan by the new settings now"));
  rig_.actions.clear();
  rig_.PassSeconds(1);
  ASSERT_EQ(Chosen().size(), 2u);
  const auto sent = rig_.Taken<SendTable>();
  ASSERT_GE(sent.size(), 2u);
  EXPECT_LT(sent[0].table->version, sent[1].table->version) << "the many have the newest version";
  EXPECT_EQ(sent[1].table, rig_.machine.table());
  for (const auto& [stream, hello] : rig_.routers) {
    const bool chosen = rig_.machine.trial().Chosen(hello.router);
    EXPECT_EQ(sent[0].For(stream), chosen);
    EXPECT_EQ(sent[1].For(stream), !chosen);
  }
  // In steps, from the table that was in force.
  rig_.PassSeconds(1);
  ASSERT_TRUE(rig_.machine.trial().running());
  for (const auto& [stream, hello] : rig_.routers) {
    EXPECT_EQ(Sheds(stream), rig_.machine.trial().Chosen(hello.router)) << hello.router;
  }
}

TEST_F(TrialMachineTest, ABadFileIsRevertedAndARestartKnows) {
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  const int took = Until(canary::Phase::kReverted);
  ASSERT_GE(took, 0);
  EXPECT_LE(took, 10);
  rig_.PassSeconds(1);
  for (const auto& [stream, hello] : rig_.routers) {
    EXPECT_FALSE(Sheds(stream));
    EXPECT_EQ(rig_.Followed(stream), rig_.machine.table());
  }
  EXPECT_TRUE(Noted("lose more: tier t0"));
  EXPECT_EQ(rig_.Taken<AuditEntry>().back().who, kByItself);
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].guard.shed_above, 3);
  const ControllerMachine next(ControllerSettings{}, File(1), rig_.machine.Durable(), rig_.now);
  EXPECT_EQ(next.fleet()->tiers[kT0].guard.shed_above, 3) << "the file still holds the bad settings";
  EXPECT_EQ(next.trial().state().phase, canary::Phase::kReverted);
}

TEST_F(TrialMachineTest, AGoodFilePassesAndAllHaveItsTable) {
  rig_.demand_rps = IdVector<RegionId, double>(2, 6.0);
  rig_.PassSeconds(20);
  auto file = File(3);
  file->tiers[kT0].route.overload_threshold = 0.5;
  file->tiers[kT0].regions[kR0].workers = 40;
  Load(file);
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].regions[kR0].workers, 40) << "who exists is in force at once";
  EXPECT_TRUE(Noted("in force everywhere at once: tier t0: workers of 1 region"));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  EXPECT_GE(Until(canary::Phase::kPassed), 29);
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].route.overload_threshold, 0.5);
  EXPECT_EQ(rig_.machine.loaded_fleet(), file);
  EXPECT_EQ(rig_.machine.tiers()[0].tier().route.overload_threshold, 0.5);
  rig_.PassSeconds(1);
  for (const auto& [stream, hello] : rig_.routers) EXPECT_EQ(rig_.Followed(stream), rig_.machine.table());
  EXPECT_LT(rig_.HomeFraction(kR1), 1) << "it plans by the new settings";
  const ControllerMachine next(ControllerSettings{}, file, rig_.machine.Durable(), rig_.now);
  EXPECT_FALSE(next.trial().open());
  EXPECT_EQ(next.fleet()->tiers[kT0].route.overload_threshold, 0.5);
}

TEST_F(TrialMachineTest, SilentRoutersRevertItInTheEnd) {
  rig_.tells_outcomes = false;  // as those of an earlier release
  Load(File(1));
  EXPECT_GE(Until(canary::Phase::kReverted), 60);
  EXPECT_NE(state().reason.find("0 of 100 jobs"), std::string::npos) << state().reason;
}

TEST_F(TrialMachineTest, OperatorsEndIt) {
  EXPECT_FALSE(rig_.Ask(CanaryCommand{.promote = true}).done) << "none runs";
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  EXPECT_FALSE(rig_.Ask(CanaryCommand{.promote = true}, Minutes(1)).done) << "not for a while";
  rig_.actions.clear();
  EXPECT_TRUE(rig_.Ask(CanaryCommand{.promote = true}).done);
  EXPECT_EQ(rig_.Taken<AuditEntry>().size(), 1u);
  EXPECT_EQ(rig_.Taken<AuditEntry>()[0].who, "ann");
  EXPECT_EQ(state().phase, canary::Phase::kPromoted);
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].guard.shed_above, 1);
  rig_.PassSeconds(10);
  for (const auto& [stream, hello] : rig_.routers) EXPECT_TRUE(Sheds(stream));
  Load(File(3));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  EXPECT_TRUE(rig_.Ask(CanaryCommand{.promote = false}).done);
  EXPECT_EQ(state().phase, canary::Phase::kAborted);
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].guard.shed_above, 1);
}

TEST_F(TrialMachineTest, ARollbackAbortsIt) {
  const TableVersion before = rig_.machine.table()->version;
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(1);
  EXPECT_TRUE(rig_.Ask(RollbackCommand{.tier = "t0", .version = before}).done);
  EXPECT_EQ(state().phase, canary::Phase::kAborted);
  EXPECT_EQ(rig_.machine.tiers()[0].mode(), TierMode::kFrozen);
  for (const auto& [stream, hello] : rig_.routers) EXPECT_EQ(rig_.Followed(stream), rig_.machine.table());
}

TEST_F(TrialMachineTest, ARouterThatComesBackGetsItsOwnTable) {
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(2);
  ASSERT_TRUE(rig_.machine.trial().running());
  for (const bool chosen : {true, false}) {
    StreamId old = 0;
    for (const auto& [stream, hello] : rig_.routers) {
      if (rig_.machine.trial().Chosen(hello.router) == chosen) old = stream;
    }
    const RouterHello hello = rig_.routers.at(old);
    rig_.Send(RouterDisconnected{old});
    rig_.routers.erase(old);
    const StreamId again = 1000 + old;
    rig_.actions.clear();
    rig_.routers[again] = hello;
    rig_.Send(RouterConnected{again, hello});
    ASSERT_EQ(rig_.Taken<SendTable>().size(), 1u);
    EXPECT_EQ(Sheds(again), chosen);
  }
}

TEST_F(TrialMachineTest, AFileThatIsLoadedMeanwhileBeginsAnew) {
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(2);
  const std::string id = state().id;
  Load(File(1.5));
  EXPECT_TRUE(Noted("is over without a verdict"));
  EXPECT_EQ(state().phase, canary::Phase::kMeasuring);
  EXPECT_NE(state().id, id);
  for (const auto& [stream, hello] : rig_.routers) EXPECT_EQ(rig_.Followed(stream), rig_.machine.table());
  EXPECT_EQ(rig_.machine.fleet()->tiers[kT0].guard.shed_above, 3);
}

TEST_F(TrialMachineTest, OrdersAndMeasuredRoundTripsCountForBoth) {
  rig_.demand_rps = IdVector<RegionId, double>(2, 6.0);
  rig_.PassSeconds(20);
  auto file = File(3);
  file->tiers[kT0].route.overload_threshold = 0.4;
  Load(file);
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(3);
  // One threshold for both: the plans are one.
  EXPECT_TRUE(rig_.Ask(ThresholdCommand{"t0", 0.7}).done);
  EXPECT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r1", .routes = {{"r0", 1}}}).done);
  rig_.PassSeconds(8);
  ASSERT_TRUE(rig_.machine.trial().running());
  for (const StreamId stream : Chosen()) {
    EXPECT_EQ(rig_.Followed(stream)->tiers[kT0], rig_.machine.table()->tiers[kT0]);
    EXPECT_NE(rig_.Followed(stream)->version, rig_.machine.table()->version);
  }
}

TEST_F(TrialMachineTest, AClaimedEpochKeepsBothTables) {
  Load(File(1));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(2);
  RouterReport report = rig_.ReportOf(1);
  report.epoch_seen_max = 9;
  rig_.Send(RouterReported{1, report});
  EXPECT_EQ(rig_.machine.table()->version, (TableVersion{10, 2}));
  for (const auto& [stream, hello] : rig_.routers) {
    const bool chosen = rig_.machine.trial().Chosen(hello.router);
    EXPECT_EQ(rig_.Followed(stream)->version, (TableVersion{10, chosen ? 1u : 2u}));
    EXPECT_EQ(Sheds(stream), chosen);
  }
  EXPECT_GE(Until(canary::Phase::kReverted), 0) << "and it is judged on";
}

// A life with a canary in it, whose controller is stopped at every second: what goes on is the same.
TEST_F(TrialMachineTest, ARestartGoesOnWithTheSameRouters) {
  Load(File(2.9));
  ASSERT_GE(Until(canary::Phase::kRunning), 0);
  rig_.PassSeconds(10);
  ASSERT_TRUE(rig_.machine.trial().running());
  const auto chosen = state().chosen;
  const double judged_s = state().evidence.at("t0").state().judged_s;
  EXPECT_GT(judged_s, 5);
  Rig next(File(2.9), rig_.machine.Durable(), 4);
  next.demand_rps = rig_.demand_rps;
  EXPECT_EQ(next.machine.fleet()->tiers[kT0].guard.shed_above, 3);
  next.Connect();
  next.PassSeconds(5);
  ASSERT_TRUE(next.machine.trial().running());
  EXPECT_EQ(next.machine.trial().state().chosen, chosen);
  EXPECT_GT(next.machine.trial().state().evidence.at("t0").state().judged_s, judged_s);
  for (const auto& [stream, hello] : next.routers) {
    const bool own = next.machine.trial().Chosen(hello.router);
    EXPECT_EQ(next.Followed(stream) != next.machine.table(), own);
  }
}

}  // namespace
}  // namespace ringway::controller
