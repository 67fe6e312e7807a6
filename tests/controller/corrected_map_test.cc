// What routers measure of round trips, in the map, the plan and the journal's state of a controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

double Share(const Rig& rig, RegionId source, RegionId target) {
  for (const Route& route : rig.RowOf(source).routes) {
    if (route.target == target) return route.fraction;
  }
  return 0;
}

// r0 is hot; the file says that r1 is nearer than r2.
class CorrectedMapTest : public ::testing::Test {
 protected:
  CorrectedMapTest() : rig_(MakeFleet()) {
    rig_.Connect();
    rig_.demand_rps[kR0] = 11;
    rig_.PassSeconds(60);
  }
  Rig rig_;
};

TEST_F(CorrectedMapTest, TrafficLeavesForTheRegionThatIsMeasuredToBeNear) {
  ASSERT_GT(Share(rig_, kR0, kR1), 0.1);
  ASSERT_EQ(Share(rig_, kR0, kR2), 0);
  rig_.actions.clear();
  rig_.trips = {{{kR0, kR1}, 900}, {{kR0, kR2}, 20}};
  rig_.PassSeconds(8);
  EXPECT_TRUE(rig_.Taken<SendMap>().empty()) << "more corrections may follow";
  rig_.PassSeconds(5);
  ASSERT_EQ(rig_.Taken<SendMap>().size(), 1u);
  EXPECT_FALSE(rig_.Taken<SendMap>()[0].stream.has_value()) << "everybody is to hear of it";
  EXPECT_EQ(rig_.machine.fleet()->world.rtt.ms(kR0, kR1), 900);
  EXPECT_EQ(rig_.machine.fleet()->world.rtt.ms(kR1, kR0), 900);
  EXPECT_EQ(rig_.machine.loaded_fleet()->world.rtt.ms(kR0, kR1), 41);
  rig_.PassSeconds(60);
  EXPECT_EQ(Share(rig_, kR0, kR1), 0);
  EXPECT_GT(Share(rig_, kR0, kR2), 0.1);
  EXPECT_EQ(WhatIsWrong(*rig_.machine.table(), *rig_.machine.fleet()), "");
  EXPECT_EQ(rig_.Taken<SendMap>().size(), 1u) << "what is told again and again is one correction";
  bool said = false;
  for (const Note& note : rig_.Taken<Note>())
    said = said || absl::StrContains(note.text, "r0 to r1 900 ms, not 41");
  EXPECT_TRUE(said);
}

TEST_F(CorrectedMapTest, AMapThatIsAboutRightStands) {
  const TableVersion before = rig_.machine.table()->version;
  rig_.actions.clear();
  rig_.trips = {{{kR0, kR1}, 60}, {{kR0, kR2}, 70}, {{kR1, kR2}, 38}};
  rig_.PassSeconds(120);
  EXPECT_TRUE(rig_.Taken<SendMap>().empty());
  EXPECT_EQ(rig_.machine.table()->version, before);
}

TEST_F(CorrectedMapTest, ANewTopologyKeepsWhatWasMeasured) {
  rig_.trips = {{{kR0, kR1}, 900}};
  rig_.PassSeconds(30);
  ASSERT_EQ(rig_.machine.fleet()->world.rtt.ms(kR0, kR1), 900);
  rig_.trips.clear();  // nothing new is said
  rig_.Send(TopologyLoaded{MakeFleet({.regions = 4}), "four"});
  rig_.PassSeconds(30);
  EXPECT_EQ(rig_.machine.fleet()->world.rtt.ms(kR0, kR1), 900);
  EXPECT_EQ(rig_.machine.fleet()->world.rtt.ms(kR0, kR2), 81);
}

}  // namespace
}  // namespace ringway::controller
