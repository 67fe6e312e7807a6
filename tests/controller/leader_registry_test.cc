// Who holds the slot ledgers: one router a region and tier, as long as it lives, never two with one fence.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

const RegionId kHome(0);

std::shared_ptr<Fleet> LedgerFleet(int tiers = 1, int regions = 1) {
  return MakeFleet({.regions = regions, .tiers = tiers, .ledger = true});
}

// Routers r0-0, r0-1, ... of one region, that connect, report and break by hand.
class Leaders : public testing::Test {
 protected:
  void Connect(int router, std::uint64_t incarnation = 1, TableVersion table = {}) {
    const StreamId stream = ++last_stream_;
    streams_[router] = stream;
    rig_->Send(RouterConnected{stream,
                               {.router = absl::StrCat("r0-", router),
                                .region = kHome,
                                .address = absl::StrCat("10.0.0.", router, ":7410"),
                                .table = table,
                                .build = "test",
                                .incarnation = incarnation}});
  }
  void Break(int router) {
    rig_->Send(RouterDisconnected{streams_.at(router)});
    streams_.erase(router);
  }
  void Report(int router) { rig_->Send(RouterReported{streams_.at(router), {}}); }
  // It reports, and knows of that appointment of the first tier's leader.
  void Know(int router, const Fence& appointment) {
    RouterReport report;
    TierCounts& counts = report.tiers.emplace_back();
    counts.tier = TierId(0);
    counts.appointment = appointment;
    rig_->Send(RouterReported{streams_.at(router), report});
  }
  // Ticks as the shell would, every router reporting twice a second, but `silent`.
  void Pass(Duration span, int silent = -1) {
    const Time end = rig_->now + span;
    Time report_at = rig_->now;
    while (rig_->now < end) {
      if (rig_->now >= report_at) {
        for (const auto& [router, stream] : streams_) {
          if (router != silent) Report(router);
        }
        report_at = rig_->now + Milliseconds(500);
      }
      rig_->now = std::min({end, report_at, rig_->machine.NextWake()});
      rig_->Send(Tick{});
    }
  }
  const LeaderEntry* Leader(TierId tier = TierId(0)) const {
    if (!rig_->machine.leaders().contains(kHome)) return nullptr;
    for (const LeaderEntry& leader : rig_->machine.leaders()[kHome]) {
      if (leader.tier == tier) return &leader;
    }
    return nullptr;
  }

  std::optional<Rig> rig_{std::in_place, LedgerFleet()};
  std::map<int, StreamId> streams_;
  StreamId last_stream_ = 0;
};

TEST_F(Leaders, TheFirstRouterIsAppointedAtOnceAndStays) {
  EXPECT_EQ(Leader(), nullptr);
  Connect(1);
  ASSERT_NE(Leader(), nullptr);
  const LeaderEntry first = *Leader();
  EXPECT_EQ(first.router, "r0-1");
  EXPECT_TRUE(first.fresh);
  EXPECT_EQ(first.fence, (Fence{rig_->machine.epoch(), 1}));
  Connect(0);
  Pass(Seconds(20));
  EXPECT_EQ(*Leader(), first) << "a router that would come first by name is no reason to change";
}

TEST_F(Leaders, AnAppointmentIsSavedBeforeAnybodyHearsOfIt) {
  Connect(0);
  Pass(Seconds(3));
  Connect(1);
  rig_->actions.clear();
  Break(0);
  Pass(Milliseconds(600));
  ASSERT_EQ(Leader()->router, "r0-1");
  bool saved = false, sent = false;
  for (const ControllerAction& action : rig_->actions) {
    if (const auto* save = std::get_if<SaveState>(&action)) saved = saved || save->now;
    if (const auto* send = std::get_if<SendDirectory>(&action)) {
      if (send->directory->leaders[kHome].front().router != "r0-1") continue;
      EXPECT_TRUE(saved);
      sent = true;
    }
  }
  EXPECT_TRUE(sent);
}

TEST_F(Leaders, AShortBreakChangesNothingAndALongOneDoesWithinASecond) {
  Connect(0);
  Connect(1);
  Pass(Seconds(3));
  const LeaderEntry before = *Leader();
  Break(0);
  Pass(Milliseconds(400));
  Connect(0);
  Pass(Seconds(2));
  EXPECT_EQ(*Leader(), before);
  Break(0);
  Pass(Milliseconds(501));
  EXPECT_EQ(Leader()->router, "r0-1");
  EXPECT_GT(Leader()->fence, before.fence);
  EXPECT_FALSE(Leader()->fresh);
}

