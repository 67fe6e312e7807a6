// What an order would do is what it does: the table that is shown before it against the one that comes after.
#include "controller/orders/order_preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;
using What = decltype(OperatorCommand::what);

constexpr TierId kShown(0);
constexpr int kSettled = 120;  // seconds after which a table moves no more while its inputs stay

absl::StatusOr<OrderPreview> Preview(const Rig& rig, const What& what) {
  return PreviewOrder(rig.machine.tiers(), rig.machine.history(), OperatorCommand{.what = what}, kShown, {},
                      rig.now);
}

// The largest difference of a share.
double Distance(const TierTable& a, const TierTable& b, std::size_t regions) {
  double largest = 0;
  for (std::size_t p = 0; p < a.priorities(); ++p) {
    for (RegionId source(0); source.index() < regions; source = RegionId(source.index() + 1)) {
      const Row& one = a.at(static_cast<Priority>(p), source);
      const Row& other = b.at(static_cast<Priority>(p), source);
      std::vector<double> shares(regions, 0.0);
      for (const Route& route : one.routes) shares[route.target.index()] += route.fraction;
      for (const Route& route : other.routes) shares[route.target.index()] -= route.fraction;
      for (const double share : shares) largest = std::max(largest, std::abs(share));
      largest = std::max(largest, std::abs(one.shed_fraction - other.shed_fraction));
    }
  }
  return largest;
}

// A fleet on which nothing changes any more: what is learnt of it stays, and no step lies between plan and
// table.
std::shared_ptr<Fleet> StillFleet(int regions, int priorities) {
  auto fleet = MakeFleet({.regions = regions, .priorities = priorities});
  for (Tier& tier : fleet->tiers) {
    tier.guard.drain_pace = ZeroDuration();
    tier.guard.step_max = 1;
  }
  return fleet;
}

What RandomOrder(Rng& rng, const Rig& rig) {
  const auto& regions = rig.machine.fleet()->world.regions;
  const auto any = [&] { return regions[RegionId(rng.Below(regions.size()))].name; };
  switch (rng.Below(7)) {
    case 0:
      return DrainCommand{.region = any(), .tier = "", .drain = true};
    case 1:
      return DrainCommand{.region = any(), .tier = "t0", .drain = true, .share = 0.5};
    case 2:
      return ThresholdCommand{"t0", 0.4 + 0.5 * rng.Uniform()};
    case 3:
      return ThresholdCommand{.tier = "t0", .overload_threshold = 0.3 + 0.5 * rng.Uniform(), .region = any()};
    case 4:
      return ModeCommand{"t0", rng.Chance(0.5) ? TierMode::kFrozen : TierMode::kObserve};
    case 5: {
      const auto& tables = rig.machine.history().tables();
      return RollbackCommand{"t0", tables[rng.Below(tables.size())]->version};
    }
    default: {
      const std::string source = any(), target = any();
      if (source == target) return PinCommand{.tier = "t0", .region = source};
      return PinCommand{.tier = "t0", .region = source, .routes = {{source, 0.4}, {target, 0.6}}};
    }
  }
}

class OrderPreviewTest : public ::testing::Test {
 protected:
  OrderPreviewTest() : rig_(StillFleet(3, 1)) {
    rig_.Connect();
    rig_.demand_rps[kR0] = 6;
    rig_.PassSeconds(kSettled);
  }
  Rig rig_;
};

