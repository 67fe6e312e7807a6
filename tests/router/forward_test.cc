// Jobs that the table sends to another region.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

TEST(Forward, ByTheTableWithItsReason) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.SendAllTo(kNear, {3, 7});
  t.Arrive(0);
  const auto forward = t.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->router, RouterId(0));
  EXPECT_EQ(forward->route.target, kNear);
  EXPECT_EQ(forward->route.reason, "overload");
  EXPECT_EQ(forward->route.ring, 1);
  EXPECT_EQ(forward->table, (TableVersion{3, 7}));
  t.Finish(*forward, Outcome::kDone);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kDone);
  EXPECT_EQ(t.Last<EndJob>()->trace.router, RouterId(0));
}

TEST(Forward, AForwardedJobIsServedHere) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.SendAllTo(kNear);
  JobFacts facts = t.Facts();
  facts.forwarded = true;
  t.Arrive(0, facts);
  EXPECT_TRUE(t.Last<OfferToWorker>());
  EXPECT_FALSE(t.Last<ForwardToRouter>());
}

TEST(Forward, TheRegionsOtherRouterTakesOver) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.ListRouter(1, kNear);
  t.SendAllTo(kNear);
  t.Arrive(0);
  const auto first = t.Last<ForwardToRouter>();
  t.Finish(*first, Outcome::kFailed, false, false);
  const auto second = t.Last<ForwardToRouter>();
  ASSERT_TRUE(second);
  EXPECT_NE(second->router, first->router);
  // For a while the dead one is passed over.
  for (std::size_t i = 1; i < 30; ++i) {
    t.Arrive(i);
    EXPECT_EQ(t.Last<ForwardToRouter>()->router, second->router);
  }
}

TEST(Forward, ABusyAnswerMeansTheNextRouter) {
  RouterOnTheTable t;
  t.ListRouter(0, kNear);
  t.ListRouter(1, kNear);
  t.SendAllTo(kNear);
  t.Arrive(0);
  const auto first = t.Last<ForwardToRouter>();
  t.Finish(*first, Outcome::kBusy, true, false);
  ASSERT_TRUE(t.Last<ForwardToRouter>());
  EXPECT_NE(t.Last<ForwardToRouter>()->router, first->router);
}

TEST(Forward, HomeWhenNobodyThereCanBeReached) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.SendAllTo(kNear);
  t.Arrive(0);
  t.Finish(*t.Last<ForwardToRouter>(), Outcome::kFailed, false, false);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  t.Finish(*offer, Outcome::kDone);
  EXPECT_EQ(t.Last<EndJob>()->trace.route.reason, "target-unreachable");
  EXPECT_EQ(t.Last<EndJob>()->trace.route.target, kHome);
}

TEST(Forward, AnErrorWhenHomeHasNoWorkersEither) {
  RouterOnTheTable t;
  t.SendAllTo(kNear);
  t.Arrive(0);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kFailed);
  EXPECT_THAT(t.Last<EndJob>()->message, HasSubstr("no router of region near"));
}

TEST(Forward, NotAgainOnceItMayHaveStarted) {
  for (const bool keyed : {false, true}) {
    RouterOnTheTable t;
    t.ListRouter(0, kNear);
    t.ListRouter(1, kNear);
    t.ListRouter(2, kNear);
    t.SendAllTo(kNear);
    JobFacts facts = t.Facts();
    facts.keyed = keyed;
    t.Arrive(0, facts);
    const auto first = t.Last<ForwardToRouter>();
    t.Step(AttemptAccepted{first->job, first->attempt});
    t.Finish(*first, Outcome::kFailed, false, true);
    EXPECT_EQ(t.Last<ForwardToRouter>().has_value(), keyed);
    if (keyed) t.Finish(*t.Last<ForwardToRouter>(), Outcome::kFailed, false, true);
    ASSERT_TRUE(t.Last<EndJob>());
    EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kFailed);
  }
}