TEST_F(Leaders, ASilentLeaderIsReplacedWithinTwoSeconds) {
  Connect(0);
  Connect(1);
  Pass(Seconds(3));
  ASSERT_EQ(Leader()->router, "r0-0");
  Pass(Milliseconds(1900), 0);
  EXPECT_EQ(Leader()->router, "r0-1");
  Pass(Seconds(5));
  EXPECT_EQ(Leader()->router, "r0-1") << "it does not get the ledger back for speaking again";
}

TEST_F(Leaders, ARestartedLeaderIsAppointedAnewBecauseItsLeasesBeginAnew) {
  Connect(0, 100);
  Pass(Seconds(3));
  const LeaderEntry before = *Leader();
  Break(0);
  Connect(0, 101);
  EXPECT_EQ(Leader()->router, "r0-0");
  EXPECT_EQ(Leader()->incarnation, 101u);
  EXPECT_GT(Leader()->fence, before.fence);
}

TEST_F(Leaders, ARestartedControllerKeepsTheLeaderThatComesBack) {
  Connect(0, 100);
  Connect(1, 100);
  Pass(Seconds(3));
  const LeaderEntry before = *Leader();
  const DurableState durable = rig_->machine.Durable();
  rig_.emplace(LedgerFleet(), durable);
  streams_.clear();
  Connect(1, 100);
  Pass(Milliseconds(900));
  Connect(0, 100);
  Pass(Seconds(5));
  EXPECT_EQ(*Leader(), before) << "under the fence of the epoch that appointed it";
  EXPECT_LT(before.fence.leader_epoch, rig_->machine.epoch());
  Break(0);
  Pass(Seconds(1));
  EXPECT_EQ(Leader()->router, "r0-1");
  EXPECT_EQ(Leader()->fence, (Fence{rig_->machine.epoch(), 1}));
}

// An old copy of the disk came back: what was appointed since then is later than all that it tells of.
TEST_F(Leaders, WhatStandsOnAnOldDiskGetsALaterFenceWhereSomebodyKnowsOfALaterOne) {
  Connect(0, 100);
  Connect(1, 100);
  Pass(Seconds(3));
  const LeaderEntry before = *Leader();
  const DurableState old_disk = rig_->machine.Durable();
  rig_.emplace(LedgerFleet(), old_disk);
  streams_.clear();
  Connect(0, 100, {1, 5});
  Connect(1, 100);
  Know(0, before.fence);
  EXPECT_EQ(*Leader(), before) << "nobody knows of a later one";
  rig_->actions.clear();
  Know(1, {1, before.fence.appointment + 1});
  EXPECT_EQ(Leader()->router, before.router) << "it lives";
  EXPECT_EQ(Leader()->fence.leader_epoch, 2u);
  EXPECT_EQ(rig_->machine.epoch(), 2u) << "later as it is";
  EXPECT_FALSE(Leader()->fresh);
  EXPECT_TRUE(rig_->Taken<SaveState>().back().now) << "on disk before anybody hears of it";
  EXPECT_EQ(rig_->Taken<SendDirectory>().size(), 2u) << "both are told";
  EXPECT_EQ(rig_->Taken<Note>().size(), 1u);
  const LeaderEntry renewed = *Leader();
  Know(1, {1, before.fence.appointment + 1});
  EXPECT_EQ(*Leader(), renewed) << "once";
}

// By a clock that was set back while the disk was lost, or by another controller.
TEST_F(Leaders, AnAppointmentOfALaterEpochThanOursIsOvertaken) {
  Connect(0);
  Connect(1);
  Pass(Seconds(2));
  const LeaderEntry before = *Leader();
  for (const Fence known : {Fence{3, 1}, Fence{4, 9}, Fence{5, 2}}) {
    SCOPED_TRACE(known.leader_epoch);
    Know(0, known);
    EXPECT_EQ(rig_->machine.epoch(), known.leader_epoch + 1);
    EXPECT_EQ(Leader()->router, before.router);
    EXPECT_EQ(Leader()->fence.leader_epoch, known.leader_epoch + 1);
  }
  const LeaderEntry renewed = *Leader();
  Know(0, {~std::uint64_t{0}, 1});
  EXPECT_EQ(*Leader(), renewed) << "no controller can have made it";
}

