// What the controller believes of the workers when reports follow each other: the order in which it reads
// them is kept, what they say is not.
#include "controller/fleet/fleet_view.h"

#include "gtest/gtest.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

Time At(double s) { return UnixEpoch() + Seconds(s); }

WorkerSeen Worker(std::string name, double value) {
  WorkerSeen worker{.name = std::move(name), .tier = TierId(0), .address = "127.0.0.1:1"};
  worker.metrics.push_back({.metric = 0, .value = value, .age = ZeroDuration()});
  return worker;
}

class FleetViewTest : public testing::Test {
 protected:
  FleetViewTest() {
    for (StreamId stream : {1, 2}) {
      RouterHello hello;
      hello.router = "router-" + std::to_string(stream);
      hello.region = RegionId(0);
      view_.Connect(At(0), stream, hello);
    }
  }
  void Report(double at_s, StreamId stream, std::vector<WorkerSeen> workers) {
    RouterReport report;
    report.workers = std::move(workers);
    ASSERT_TRUE(view_.Report(At(at_s), stream, report));
  }
  // Of the first metric, by worker in the order of names.
  std::vector<double> Values(double at_s) {
    std::vector<double> values;
    const auto regions = view_.Collect(*fleet_, TierId(0), At(at_s), Seconds(10));
    for (const MetricValue& seen : regions[RegionId(0)].values[0]) values.push_back(seen.value);
    return values;
  }

  std::shared_ptr<const Fleet> fleet_ = MakeFleet();
  FleetView view_{*fleet_};
};

TEST_F(FleetViewTest, AReportReplacesWhatTheOneBeforeMeasured) {
  Report(1, 1, {Worker("a", 0.1), Worker("b", 0.2)});
  EXPECT_EQ(Values(1), (std::vector<double>{0.1, 0.2}));
  Report(2, 1, {Worker("a", 0.3), Worker("b", 0.4)});
  EXPECT_EQ(Values(2), (std::vector<double>{0.3, 0.4}));
  Report(3, 1, {Worker("b", 0.5), Worker("a", 0.6)});
  EXPECT_EQ(Values(3), (std::vector<double>{0.6, 0.5})) << "in another order";
  Report(4, 1, {Worker("b", 0.7)});
  EXPECT_EQ(Values(4), (std::vector<double>{0.7}));
}

TEST_F(FleetViewTest, OfTwoRoutersThatNameAWorkerTheLastToSpeakIsBelieved) {
  for (int turn = 1; turn <= 4; ++turn) {
    const StreamId speaker = turn % 2 == 0 ? 1 : 2;
    Report(turn, speaker, {Worker("shared", 0.1 * turn)});
    EXPECT_EQ(Values(turn), (std::vector<double>{0.1 * turn})) << "turn " << turn;
  }
}

TEST_F(FleetViewTest, WhoComesBackFromSilenceKeepsTheWorkersThatItHasAdopted) {
  Report(1, 1, {Worker("a", 0.1)});
  view_.Disconnect(At(2), 1);
  WorkerSeen adopted = Worker("a", 0.2);
  adopted.adopted = true;
  Report(3, 2, {adopted, Worker("b", 0.3)});
  EXPECT_TRUE(view_.routers().at("router-1").workers.empty()) << "handed over";
  view_.NoteSilence(At(8));  // it has not spoken since the third second
  EXPECT_FALSE(view_.routers().at("router-2").present());
  Report(9, 2, {adopted, Worker("b", 0.3)});
  EXPECT_TRUE(view_.routers().at("router-2").present()) << "it has just spoken";
  EXPECT_EQ(view_.routers().at("router-2").workers.size(), 2u) << "nobody else speaks for them";
}

TEST_F(FleetViewTest, ARouterThatFallsSilentTakesItsWorkersAlong) {
  Report(1, 1, {Worker("a", 0.1)});
  Report(1, 2, {Worker("b", 0.2)});
  EXPECT_EQ(Values(1), (std::vector<double>{0.1, 0.2}));
  Report(9, 2, {Worker("b", 0.3)});
  EXPECT_EQ(Values(12), (std::vector<double>{0.3})) << "the first spoke 11 s ago";
  Report(13, 1, {Worker("a", 0.4)});
  EXPECT_EQ(Values(13), (std::vector<double>{0.4, 0.3}));
}

}  // namespace
}  // namespace ringway::controller
