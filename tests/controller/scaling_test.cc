// Scaling in the controller's machine: when a number is known, what a restart and a new topology keep of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/tiers/region_status.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<Fleet> ScaledFleet() {
  auto fleet = MakeFleet({.regions = 2, .workers = 40});
  fleet->tiers[TierId(0)].scaling = ScalingSpec{.start_up = Minutes(1), .stable_for = Minutes(2)};
  return fleet;
}
const scale::Wanted& WantedOf(const ControllerMachine& machine, RegionId region) {
  return machine.tiers()[0].scaler()->wanted()[region];
}

TEST(MachineScalingTest, AfterTheWindowTheNumberFollowsDemandAndIsExplained) {
  Rig rig(ScaledFleet());
  EXPECT_EQ(StatusOf(rig.machine.tiers()[0], kR0, rig.now).workers_wanted, std::nullopt);
  rig.Connect();
  rig.PassSeconds(10);
  // All forty run, and half a picture stops nobody.
  EXPECT_EQ(StatusOf(rig.machine.tiers()[0], kR0, rig.now).workers_wanted, 40);
  rig.demand_rps[kR1] = 12;
  rig.PassSeconds(600);
  // Three and twelve requests of a second each.
  const int quiet = *StatusOf(rig.machine.tiers()[0], kR0, rig.now).workers_wanted;
  const int loud = *StatusOf(rig.machine.tiers()[0], kR1, rig.now).workers_wanted;
  EXPECT_GE(quiet, 4);
  EXPECT_LE(quiet, 10);
  EXPECT_GE(loud, 14);
  EXPECT_LE(loud, 24);
  EXPECT_THAT(ExplainRegion(rig.machine.tiers()[0], kR1, rig.now),
              Contains(HasSubstr("workers wanted: demand 12.")));
}

TEST(MachineScalingTest, ATierWithoutScalingHasNoNumber) {
  Rig rig(MakeFleet({.regions = 2}));
  rig.Connect();
  rig.PassSeconds(20);
  EXPECT_FALSE(rig.machine.tiers()[0].scaler());
  EXPECT_EQ(StatusOf(rig.machine.tiers()[0], kR0, rig.now).workers_wanted, std::nullopt);
  EXPECT_THAT(ExplainRegion(rig.machine.tiers()[0], kR0, rig.now), Not(Contains(HasSubstr("wanted"))));
  EXPECT_TRUE(rig.machine.Durable().tiers[0].histories.empty());
}

TEST(MachineScalingTest, AThresholdThatAnOperatorSetsCountsForTheNumber) {
  Rig rig(ScaledFleet());
  rig.demand_rps[kR1] = 20;
  rig.Connect();
  rig.PassSeconds(600);
  const int before = WantedOf(rig.machine, kR1).workers;
  EXPECT_TRUE(rig.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.55}).done);
  EXPECT_EQ(WantedOf(rig.machine, kR1).workers, before) << "nothing is forgotten";
  rig.PassSeconds(20);
  EXPECT_GE(WantedOf(rig.machine, kR1).workers, before + 8);
}

TEST(MachineScalingTest, ADayIsSavedAndSurvivesARestart) {
  Rig rig(ScaledFleet());
  rig.Connect();
  rig.PassSeconds(600);
  const DurableState kept = rig.machine.Durable();
  ASSERT_EQ(kept.tiers[0].histories.size(), 2u);
  EXPECT_EQ(kept.tiers[0].histories[0].region, "r0");
  ASSERT_GE(kept.tiers[0].histories[0].saved.rates.size(), 3u);
  EXPECT_NEAR(kept.tiers[0].histories[0].saved.rates.back(), 3, 0.2);
  Rig again(ScaledFleet(), kept);
  const std::int64_t bin = kept.tiers[0].histories[0].saved.newest;
  EXPECT_NEAR(*again.machine.tiers()[0].scaler()->history(kR0).Rate(bin, bin), 3, 0.2);
  EXPECT_FALSE(WantedOf(again.machine, kR0).known) << "the number itself is made anew";
  Rig elsewhere(MakeFleet({.regions = 2}), kept);
  EXPECT_FALSE(elsewhere.machine.tiers()[0].scaler()) << "and nobody minds a history that nobody asks for";
}

TEST(MachineScalingTest, ANewTopologyKeepsNumberAndHistoryOfTheSameRegion) {
  Rig rig(ScaledFleet());
  rig.Connect();
  rig.PassSeconds(600);
  const int before = WantedOf(rig.machine, kR1).workers;
  auto larger = MakeFleet({.regions = 3, .workers = 60});
  larger->tiers[TierId(0)].scaling = ScalingSpec{};
  rig.demand_rps.resize(3, 3.0);
  rig.dead.resize(3, 0);
  rig.slowness.resize(3, 1.0);
  rig.Send(TopologyLoaded{larger, ""});
  EXPECT_EQ(WantedOf(rig.machine, kR1).workers, before);
  EXPECT_FALSE(WantedOf(rig.machine, kR2).known);
  const std::int64_t bin = scale::DemandHistory::BinOf(rig.now) - 2;
  EXPECT_TRUE(rig.machine.tiers()[0].scaler()->history(kR1).Rate(bin, bin).has_value());
}

}  // namespace
}  // namespace ringway::controller