TEST(Forward, TheOtherRoutersWordIsFinal) {
  for (const Outcome o : {Outcome::kShed, Outcome::kTimeout, Outcome::kRejected, Outcome::kFailed}) {
    RouterOnTheTable t;
    t.ListWorkers(1);
    t.ListRouter(0, kNear);
    t.ListRouter(1, kNear);
    t.SendAllTo(kNear);
    t.Arrive(0);
    t.Finish(*t.Last<ForwardToRouter>(), o);
    ASSERT_TRUE(t.Last<EndJob>());
    EXPECT_EQ(t.Last<EndJob>()->outcome, o);
  }
}

TEST(RoutePick, SharesAndShed) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.ListRouter(1, kFar);
  Row row;
  row.routes = {{.target = kNear, .fraction = 0.5, .ring = 0}, {.target = kFar, .fraction = 0.3, .ring = 1}};
  row.shed_fraction = 0.2;
  t.UseRow(row);
  int near = 0;
  int far = 0;
  int shed = 0;
  constexpr int kJobs = 4000;
  for (int i = 0; i < kJobs; ++i) {
    t.Arrive(0);
    if (const auto f = t.Last<ForwardToRouter>()) {
      (f->route.target == kNear ? near : far)++;
      t.Step(ClientGone{JobId(0)});
    } else {
      ASSERT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
      ++shed;
    }
  }
  EXPECT_NEAR(near, 0.5 * kJobs, 130);
  EXPECT_NEAR(far, 0.3 * kJobs, 130);
  EXPECT_NEAR(shed, 0.2 * kJobs, 130);
}

// What a dead controller last said about an overload must not outlive the overload.
TEST(RoutePick, AShedShareStandsOnlyWhileAControllerDoes) {
  RouterOnTheTable t;
  t.ListWorkers(1);
  Row row;
  row.shed_fraction = 1;
  const auto sheds = [&t] {
    t.Arrive(0);
    const auto ended = t.Last<EndJob>();
    if (!ended) t.Step(ClientGone{JobId(0)});
    return ended.has_value();
  };
  t.Step(ControllerWelcomed{});
  t.UseRow(row);
  t.Advance(Hours(1));
  EXPECT_TRUE(sheds()) << "connected";
  t.Step(ControllerLost{});
  t.Advance(Seconds(4));
  EXPECT_TRUE(sheds()) << "it may be back at once";
  t.Advance(Seconds(2));
  EXPECT_FALSE(sheds()) << "nobody renews it";
  t.Step(ControllerWelcomed{});
  EXPECT_TRUE(sheds());

  RouterOnTheTable restarted;
  restarted.ListWorkers(1);
  auto table = std::make_shared<RoutingTable>();
  table->version = {1, 1};
  for (std::size_t tier = 0; tier < 2; ++tier) table->tiers.push_back(HomeTable(TierId(tier), 3, 2));
  table->tiers[kTier].at(0, kHome) = row;
  restarted.Step(TableOffered{.table = table, .from_disk = true});
  restarted.Arrive(0);
  EXPECT_FALSE(restarted.Last<EndJob>()) << "a table from disk says where to, not whom to refuse";
}

TEST(RoutePick, WithoutATableLocalFirst) {
  Fleet fleet = SmallFleet();
  fleet.tiers[TierId(1)].regions[kHome].workers = 0;
  RouterOnTheTable t(fleet);
  t.ListWorkers(1);
  t.ListRouter(0, kNear);
  t.ListRouter(1, kFar);
  t.Arrive(0);
  EXPECT_TRUE(t.Last<OfferToWorker>());
  JobFacts facts = t.Facts();
  facts.tier = TierId(1);
  t.Arrive(1, facts);
  ASSERT_TRUE(t.Last<ForwardToRouter>()) << "no workers of this tier at home";
  EXPECT_EQ(t.Last<ForwardToRouter>()->route.target, kNear);
}

TEST(RoutePick, ResidencyHoldsWithoutATableToo) {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].regions[kHome].workers = 0;
  fleet.tiers[kTier].residency_forbidden[kHome] = {kNear};
  RouterOnTheTable t(fleet);
  t.ListRouter(0, kNear);
  t.ListRouter(1, kFar);
  t.Arrive(0);
  EXPECT_EQ(t.Last<ForwardToRouter>()->route.target, kFar);
}

}  // namespace
}  // namespace ringway::router
