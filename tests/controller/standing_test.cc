// Failure is an input: what is lost is no target within seconds, what flaps is on trial, and who sees
// everybody vanish is alone.
#include "controller/fleet/standing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

Time Clock(double s) { return UnixEpoch() + Seconds(s); }

// Region 1 of four is hot and sends to its neighbours 0 and 2.
Rig Hot() {
  Rig rig(MakeFleet({.regions = 4}));
  rig.demand_rps[kR1] = 14;
  rig.Connect();
  rig.PassSeconds(20);
  return rig;
}

double Sent(const Rig& rig, RegionId from, RegionId to) {
  for (const Route& route : rig.RowOf(from).routes) {
    if (route.target == to) return route.fraction;
  }
  return 0;
}

std::vector<RouterHello> Lose(Rig& rig, RegionId region) {
  std::vector<RouterHello> gone;
  for (const StreamId stream : rig.StreamsOf(region)) {
    gone.push_back(rig.routers.at(stream));
    rig.Send(RouterDisconnected{stream});
    rig.routers.erase(stream);
  }
  return gone;
}

void ComeBack(Rig& rig, const std::vector<RouterHello>& routers, StreamId first) {
  for (const RouterHello& hello : routers) {
    rig.routers[first] = hello;
    rig.Send(RouterConnected{first++, hello});
  }
}

TEST(StandingTest, ARegionWhoseStreamsAreLostIsNoTargetWithinTwoSeconds) {
  Rig rig = Hot();
  ASSERT_GT(Sent(rig, kR1, kR2), 0.1);
  Lose(rig, kR2);
  rig.PassSeconds(2);
  EXPECT_EQ(Sent(rig, kR1, kR2), 0);
  EXPECT_GT(Sent(rig, kR1, kR0), 0.1) << "another takes them";
  EXPECT_EQ(WhatIsWrong(*rig.machine.table(), *rig.machine.fleet()), "");
}

TEST(StandingTest, ARegionWhoseWorkersDieIsNoTargetEither) {
  Rig rig = Hot();
  rig.dead[kR2] = 10;
  rig.PassSeconds(2);
  EXPECT_EQ(Sent(rig, kR1, kR2), 0);
}

TEST(StandingTest, OneThatComesBackServesItsOwnAtOnceAndOthersAfterATrialThatGrows) {
  Rig rig = Hot();
  StreamId next = 100;
  int before_s = 0;
  for (int fall = 0; fall < 3; ++fall) {
    const auto routers = Lose(rig, kR2);
    rig.PassSeconds(4);
    ComeBack(rig, routers, next);
    next += 10;
    rig.PassSeconds(2);
    EXPECT_EQ(rig.HomeFraction(kR2), 1);
    int trial_s = 2;
    for (; trial_s < 200 && Sent(rig, kR1, kR2) == 0; ++trial_s) rig.Second();
    EXPECT_GT(trial_s, before_s) << "fall " << fall;
    EXPECT_LE(trial_s, 10 << fall) << "fall " << fall;
    before_s = trial_s;
  }
}

TEST(StandingTest, AControllerThatSeesEverybodyVanishKeepsItsTable) {
  Rig rig = Hot();
  const auto table = rig.machine.table();
  std::vector<std::vector<RouterHello>> lost;
  for (const RegionId region : {kR0, kR2, RegionId(3)}) lost.push_back(Lose(rig, region));
  rig.PassSeconds(30);
  EXPECT_EQ(rig.machine.table(), table) << "three of four: it is the controller";
  const auto notes = rig.Taken<Note>();
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const Note& note) { return note.text.find("cut off") != std::string::npos; }));
  StreamId next = 100;
  for (const auto& routers : lost) {
    ComeBack(rig, routers, next);
    next += 10;
  }
  rig.PassSeconds(4);
  EXPECT_GT(Sent(rig, kR1, kR2), 0.1) << "nobody is on trial for it";
}

TEST(StandingTest, TrialsDoubleAndAreForgiven) {
  Standing standing;
  standing.See(Clock(0), true, false);
  EXPECT_FALSE(standing.OnTrial(Clock(0))) << "the first time up is no return";
  double at_s = 10;
  for (const double trial_s : {5, 10, 20, 40, 80, 120, 120}) {
    standing.See(Clock(at_s), false, false);
    EXPECT_TRUE(standing.gone());
    standing.See(Clock(at_s + 1), true, false);
    EXPECT_TRUE(standing.OnTrial(Clock(at_s + trial_s)));
    EXPECT_FALSE(standing.OnTrial(Clock(at_s + 1 + trial_s)));
    at_s += 200;
  }
  standing.See(Clock(at_s + 1000), false, false);
  standing.See(Clock(at_s + 1001), true, false);
  EXPECT_FALSE(standing.OnTrial(Clock(at_s + 1007))) << "the first in a long time";
}

TEST(StandingTest, HalfIsNoMajorityAndAMinuteIsLongEnough) {
  Horizon horizon(4);
  for (int r = 0; r < 4; ++r) horizon.See(Clock(0), RegionId(r), true);
  horizon.See(Clock(1), kR0, false);
  horizon.See(Clock(1), kR1, false);
  EXPECT_FALSE(horizon.CutOff(Clock(1)));
  horizon.See(Clock(2), kR2, false);
  EXPECT_TRUE(horizon.CutOff(Clock(2)));
  EXPECT_FALSE(horizon.CutOff(Clock(62))) << "then they are believed to be gone";
  horizon.See(Clock(63), RegionId(3), false);
  EXPECT_TRUE(horizon.CutOff(Clock(600))) << "nobody left to speak to";
}

}  // namespace
}  // namespace ringway::controller
