// Jobs that the ledger's leader sends to a region with an idle worker: they start there or come home.
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

constexpr Fence kRedirectFence{1, 1};
const RouterId kRedirectLeader(0);
const RouterId kRouterNear(1), kRouterFar(2);

Fleet HintingFleet() {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.mode = DispatchMode::kLedger;
  fleet.tiers[kTier].dispatch.spill.share = 0.05;
  return fleet;
}

class RedirectMode : public testing::Test {
 protected:
  void SetUp() override {
    t_.ListWorkers(2);
    t_.ListRouter(kRouterNear.index(), kNear);
    t_.ListRouter(kRouterFar.index(), kFar);
    t_.Step(LeaderAppointed{kTier, {kRedirectLeader, kRedirectFence}});
    t_.Step(LeaderHeard{.tier = kTier, .redirects = true});
  }
  template <class T>
  std::optional<T> Told() const {
    for (const RouterAction& action : t_.actions) {
      const auto* tell = std::get_if<TellLedger>(&action);
      if (tell == nullptr) continue;
      if (const T* match = std::get_if<T>(&tell->event)) return *match;
    }
    return std::nullopt;
  }
  ledger::Acquire Arrives(std::size_t job) {
    t_.Arrive(job);
    const auto acquire = Told<ledger::Acquire>();
    EXPECT_TRUE(acquire);
    return acquire.value_or(ledger::Acquire{});
  }
  void Redirect(const ledger::Acquire& acquire, RegionId region) {
    t_.Step(LeaderAnswered{kTier, ledger::Redirect{acquire.key, region}});
  }
  void Grant(const ledger::Acquire& acquire) {
    t_.Step(LeaderAnswered{kTier, ledger::Grant{acquire.key, WorkerId(0), {kRedirectFence, 1}, {}}});
  }
  RouterOnTheTable t_{HintingFleet()};
};

TEST_F(RedirectMode, TheLeaderLearnsWhereJobsMayGo) {
  RouterOnTheTable t{HintingFleet()};
  t.Step(TimePassed{});
  EXPECT_FALSE(t.Last<AimLedger>()) << "no router of another region is known";
  t.ListRouter(kRouterNear.index(), kNear);
  ASSERT_TRUE(t.Last<AimLedger>());
  EXPECT_EQ(t.Last<AimLedger>()->targets, (std::vector<ledger::AwayTarget>{{kNear, Milliseconds(20)}}));
  t.Step(TimePassed{});
  EXPECT_FALSE(t.Last<AimLedger>());
}

TEST_F(RedirectMode, ADrainedRegionIsNoPlaceToGo) {
  auto table = std::make_shared<RoutingTable>();
  table->version = {1, 1};
  for (std::size_t t = 0; t < 2; ++t) table->tiers.push_back(HomeTable(TierId(t), 3, 2));
  table->tiers[kTier].at(0, kNear).routes = {
      {.target = kFar, .fraction = 1, .ring = 1, .reason = RouteReason::kDrain}};
  t_.Step(TableOffered{.table = table});
  ASSERT_TRUE(t_.Last<AimLedger>());
  EXPECT_EQ(t_.Last<AimLedger>()->targets, (std::vector<ledger::AwayTarget>{{kFar, Milliseconds(150)}}));
}

TEST_F(RedirectMode, ARedirectedJobStartsThereAtOnceOrIsRefused) {
  const ledger::Acquire acquire = Arrives(0);
  EXPECT_TRUE(acquire.may_leave);
  Redirect(acquire, kNear);
  const auto forward = t_.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->router, kRouterNear);
  EXPECT_EQ(forward->route.reason, kSpillReason);
  EXPECT_TRUE(forward->landing);
  t_.Finish(*forward, Outcome::kDone);
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kDone);
}

TEST_F(RedirectMode, WhoIsRefusedComesHomeWithItsAgeAndSaysWhere) {
  const ledger::Acquire acquire = Arrives(0);
  const Time arrived = t_.now;
  Redirect(acquire, kNear);
  t_.now += Milliseconds(20);
  t_.Finish(*t_.Last<ForwardToRouter>(), Outcome::kShed, /*answered=*/true, /*started=*/false);
  const auto again = Told<ledger::Acquire>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->arrived, arrived);
  EXPECT_EQ(again->refused_by, kNear);
  EXPECT_TRUE(again->may_leave) << "it may leave again";
  Redirect(*again, kFar);
  ASSERT_TRUE(t_.Last<ForwardToRouter>());
  EXPECT_EQ(t_.Last<ForwardToRouter>()->router, kRouterFar);
}

