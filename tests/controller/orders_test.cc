// Orders for a while and for a part: they revert by themselves, to what lasts, also over a restart; and a
// drain for which there is no room says so before it is carried out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "controller/orders/room.h"
#include "core/rng.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Time kNoon = FromUnixSeconds(1'000'000);
Term Until(int second) { return {.until = kNoon + Seconds(second), .length = Seconds(second), .who = "ann"}; }

TEST(TimedTest, ATermLiesOverWhatLasts) {
  struct Case {
    const char* what;
    std::vector<std::pair<int, int>> orders;  // value, second at which it ends; 0: it lasts
    int now;
    int at_11;  // after the terms of 10
  };
  const Case cases[] = {
      {"nothing", {}, 0, 0},
      {"for good", {{5, 0}}, 5, 5},
      {"for a while", {{5, 10}}, 5, 0},
      {"over what lasts", {{3, 0}, {5, 10}}, 5, 3},
      {"a later one replaces the first", {{3, 0}, {5, 10}, {6, 20}}, 6, 6},
      {"and never comes back to it", {{3, 0}, {5, 20}, {6, 10}}, 6, 3},
      {"one for good ends it", {{5, 10}, {4, 0}}, 4, 4},
  };
  for (const Case& c : cases) {
    Timed<int> timed;
    for (const auto& [value, second] : c.orders) {
      timed.Set(value, second == 0 ? std::nullopt : std::optional<Term>(Until(second)));
    }
    EXPECT_FALSE(timed.Expire(kNoon + Seconds(10) - Nanoseconds(1))) << c.what;
    EXPECT_EQ(timed.now(), c.now) << c.what;
    timed.Expire(kNoon + Seconds(11));
    EXPECT_EQ(timed.now(), c.at_11) << c.what;
  }
}

class OrdersTest : public ::testing::Test {
 protected:
  OrdersTest() : rig_(MakeFleet()) {
    rig_.Connect();
    rig_.PassSeconds(20);
    rig_.actions.clear();
  }
  const TierLoop& loop() const { return rig_.machine.tiers()[0]; }
  std::vector<std::string> Expired() const {
    std::vector<std::string> texts;
    for (const AuditEntry& entry : rig_.Taken<AuditEntry>()) {
      if (entry.who == "ringway") texts.push_back(entry.action + " | " + entry.why);
    }
    return texts;
  }
  Rig rig_;
};

TEST_F(OrdersTest, ADrainOfAShareKeepsWhatTheRestCarries) {
  // 10 workers of 1 s, threshold .8, margin 4 %: half of them serve 3.84 a second.
  rig_.demand_rps[kR0] = 6;
  ASSERT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = "", .share = 0.5}).done);
  rig_.PassSeconds(60);
  EXPECT_NEAR(loop().DrainShare(kR0, rig_.now), 0.5, 1e-9);
  EXPECT_LT(rig_.HomeFraction(kR0), 3.9 / 6);
  EXPECT_GT(rig_.HomeFraction(kR0), 2.5 / 6);
  // What it has left, others may use.
  rig_.demand_rps[kR0] = 0;
  rig_.demand_rps[kR1] = 20;
  rig_.PassSeconds(60);
  double to_r0 = 0;
  for (const Route& route : rig_.RowOf(kR1).routes) to_r0 += route.target == kR0 ? 20 * route.fraction : 0;
  EXPECT_GT(to_r0, 2);
  EXPECT_LT(to_r0, 5.5) << "half of ten workers";
}

