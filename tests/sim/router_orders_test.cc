// Operators' orders at routers, on their way to the controller's audit log; a controller that ends in good
// order meanwhile; and the judge of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/observers/order_audit.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::router_orders_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const Scenario> With(std::vector<ScenarioStep> steps, NetworkSpec network = {}) {
  auto scenario = std::make_shared<Scenario>();
  scenario->duration_s = 120;
  scenario->warmup_s = 5;
  scenario->network = network;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  for (const RegionId region : {RegionId(0), RegionId(1)}) {
    scenario->demand.push_back({.tier = TierId(0), .region = region, .law = PoissonArrivals{8}});
  }
  scenario->steps = std::move(steps);
  scenario->fleet = std::make_shared<const Fleet>(LineFleet(2, 10));
  return scenario;
}

struct Seen {
  std::size_t recorded = 0;
  std::uint64_t told_down = 0;      // streams that the controller ended because it went down
  std::uint64_t epoch = 0;          // at the end
  std::vector<std::string> absent;  // kinds of events that never occurred
};

Seen WatchRun(std::vector<ScenarioStep> steps, NetworkSpec network = {}) {
  Simulation run(With(std::move(steps), network));
  run.Run();
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
  Seen seen{.recorded = run.audit().recorded(),
            .told_down = run.kinds().stream_ends[static_cast<std::size_t>(controller::StreamEnd::kGoingDown)],
            .epoch = run.control().machine().epoch(),
            .absent = {}};
  for (const auto& never : {run.kinds().stream_events.Never(), run.kinds().router_events.Never(),
                            run.kinds().worker_events.Never(), run.kinds().controller_node_actions.Never()}) {
    seen.absent.insert(seen.absent.end(), never.begin(), never.end());
  }
  return seen;
}

bool Occurred(const Seen& seen, const std::string& kind) {
  return std::find(seen.absent.begin(), seen.absent.end(), kind) == seen.absent.end();
}

ScenarioStep Order(double at_s, int cancel = 0) {
  return {.at_s = at_s, .lasts_s = 5, .fault = OrderRouters{{RegionId(0)}, 0.5, cancel}};
}

// Two routers, each with workers of its own: two entries to drain, and two to serve again.
TEST(OrdersAtRouters, AreCarriedOutAndRecordedByRouter) {
  const Seen seen = WatchRun({Order(20)});
  EXPECT_EQ(seen.recorded, 4u);
  EXPECT_TRUE(Occurred(seen, "SlotDrain"));
  EXPECT_TRUE(Occurred(seen, "OrdersTold"));
  EXPECT_TRUE(Occurred(seen, "SendRecorded"));
}

TEST(OrdersAtRouters, ACancelledJobIsOneEntryWhoeverHoldsIt) {
  const Seen seen = WatchRun({{.at_s = 20, .lasts_s = 1, .fault = OrderRouters{{RegionId(0)}, 0, 3}}});
  EXPECT_EQ(seen.recorded, 3u);
  EXPECT_TRUE(Occurred(seen, "ClientGone"));
}

TEST(OrdersAtRouters, WaitForAControllerThatIsAway) {
  const Seen seen = WatchRun({{.at_s = 18, .lasts_s = 15, .fault = KillController{}}, Order(20, 2)});
  EXPECT_EQ(seen.recorded, 6u);
}

// The answers of the controller are lost now and then, and so is it: each order is told again.
TEST(OrdersAtRouters, AreRecordedOnceThroughBrokenStreamsAndRestarts) {
  std::vector<ScenarioStep> steps = {
      {.at_s = 15, .lasts_s = 1, .every_s = 1.1, .fault = BreakStreams{{}, 0.5}}};
  for (int i = 0; i < 6; ++i) {
    steps.push_back(Order(20 + 7 * i, 3));
    steps.push_back({.at_s = 21.0 + 7 * i, .lasts_s = 0.5, .fault = KillController{.graceful = i % 2 == 0}});
  }
  EXPECT_GT(WatchRun(std::move(steps), {.loss_share = 0.2}).recorded, 30u);
}

// The operator's call comes twice: the router does it twice, and it is one order.
TEST(OrdersAtRouters, ThatAProxyRepeatsAreRecordedOnce) {
  const Seen seen = WatchRun({Order(20, 3)}, {.repeat_share = 1});
  EXPECT_EQ(seen.recorded, 7u);
}

