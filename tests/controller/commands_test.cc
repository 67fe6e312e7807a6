// What operators ask for: done as a whole, or refused with a sentence that helps.
#include "controller/orders/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() : rig_(Fleet3()) {
    rig_.Connect();
    rig_.PassSeconds(5);
  }
  static std::shared_ptr<Fleet> Fleet3() {
    auto fleet = MakeFleet();
    fleet->tiers[TierId(0)].residency_forbidden[kR1] = {kR0};
    return fleet;
  }
  Rig rig_;
};

TEST_F(CommandsTest, ADrainMovesAtItsPaceAndBack) {
  EXPECT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = "", .drain = true}).done);
  rig_.PassSeconds(10);
  EXPECT_NEAR(rig_.machine.tiers()[0].DrainShare(kR0, rig_.now), 0.5, 1e-9);
  EXPECT_GT(rig_.HomeFraction(kR0), 0) << "not all at once";
  rig_.PassSeconds(40);
  EXPECT_EQ(rig_.HomeFraction(kR0), 0);
  EXPECT_EQ(rig_.RowOf(kR0).routes[0].reason, RouteReason::kDrain);
  EXPECT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = "t0", .drain = false}).done);
  rig_.PassSeconds(60);
  EXPECT_NEAR(rig_.HomeFraction(kR0), 1, 1e-6);
}

TEST_F(CommandsTest, ADrainTurnedAroundGoesOnFromWhereItStands) {
  DrainRamp ramp;
  const Time start = FromUnixSeconds(100);
  const Duration pace = Seconds(20);
  ramp.Turn(start, 1, pace);
  ramp.Turn(start + Seconds(5), 0, pace);
  EXPECT_NEAR(ramp.Share(start + Seconds(5), pace), 0.25, 1e-12);
  EXPECT_NEAR(ramp.Share(start + Seconds(8), pace), 0.10, 1e-12);
  EXPECT_EQ(ramp.Share(start + Seconds(30), pace), 0);
  ramp.Turn(start + Seconds(30), 0, pace);  // already there
  EXPECT_EQ(ramp.since, start + Seconds(5));
  EXPECT_EQ((DrainRamp{.goal = 1}).Share(start, ZeroDuration()), 1);
}

TEST_F(CommandsTest, ThresholdChangesWhatCountsAsHot) {
  rig_.demand_rps[kR0] = 6;
  rig_.PassSeconds(30);
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
  EXPECT_TRUE(rig_.Ask(ThresholdCommand{"", 0.4}).done);
  rig_.PassSeconds(60);
  EXPECT_LE(rig_.LoadOf(kR0), 0.41);
}

TEST_F(CommandsTest, ObserveShowsThePlanAndPushesNothing) {
  EXPECT_TRUE(rig_.Ask(ModeCommand{"t0", TierMode::kObserve}).done);
  rig_.demand_rps[kR0] = 12;
  rig_.actions.clear();
  rig_.PassSeconds(30);
  EXPECT_TRUE(rig_.Taken<SendTable>().empty());
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
  EXPECT_GT(rig_.machine.tiers()[0].plan()->facts.away_rps, 0);
  EXPECT_TRUE(rig_.Ask(ModeCommand{"t0", TierMode::kFrozen}).done);
  rig_.actions.clear();
  rig_.PassSeconds(5);
  EXPECT_TRUE(rig_.Taken<PlanMade>().empty());
  EXPECT_TRUE(rig_.Ask(ModeCommand{"t0", TierMode::kActive}).done);
  rig_.PassSeconds(30);
  EXPECT_LT(rig_.HomeFraction(kR0), 1);
}

TEST_F(CommandsTest, APinHoldsAgainstThePlanAndThePlanWorksAroundIt) {
  EXPECT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r0", .routes = {{"r1", 1}}}).done);
  rig_.demand_rps[kR0] = 4;
  rig_.demand_rps[kR1] = 6;  // with the pinned traffic r1 is at load 1
  rig_.PassSeconds(60);
  EXPECT_EQ(rig_.HomeFraction(kR0), 0);
  EXPECT_EQ(rig_.RowOf(kR0).routes[0].reason, RouteReason::kPinned);
  EXPECT_LE(rig_.LoadOf(kR1), 0.8 * 1.02);
  EXPECT_LT(rig_.HomeFraction(kR1), 1);
  EXPECT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r0", .pin = false}).done);
  rig_.PassSeconds(60);
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
}