TEST_F(OrdersTest, TimedOrdersRevertAndTheAuditLogSaysSo) {
  ASSERT_TRUE(rig_.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.7}).done);
  ASSERT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = ""}, Seconds(40)).done);
  ASSERT_TRUE(rig_.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.4}, Seconds(40)).done);
  ASSERT_TRUE(
      rig_.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.3, .region = "r2"}, Seconds(40)).done);
  ASSERT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r1", .routes = {{"r2", 1}}}, Seconds(40)).done);
  ASSERT_EQ(loop().orders().Pending(loop().fleet(), loop().tier()).size(), 4u);
  rig_.PassSeconds(30);
  EXPECT_EQ(rig_.HomeFraction(kR0), 0);
  EXPECT_EQ(rig_.HomeFraction(kR1), 0);
  EXPECT_EQ(loop().tier().route.overload_threshold, 0.4);
  EXPECT_EQ(OverloadThreshold(loop().tier(), kR2), 0.3);
  EXPECT_TRUE(Expired().empty());
  rig_.actions.clear();
  rig_.PassSeconds(11);
  EXPECT_THAT(
      Expired(),
      ::testing::UnorderedElementsAre(
          "expired tier=t0: overload threshold 0.4 -> overload threshold 0.7 | ordered by ann for 40s",
          "expired tier=t0 r2: overload threshold 0.3 -> the topology's overload threshold | ordered by ann "
          "for 40s",
          "expired tier=t0 r0: drained by 100 % -> serves fully | ordered by ann for 40s",
          "expired tier=t0 r1: row pinned -> row as planned | ordered by ann for 40s"));
  EXPECT_TRUE(rig_.Taken<SaveState>().size() > 0 && rig_.Taken<SaveState>()[0].now);
  EXPECT_EQ(loop().tier().route.overload_threshold, 0.7);
  EXPECT_EQ(OverloadThreshold(loop().tier(), kR2), 0.7);
  rig_.PassSeconds(60);
  EXPECT_NEAR(rig_.HomeFraction(kR0), 1, 1e-6);
  EXPECT_NEAR(rig_.HomeFraction(kR1), 1, 1e-6);
}

TEST_F(OrdersTest, ATimedRollbackPlansAgain) {
  const TableVersion calm = rig_.machine.table()->version;
  rig_.demand_rps[kR0] = 12;
  rig_.PassSeconds(30);
  ASSERT_LT(rig_.HomeFraction(kR0), 1);
  ASSERT_TRUE(rig_.Ask(RollbackCommand{"t0", calm}, Seconds(20)).done);
  rig_.PassSeconds(19);
  EXPECT_EQ(loop().mode(), TierMode::kFrozen);
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
  rig_.PassSeconds(30);
  EXPECT_EQ(loop().mode(), TierMode::kActive);
  EXPECT_LT(rig_.HomeFraction(kR0), 1);
}

TEST_F(OrdersTest, ARestartGoesOnWithTheTermAndEndsWhatIsOver) {
  ASSERT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = ""}, Seconds(60)).done);
  ASSERT_TRUE(rig_.Ask(ModeCommand{"t0", TierMode::kObserve}, Seconds(30)).done);
  const Time given = rig_.now;
  Rig next(MakeFleet(), rig_.machine.Durable());
  next.now = given + Seconds(35);
  EXPECT_EQ(next.machine.tiers()[0].orders(), loop().orders());
  next.Send(Tick{});
  EXPECT_EQ(next.machine.tiers()[0].mode(), TierMode::kActive);
  EXPECT_EQ(next.machine.tiers()[0].region(kR0).drain.goal, 1);
  next.now = given + Seconds(61);
  next.Send(Tick{});
  EXPECT_EQ(next.machine.tiers()[0].region(kR0).drain.goal, 0);
}

TEST_F(OrdersTest, ANewTopologyKeepsTermsOfWhatIsStillThere) {
  ASSERT_TRUE(rig_.Ask(DrainCommand{.region = "r1", .tier = ""}, Seconds(60)).done);
  ASSERT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r0", .routes = {{"r2", 1}}}).done);
  ASSERT_TRUE(rig_.Ask(PinCommand{.tier = "t0", .region = "r0", .routes = {{"r1", 1}}}, Seconds(60)).done);
  rig_.Send(TopologyLoaded{MakeFleet({.regions = 2}), "two"});
  EXPECT_EQ(loop().orders().drains[kR1].over->second.length, Seconds(60));
  ASSERT_EQ(loop().orders().pins.size(), 1u);
  const auto& pin = loop().orders().pins.begin()->second;
  EXPECT_FALSE(pin.lasting) << "r2 is gone";
  EXPECT_TRUE(pin.over && pin.over->first);
  EXPECT_EQ(loop().pins().size(), 1u);
}

TEST_F(OrdersTest, WhatCannotBeIsRefused) {
  const auto refused = [&](decltype(OperatorCommand::what) what, Duration lasts) {
    const CommandAnswered answer = rig_.Ask(std::move(what), lasts);
    EXPECT_FALSE(answer.done);
    return answer.message;
  };
  const ModeCommand frozen{"t0", TierMode::kFrozen};
  EXPECT_THAT(refused(frozen, Milliseconds(10)), HasSubstr("it may last 1s to 2160h, not 10ms"));
  EXPECT_THAT(refused(frozen, Hours(24 * 91)), HasSubstr("it may last"));
  EXPECT_THAT(refused(frozen, -Seconds(5)), HasSubstr("it may last"));
  for (const double share : {0.0, 1.5, -1.0, std::nan("")}) {
    EXPECT_THAT(refused(DrainCommand{.region = "r0", .tier = "", .share = share}, {}),
                HasSubstr("above 0 and up to 1"));
  }
  EXPECT_THAT(refused(ThresholdCommand{.tier = "t0", .overload_threshold = 0.5, .region = "mars"}, {}),
              HasSubstr("there are: r0"));
  EXPECT_EQ(loop().orders(), Rig(MakeFleet()).machine.tiers()[0].orders());
}