TEST_F(Leaders, ALeaderThatDiedWithTheControllerIsReplacedSoonAfter) {
  Connect(0);
  Connect(1);
  Pass(Seconds(3));
  rig_.emplace(LedgerFleet(), rig_->machine.Durable());
  streams_.clear();
  Connect(1);
  Pass(Milliseconds(2100));
  EXPECT_EQ(Leader()->router, "r0-1");
  EXPECT_FALSE(Leader()->fresh);
}

TEST_F(Leaders, TheLedgersOfARegionAreSpreadOverItsRouters) {
  rig_.emplace(LedgerFleet(3));
  Connect(0);
  Connect(1);
  Connect(2);
  Pass(Seconds(2));
  Break(0);
  Pass(Seconds(2));
  std::multiset<std::string> routers;
  for (std::size_t t = 0; t < 3; ++t) routers.insert(Leader(TierId(t))->router);
  EXPECT_EQ(routers.count("r0-0"), 0u);
  EXPECT_GE(routers.count("r0-1"), 1u);
  EXPECT_GE(routers.count("r0-2"), 1u);
}

TEST_F(Leaders, ATierThatGoesBackToProbesHasNobodyAndIsNeverFreshAgain) {
  Connect(0);
  Pass(Seconds(2));
  const Fence before = Leader()->fence;
  rig_->Send(TopologyLoaded{MakeFleet({.regions = 1}), ""});
  EXPECT_EQ(Leader()->router, "");
  rig_->Send(TopologyLoaded{LedgerFleet(), ""});
  EXPECT_EQ(Leader()->router, "r0-0");
  EXPECT_FALSE(Leader()->fresh);
  EXPECT_GT(Leader()->fence, before);
}

TEST_F(Leaders, ANewTopologyDisturbsNobody) {
  Connect(0);
  Connect(1);
  Pass(Seconds(30));
  const LeaderEntry before = *Leader();
  rig_->Send(TopologyLoaded{LedgerFleet(1, 2), ""});
  Pass(Seconds(5));
  EXPECT_EQ(*Leader(), before);
}

// Any life: one fence is never given to two, fences of a leader never fall, and only the living are
// appointed.
TEST_F(Leaders, NoFenceIsEverGivenToTwo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed, 5);
    rig_.emplace(LedgerFleet(2));
    streams_.clear();
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::string> owners;
    std::map<std::uint32_t, Fence> newest;
    std::map<int, std::uint64_t> lives;
    for (int step = 0; step < 200; ++step) {
      const int router = static_cast<int>(rng.Below(4));
      const double u = rng.Uniform();
      if (u < 0.3) {
        if (streams_.contains(router)) Break(router);
        if (rng.Chance(0.5)) ++lives[router];
        Connect(router, lives[router]);
      } else if (u < 0.5) {
        if (streams_.contains(router)) Break(router);
      } else if (u < 0.55) {
        const Time now = rig_->now;
        rig_.emplace(LedgerFleet(2), rig_->machine.Durable());
        rig_->now = std::max(rig_->now, now);
        streams_.clear();
      } else {
        Pass(Milliseconds(rng.Below(2500)), static_cast<int>(rng.Below(6)));
      }
      for (std::size_t t = 0; t < 2; ++t) {
        const LeaderEntry* leader = Leader(TierId(t));
        if (leader == nullptr) continue;
        ASSERT_GE(leader->fence, newest[leader->tier.value()]) << "seed " << seed;
        newest[leader->tier.value()] = leader->fence;
        const std::string owner = absl::StrCat(leader->router, "#", leader->incarnation);
        const auto [known, first] = owners.emplace(
            std::tuple(leader->tier.value(), leader->fence.leader_epoch, leader->fence.appointment), owner);
        ASSERT_EQ(known->second, owner) << "seed " << seed << " step " << step;
      }
    }
    EXPECT_GT(owners.size(), 10u) << "the life was too quiet to show anything";
  }
}

}  // namespace
}  // namespace ringway::controller