TEST_F(RedirectMode, AfterManyRefusalsAJobStaysHome) {
  ledger::Acquire acquire = Arrives(0);
  int trips = 0;
  for (; acquire.may_leave && trips < 100; ++trips) {
    Redirect(acquire, kNear);
    const auto forward = t_.Last<ForwardToRouter>();
    ASSERT_TRUE(forward);
    t_.Finish(*forward, Outcome::kShed, true, false);
    ASSERT_TRUE(Told<ledger::Acquire>());
    acquire = *Told<ledger::Acquire>();
  }
  EXPECT_EQ(trips, kLandingsRefusedMax);
}

TEST_F(RedirectMode, ARegionThatCannotBeReachedIsToldToTheLeader) {
  Redirect(Arrives(0), kNear);
  t_.Finish(*t_.Last<ForwardToRouter>(), Outcome::kFailed, /*answered=*/false, /*started=*/false);
  ASSERT_TRUE(Told<ledger::Acquire>());
  EXPECT_EQ(Told<ledger::Acquire>()->refused_by, kNear);
}

// The table balances means; whether a worker there is idle now, the leader knows.
TEST_F(RedirectMode, TheTablesChoiceIsForTheLeaderToMake) {
  t_.SendAllTo(kNear);
  const ledger::Acquire acquire = Arrives(0);
  EXPECT_EQ(acquire.prefers, kNear);
  Redirect(acquire, kNear);
  const auto forward = t_.Last<ForwardToRouter>();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->route.reason, "overload") << "no spill: the table said so";
  EXPECT_TRUE(forward->landing);

  const ledger::Acquire home = Arrives(1);
  Grant(home);
  const auto offer = t_.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  t_.Accept(*offer);
  t_.Finish(*offer, Outcome::kDone);
  EXPECT_EQ(t_.Last<EndJob>()->trace.route.target, kHome);
}

TEST_F(RedirectMode, WithoutALeaderThatRedirectsTheTableIsFollowed) {
  t_.Step(LeaderHeard{.tier = kTier, .redirects = false});
  t_.SendAllTo(kNear);
  t_.Arrive(0);
  ASSERT_TRUE(t_.Last<ForwardToRouter>());
  EXPECT_FALSE(t_.Last<ForwardToRouter>()->landing) << "it stands in the line there";
}

TEST_F(RedirectMode, WhenTheLeaderIsLostTheTablesChoiceStands) {
  t_.SendAllTo(kNear);
  Arrives(0);
  t_.Step(LeaderAppointed{kTier, {RouterId(), kRedirectFence}});
  ASSERT_TRUE(t_.Last<ForwardToRouter>());
  EXPECT_FALSE(t_.Last<ForwardToRouter>()->landing);
}

TEST_F(RedirectMode, WhatADrainOrAPinSaysIsDone) {
  Row row;
  row.routes = {{.target = kNear, .fraction = 1, .ring = 1, .reason = RouteReason::kDrain}};
  t_.UseRow(row);
  t_.Arrive(0);
  ASSERT_TRUE(t_.Last<ForwardToRouter>());
  EXPECT_FALSE(t_.Last<ForwardToRouter>()->landing);
}

TEST_F(RedirectMode, AJobThatLandsIsStartedNowOrRefused) {
  JobFacts facts = t_.Facts();
  facts.forwarded = true;
  facts.landing = true;
  t_.Arrive(0, facts);
  const auto acquire = Told<ledger::Acquire>();
  ASSERT_TRUE(acquire);
  EXPECT_TRUE(acquire->idle_only);
  EXPECT_TRUE(acquire->foreign);
  EXPECT_FALSE(acquire->may_leave);
  t_.Step(LeaderAnswered{kTier, ledger::Refuse{acquire->key, ledger::RefuseReason::kInfeasible}});
  const auto end = t_.Last<EndJob>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, Outcome::kShed);
  t_.Step(ControllerWelcomed{});
}

// While the leader decides who leaves, what was learnt of waits elsewhere lets nobody leave; when it hears of
// nobody any more, it does.
TEST_F(RedirectMode, WhatWasLearntLetsJobsLeaveOnlyWithoutHints) {
  for (std::size_t job = 100; job < 200; ++job) {
    t_.Arrive(job);
    t_.Step(ClientGone{JobId(job)});
  }
  Arrives(0);
  const auto wait = [&](bool redirects) {
    for (int i = 0; i < 20; ++i) {
      t_.now += Milliseconds(100);
      t_.Step(LeaderHeard{.tier = kTier, .redirects = redirects});
      if (Told<ledger::Withdraw>()) return true;
    }
    return false;
  };
  EXPECT_FALSE(wait(true));
  EXPECT_TRUE(wait(false));
}

}  // namespace
}  // namespace ringway::router