TEST_F(OrdersTest, ADrainWithoutRoomIsRefusedWithFiguresAndForceGoesOn) {
  // 10 of 10 each could be served; below the threshold 8 each.
  for (const RegionId region : {kR0, kR1, kR2}) rig_.demand_rps[region] = 7;
  rig_.PassSeconds(40);
  rig_.actions.clear();
  const CommandAnswered refused = rig_.Ask(DrainCommand{.region = "r1", .tier = "", .check_room = true});
  EXPECT_FALSE(refused.done);
  EXPECT_THAT(refused.message,
              AllOf(HasSubstr("nothing was drained"), HasSubstr("requests/s would not fit: tier t0: r"),
                    HasSubstr("above its overload threshold"), HasSubstr("--force")));
  double over_rps = 0;
  for (const NamedShortfall& here : refused.shortfall) over_rps += here.over_rps + here.refused_rps;
  EXPECT_NEAR(over_rps, 21 - 16, 0.4) << "three regions' demand, two regions' thresholds";
  EXPECT_EQ(loop().region(kR1).drain.goal, 0);
  EXPECT_THAT(rig_.Taken<AuditEntry>()[0].action, HasSubstr("[refused]"));
  EXPECT_TRUE(rig_.Ask(DrainCommand{.region = "r1", .tier = ""}).done);
}

TEST_F(OrdersTest, ADrainAsksForTheRoomThatOtherDrainsLeave) {
  for (const RegionId region : {kR0, kR1, kR2}) rig_.demand_rps[region] = 4;
  rig_.PassSeconds(40);
  EXPECT_TRUE(rig_.Ask(DrainCommand{.region = "r0", .tier = "", .check_room = true}).done)
      << "12 fit into 16";
  // The first has hardly begun to move, and counts in full.
  EXPECT_FALSE(rig_.Ask(DrainCommand{.region = "r1", .tier = "", .check_room = true}).done)
      << "12 do not fit into 8";
  EXPECT_TRUE(rig_.Ask(DrainCommand{.region = "r1", .tier = "", .share = 0.2, .check_room = true}).done);
}

TEST_F(OrdersTest, WhatDoesNotFitAlreadyIsNoReasonToRefuse) {
  rig_.demand_rps[kR0] = 30;  // more than all three have
  rig_.demand_rps[kR1] = rig_.demand_rps[kR2] = 0;
  rig_.PassSeconds(60);
  const CommandAnswered answer =
      rig_.Ask(DrainCommand{.region = "r2", .tier = "", .share = 1e-3, .check_room = true});
  EXPECT_TRUE(answer.done) << answer.message;
  EXPECT_FALSE(rig_.Ask(DrainCommand{.region = "r2", .tier = "", .check_room = true}).done)
      << "it makes it worse";
}

TEST_F(OrdersTest, ARegionsThresholdCountsInPlaceOfTheTiers) {
  rig_.demand_rps[kR0] = 6;
  rig_.PassSeconds(30);
  ASSERT_EQ(rig_.HomeFraction(kR0), 1);
  EXPECT_TRUE(rig_.Ask(ThresholdCommand{.tier = "", .overload_threshold = 0.4, .region = "r0"}).done);
  rig_.PassSeconds(60);
  EXPECT_LE(rig_.LoadOf(kR0), 0.41);
  // The tier's does not touch it.
  EXPECT_TRUE(rig_.Ask(ThresholdCommand{.tier = "", .overload_threshold = 0.75}).done);
  EXPECT_EQ(OverloadThreshold(loop().tier(), kR0), 0.4);
  EXPECT_EQ(OverloadThreshold(loop().tier(), kR1), 0.75);
  EXPECT_TRUE(rig_.Ask(ThresholdCommand{.tier = "", .region = "r0", .clear = true}).done);
  rig_.PassSeconds(60);
  EXPECT_NEAR(rig_.HomeFraction(kR0), 1, 1e-6);
  EXPECT_EQ(OverloadThreshold(loop().tier(), kR0), 0.75);
}

}  // namespace
}  // namespace ringway::controller