TEST_F(CommandsTest, ARollbackReturnsToAKeptTableAndStaysThere) {
  const TableVersion calm = rig_.machine.table()->version;
  rig_.demand_rps[kR0] = 12;
  rig_.PassSeconds(30);
  ASSERT_LT(rig_.HomeFraction(kR0), 1);
  const TableVersion hot = rig_.machine.table()->version;
  rig_.actions.clear();
  EXPECT_TRUE(rig_.Ask(RollbackCommand{"t0", calm}).done);
  ASSERT_EQ(rig_.Taken<SendTable>().size(), 1u) << "at once";
  EXPECT_GT(rig_.machine.table()->version, hot) << "an old table under a new version";
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
  rig_.PassSeconds(30);
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
  EXPECT_EQ(rig_.machine.tiers()[0].mode(), TierMode::kFrozen);
}

TEST_F(CommandsTest, WhatCannotBeDoneIsRefusedAndChangesNothing) {
  struct Case {
    decltype(OperatorCommand::what) what;
    const char* says;
  };
  const std::vector<Case> cases = {
      {DrainCommand{.region = "mars", .tier = "", .drain = true}, "there are: r0, r1, r2"},
      {DrainCommand{.region = "r0", .tier = "films", .drain = true}, "there are: t0"},
      {ThresholdCommand{"t0", 0}, "above 0 and up to 1"},
      {ThresholdCommand{"t0", 1.01}, "above 0 and up to 1"},
      {ThresholdCommand{"t0", std::nan("")}, "above 0 and up to 1"},
      {ThresholdCommand{"films", 0.5}, "there are: t0"},
      {ModeCommand{"films", TierMode::kActive}, "there are: t0"},
      {RollbackCommand{"t0", {9, 9}}, "table 9.9 is not kept; `ringway history` lists"},
      {PinCommand{.tier = "t0", .region = "mars"}, "'mars' does not exist"},
      {PinCommand{.tier = "t0", .region = "r0", .routes = {{"mars", 1}}}, "'mars' does not exist"},
      {PinCommand{.tier = "t0", .region = "r0", .routes = {{"r0", 0.5}}}, "sum to 0.5"},
      {PinCommand{.tier = "t0", .region = "r0", .routes = {{"r0", 0.5}, {"r0", 0.5}}}, "twice"},
      {PinCommand{.tier = "t0", .region = "r0", .routes = {{"r0", 2}, {"r1", -1}}}, "above 0"},
      {PinCommand{.tier = "t0", .region = "r0", .routes = {{"r0", std::nan("")}}}, "above 0"},
      {PinCommand{.tier = "t0", .region = "r1", .routes = {{"r0", 1}}}, "residency"},
      {PinCommand{.tier = "t0", .region = "r0", .priority = 3, .routes = {{"r0", 1}}}, "priority 3"},
  };
  const std::string before = Describe(OperatorCommand{.what = cases[0].what});
  EXPECT_THAT(before, HasSubstr("drain mars"));
  const TableVersion version = rig_.machine.table()->version;
  for (const Case& c : cases) {
    rig_.actions.clear();
    const CommandAnswered answer = rig_.Ask(c.what);
    EXPECT_FALSE(answer.done) << c.says;
    EXPECT_THAT(answer.message, HasSubstr(c.says));
    ASSERT_EQ(rig_.Taken<AuditEntry>().size(), 1u);
    EXPECT_THAT(rig_.Taken<AuditEntry>()[0].action, HasSubstr("[refused]"));
    EXPECT_TRUE(rig_.Taken<SaveState>().empty());
  }
  EXPECT_EQ(rig_.machine.table()->version, version);
  EXPECT_TRUE(rig_.machine.tiers()[0].pins().empty());
  EXPECT_EQ(rig_.machine.Durable().tiers[0].drains.size(), 0u);
}

}  // namespace
}  // namespace ringway::controller
