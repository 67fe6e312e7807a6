// The share that a table sheds, and what a router sees with its own eyes: an idle worker at home is used
// first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

// All but a trace of home's jobs is shed; the trace shows that home is open.
Row ShedRow() {
  Row row;
  row.routes = {{.target = kHome, .fraction = 1e-9}};
  row.shed_fraction = 1 - 1e-9;
  return row;
}

TEST(ShedShare, IsServedByAWorkerThatIsKnownToBeIdle) {
  RouterOnTheTable t;
  t.Step(ControllerWelcomed{});
  t.ListWorkers(2, /*local=*/2);
  t.UseRow(ShedRow());
  t.Arrive(0);
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed) << "nobody is known to be idle";
  t.Step(WorkerHeard{WorkerId(1), {.state = dispatch::WorkerState::kIdle}});
  t.Arrive(0);
  const auto offer = t.Last<OfferToWorker>();
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->worker, WorkerId(1));
  t.Arrive(1);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_TRUE(t.Last<EndJob>()->trace.route.shed);
  EXPECT_EQ(t.Last<EndJob>()->trace.attempts, 0u) << "it is not probed for";
  t.Accept(*offer);
  t.Finish(*offer, Outcome::kDone);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->trace.route.reason, kIdleAtHomeReason);
  t.Advance(Seconds(1));
  EXPECT_EQ(t.Last<SendReport>()->tiers[kTier].counters.sent[kHome], 1u);
}

TEST(ShedShare, OfAWorkerThatWasTakenMeanwhileIsShed) {
  RouterOnTheTable t;
  t.Step(ControllerWelcomed{});
  t.ListWorkers(2, /*local=*/2);
  t.UseRow(ShedRow());
  t.Step(WorkerHeard{WorkerId(1), {.state = dispatch::WorkerState::kIdle}});
  t.Arrive(0);
  ASSERT_TRUE(t.Last<OfferToWorker>());
  t.Finish(*t.Last<OfferToWorker>(), Outcome::kBusy, true, false);
  ASSERT_TRUE(t.Last<EndJob>());
  EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_EQ(t.machine().jobs(), 0u);
}

// What an operator has fixed stays so, and a region that nobody sends jobs to is out.
TEST(ShedShare, OfARegionThatIsDrainedPinnedOrOutIsObeyed) {
  for (const RouteReason reason : {RouteReason::kDrain, RouteReason::kPinned, RouteReason::kOverload}) {
    RouterOnTheTable t;
    t.Step(ControllerWelcomed{});
    t.ListWorkers(2, /*local=*/2);
    Row row = ShedRow();
    row.routes[0].reason = reason;
    if (reason == RouteReason::kOverload) row.routes[0].target = kNear;
    auto table = std::make_shared<RoutingTable>();
    table->version = {1, 1};
    table->tiers.push_back(HomeTable(kTier, 3, 2));
    for (const Priority priority : {0, 1}) table->tiers[kTier].at(priority, kHome) = row;
    t.Step(TableOffered{.table = table});
    t.Step(WorkerHeard{WorkerId(1), {.state = dispatch::WorkerState::kIdle}});
    t.Arrive(0);
    ASSERT_TRUE(t.Last<EndJob>()) << RouteReasonName(reason);
    EXPECT_EQ(t.Last<EndJob>()->outcome, Outcome::kShed) << RouteReasonName(reason);
  }
}

class ShedByLedger : public testing::Test {
 protected:
  static Fleet LedgerFleet() {
    Fleet fleet = SmallFleet();
    fleet.tiers[kTier].dispatch.mode = DispatchMode::kLedger;
    return fleet;
  }
  void SetUp() override {
    t_.Step(ControllerWelcomed{});
    t_.ListWorkers(2);
    t_.UseRow(ShedRow());
    t_.Step(LeaderAppointed{kTier, {RouterId(0), {1, 1}}});
  }
  std::optional<ledger::Acquire> Asked() const {
    for (const RouterAction& action : t_.actions) {
      const auto* tell = std::get_if<TellLedger>(&action);
      if (tell == nullptr) continue;
      if (const auto* ask = std::get_if<ledger::Acquire>(&tell->event)) return *ask;
    }
    return std::nullopt;
  }
  RouterOnTheTable t_{LedgerFleet()};
};

TEST_F(ShedByLedger, IsServedIfTheLedgerHasAnIdleSlot) {
  t_.Arrive(0);
  ASSERT_TRUE(Asked());
  EXPECT_TRUE(Asked()->idle_only);
  t_.Step(LeaderAnswered{kTier, ledger::Grant{Asked()->key, WorkerId(1), {{1, 1}, 1}, {}}});
  ASSERT_TRUE(t_.Last<OfferToWorker>());
  t_.Accept(*t_.Last<OfferToWorker>());
}

TEST_F(ShedByLedger, IsShedOtherwiseAndTheLedgerIsNotAskedForEachOfThem) {
  t_.Arrive(0);
  t_.Step(LeaderAnswered{kTier, ledger::Refuse{Asked()->key, ledger::RefuseReason::kInfeasible}});
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kShed);
  EXPECT_THAT(t_.Last<EndJob>()->message, testing::HasSubstr("sheds this share"));
  t_.Arrive(1);
  EXPECT_FALSE(Asked());
  EXPECT_EQ(t_.Last<EndJob>()->outcome, Outcome::kShed);
  t_.now += Milliseconds(51);
  t_.Step(LeaderHeard{kTier});
  t_.Arrive(2);
  EXPECT_TRUE(Asked());
}

}  // namespace
}  // namespace ringway::router