TEST(OrderPreviewPropertyTest, TheTableThatIsShownIsTheOneThatComes) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const int regions = 2 + static_cast<int>(rng.Below(4));
    Rig rig(StillFleet(regions, 1));
    rig.Connect();
    for (double& rps : rig.demand_rps) rps = static_cast<double>(1 + rng.Below(9));
    rig.PassSeconds(kSettled);
    for (int order = 0; order < 3; ++order) {
      const What what = RandomOrder(rng, rig);
      const TierTable before = rig.machine.table()->tiers[kShown];
      const auto preview = Preview(rig, what);
      ASSERT_TRUE(preview.ok()) << preview.status();
      const CommandAnswered answer = rig.Ask(what);
      EXPECT_EQ(answer.done, !preview->refused);
      EXPECT_EQ(answer.message, preview->message);
      rig.PassSeconds(kSettled);
      const TierTable& after = rig.machine.table()->tiers[kShown];
      const double off = Distance(preview->outcome.table, after, rig.demand_rps.size());
      EXPECT_LT(off, 1e-6) << "seed " << seed << ", order " << order << ": "
                           << Describe(OperatorCommand{.what = what});
      if (Distance(before, after, rig.demand_rps.size()) > 0.01) ++moved;
    }
  }
  EXPECT_GT(moved, 30) << "orders that move nothing show nothing";
}

// Two fleets of one life; the one is asked about every kind of order.
TEST(OrderPreviewPropertyTest, NothingIsChangedByTheQuestion) {
  Rig asked(StillFleet(3, 1)), other(StillFleet(3, 1));
  for (Rig* rig : {&asked, &other}) {
    rig->Connect();
    rig->demand_rps[kR0] = 6;
    rig->PassSeconds(kSettled);
  }
  const std::size_t actions = asked.actions.size();
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const auto preview = Preview(asked, RandomOrder(rng, asked));
    ASSERT_TRUE(preview.ok()) << preview.status();
  }
  EXPECT_EQ(asked.actions.size(), actions) << "an action, or an entry of the audit log";
  for (Rig* rig : {&asked, &other}) rig->PassSeconds(kSettled);
  EXPECT_EQ(asked.machine.table()->version, other.machine.table()->version);
  EXPECT_EQ(asked.machine.table()->tiers[kShown], other.machine.table()->tiers[kShown]);
  EXPECT_EQ(asked.machine.tiers()[0].mode(), TierMode::kActive);
  EXPECT_EQ(asked.machine.tiers()[0].region(kR0).drain.goal, 0);
  EXPECT_TRUE(asked.machine.tiers()[0].pins().empty());
}

TEST_F(OrderPreviewTest, ADrainIsShownBeforeItBegins) {
  const auto preview = Preview(rig_, DrainCommand{.region = "r0", .tier = "", .drain = true});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->outcome.table.at(0, kR0).routes[0].target, kR1);
  EXPECT_EQ(rig_.HomeFraction(kR0), 1);
}

TEST_F(OrderPreviewTest, WhatWouldBeRefusedIsRefusedWithTheSameSentence) {
  for (const RegionId region : {kR0, kR1, kR2}) rig_.demand_rps[region] = 7;
  rig_.PassSeconds(kSettled);
  const What drain = DrainCommand{.region = "r0", .tier = "", .drain = true, .check_room = true};
  const auto preview = Preview(rig_, drain);
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_TRUE(preview->refused);
  EXPECT_THAT(preview->message, HasSubstr("has no room for r0"));
  EXPECT_FALSE(preview->shortfall.empty());
  EXPECT_TRUE(preview->outcome.changes.empty());
  EXPECT_EQ(preview->message, rig_.Ask(drain).message);
  const auto unknown = Preview(rig_, ThresholdCommand{"films", 0.5});
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(OrderPreviewTest, ATierThatDoesNotFollowItsPlanKeepsItsTable) {
  rig_.Ask(ModeCommand{"t0", TierMode::kFrozen});
  const auto drain = Preview(rig_, DrainCommand{.region = "r0", .tier = "", .drain = true});
  ASSERT_TRUE(drain.ok()) << drain.status();
  EXPECT_EQ(drain->mode, TierMode::kFrozen);
  EXPECT_TRUE(drain->outcome.changes.empty()) << drain->outcome.changes[0];
  EXPECT_NEAR(drain->outcome.after[kR0].planned_load, 0.6, 0.05)
      << "of the table that stays, not of the plan";
}

}  // namespace
}  // namespace ringway::controller