TEST(OrdersAtRouters, OfARouterThatEndsAreLostWithIt) {
  const Seen seen = WatchRun({{.at_s = 18, .lasts_s = 20, .fault = KillController{}},
                              Order(20),
                              {.at_s = 30, .lasts_s = 1, .fault = KillRouters{{RegionId(0)}, 1}}});
  EXPECT_EQ(seen.recorded, 2u) << "those of the router that goes on";
}

TEST(AControllerThatGoesDown, EndsEachStreamAndComesBackInALaterEpoch) {
  const Seen seen = WatchRun({{.at_s = 20, .lasts_s = 10, .fault = KillController{.graceful = true}}});
  EXPECT_EQ(seen.told_down, 4u);
  EXPECT_TRUE(Occurred(seen, "GoDown"));
  EXPECT_TRUE(Occurred(seen, "ControllerLost"));
  EXPECT_EQ(seen.epoch, 30u) << "when it began";
}

TEST(AControllerThatGoesDown, IsFollowedByTheNextBeforeItHasClosed) {
  const Seen seen = WatchRun({{.at_s = 20, .lasts_s = 0.2, .fault = KillController{.graceful = true}},
                              {.at_s = 30, .lasts_s = 5, .fault = KillController{.graceful = true}}});
  EXPECT_EQ(seen.told_down, 8u);
  EXPECT_EQ(seen.epoch, 35u);
}

TEST(AControllerThatGoesDown, MayBeKilledMeanwhile) {
  const Seen seen = WatchRun({{.at_s = 20, .lasts_s = 10, .fault = KillController{.graceful = true}},
                              {.at_s = 20.1, .lasts_s = 5, .fault = KillController{}}});
  EXPECT_EQ(seen.epoch, 25u);
}

// The judge.
class OrderAuditTest : public ::testing::Test {
 protected:
  static Time At(double s) { return UnixEpoch() + Seconds(s); }
  std::vector<std::string> Judged(double s) {
    Checkers checkers(1, 1);
    audit_.OnSecond(At(s), checkers);
    return checkers.violations();
  }
  Simulation run_{With({})};
  OrderAudit audit_{run_.recovery()};
};

TEST_F(OrderAuditTest, FindsAnOrderThatIsRecordedTwice) {
  audit_.OnOrderDone(At(40), RouterId(0), "a");
  audit_.OnOrderRecorded(At(41), "a");
  EXPECT_THAT(Judged(42), IsEmpty());
  audit_.OnOrderRecorded(At(43), "a");
  EXPECT_THAT(Judged(44), ElementsAre(HasSubstr("order a is recorded twice")));
  EXPECT_THAT(Judged(45), IsEmpty()) << "said once";
}

TEST_F(OrderAuditTest, FindsAnOrderThatNobodyRecords) {
  audit_.OnOrderDone(At(40), RouterId(0), "a");
  EXPECT_THAT(Judged(69), IsEmpty()) << "it may be on its way";
  EXPECT_THAT(Judged(71), ElementsAre(HasSubstr("order a was carried out by router 0")));
}

TEST_F(OrderAuditTest, FindsAnEntryThatNobodyMade) {
  audit_.OnOrderRecorded(At(40), "a");
  EXPECT_THAT(Judged(41), ElementsAre(HasSubstr("no router has done it")));
}

TEST_F(OrderAuditTest, ExcusesWhatADeadRouterKnew) {
  audit_.OnOrderDone(At(40), RouterId(0), "a");
  audit_.OnOrderDone(At(40), RouterId(1), "b");
  audit_.OnRouterDied(At(41), RouterId(0));
  EXPECT_THAT(Judged(80), ElementsAre(HasSubstr("order b")));
}

TEST_F(OrderAuditTest, ExcusesAControllerWhoseDiskLostIt) {
  audit_.OnOrderDone(At(40), RouterId(0), "a");
  audit_.OnOrderRecorded(At(41), "a");
  audit_.OnAuditLost(At(42));
  EXPECT_THAT(Judged(80), IsEmpty()) << "the router was told that it need not tell it again";
  audit_.OnOrderRecorded(At(81), "a");
  EXPECT_THAT(Judged(82), IsEmpty()) << "by another router, which had not been told so";
  audit_.OnOrderRecorded(At(83), "a");
  EXPECT_EQ(Judged(84).size(), 1u);
}

}  // namespace
}  // namespace ringway::sim::router_orders_test
