// Plain HTTP pools in two regions under one controller: it appoints the leaders of their ledgers, its table
// and a burst send requests to the other region, and bodies stream through both routers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

constexpr char kTier[] = "http";

struct Place {
  std::string region;
  std::vector<std::string> workers;  // addresses
  int provisioned = 0;               // as the topology says
};

class TwoRegions {
 public:
  explicit TwoRegions(const std::vector<Place>& places, const std::string& spill = "{share: 0}") {
    std::ofstream world(folder_.File("world.yaml"));
    world << "apiVersion: ringway/v1\nkind: World\nmetadata: {name: test}\nspec:\n  regions:\n"
          << "    - {name: oslo, coordinates: {latitudeDeg: 59.9, longitudeDeg: 10.7}}\n"
          << "    - {name: paris, coordinates: {latitudeDeg: 48.8, longitudeDeg: 2.3}}\n"
          << "  rtt: {withinRegionMs: 0.5, pairs: [{from: oslo, to: paris, rttMs: 20}]}\n"
          << "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: " << kTier << "}\nspec:\n"
          << "  serviceMean: 200ms\n  deadline: 10s\n  metrics: [{name: busy, capacityPer: worker}]\n"
          << "  overloadThreshold: 0.9\n  rings: [{name: all, rttMsMax: 1000}]\n"
          << "  guard: {staleAfter: 5s, missingAfter: 15s}\n"
          << "  dispatch: {mode: ledger, spill: " << spill << "}\n  regions:\n";
    for (const Place& place : places) {
      world << "    - {region: " << place.region << ", workers: " << place.provisioned << "}\n";
    }
    world.close();
    controller_ = std::make_unique<live::DaemonProcess>(
        folder_,
        live::DaemonSpec{"ringway-controller",
                         "controller",
                         {"--topology", folder_.File("world.yaml"), "--state-dir", folder_.File("state")}});
    for (const Place& place : places) {
      if (place.provisioned > 0) serving_.insert(place.region);
      Start(place);
    }
  }

  live::DaemonProcess& router(const std::string& region) { return *routers_.at(region); }
  const std::string& door(const std::string& region) { return routers_.at(region)->clients(); }
  double Metric(const std::string& region, const std::string& series) {
    return live::MetricValue(router(region).http(), series).value_or(-1);
  }
  // Every router has a table in force and hears its ledger's leader.
  bool AwaitReady() {
    return live::Eventually([this] {
      for (const auto& [region, router] : routers_) {
        if (Metric(region, "ringway_router_table_version") < 1) return false;
        if (!serving_.contains(region)) continue;  // nobody holds a ledger where there is no slot
        if (Metric(region, absl::StrCat("ringway_router_ledger_reached{tier=\"", kTier, "\"}")) != 1)
          return false;
      }
      return true;
    });
  }
  // Asks until the answer comes from there: a table follows what has been reported.
  std::optional<Answer> AskUntil(const std::string& from, const std::string& region) {
    std::optional<Answer> answer;
    live::Eventually([&] {
      answer = Ask(door(from), "GET");
      return answer && answer->Field("x-ringway-region") == region;
    });
    return answer;
  }

 private:
  void Start(const Place& place) {
    const std::string pool = folder_.File(place.region + ".yaml");
    std::ofstream file(pool);
    file << "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: " << place.region << "}\nspec:\n"
         << "  listen: 127.0.0.1:0\n  tier: " << kTier << "\n  serviceMean: 200ms\n  abandonedHold: 10ms\n"
         << "  limits: {requestKeepBytes: 65536, responseWindowBytes: 65536}\n  workers:\n";
    for (const std::string& worker : place.workers) file << "    - " << worker << "\n";
    file.close();
    routers_[place.region] = std::make_unique<live::DaemonProcess>(
        folder_, live::DaemonSpec{"ringway-router",
                                  place.region,
                                  {"--name", place.region, "--region", place.region, "--pool", pool,
                                   "--controller", controller_->grpc()}});
  }

  live::ScratchFolder folder_;
  std::unique_ptr<live::DaemonProcess> controller_;
  std::map<std::string, std::unique_ptr<live::DaemonProcess>> routers_;
  std::set<std::string> serving_;
};

// Oslo has users only, so the table sends all that enters there to Paris.
class FromOslo : public testing::Test {
 protected:
  explicit FromOslo(PlainWorker::Script script = Echo())
      : unused_(Says(200, "oslo")),
        first_(script),
        second_(script),
        world_({{"oslo", {unused_.address()}, 0}, {"paris", {first_.address(), second_.address()}, 2}}) {}
  void SetUp() override {
    ASSERT_TRUE(world_.AwaitReady()) << world_.router("oslo").Log() << world_.router("paris").Log();
    const auto answer = world_.AskUntil("oslo", "paris");
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->Field("x-ringway-region"), "paris") << world_.router("oslo").Log();
  }
  PlainWorker unused_, first_, second_;
  TwoRegions world_;
};

TEST_F(FromOslo, TheTablesShareForTheOtherRegionIsServedThere) {
  const auto answer = Ask(world_.door("oslo"), "POST", "traceparent: 00-1-2-3\r\n", "a picture");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "a picture");
  EXPECT_EQ(answer->Field("x-ringway-region"), "paris");
  EXPECT_THAT((std::vector<std::string>{first_.address(), second_.address()}),
              testing::Contains(answer->Field("x-ringway-worker")));
  EXPECT_EQ(answer->Field("x-ringway-reason"), "no-workers");
  EXPECT_EQ(answer->Field("x-ringway-offers"), "1");
  EXPECT_GT(world_.Metric("oslo", "ringway_router_forwards_total{reason=\"no-workers\",to=\"paris\"}"), 0);
  // Paris serves its own as before.
  const auto own = Ask(world_.door("paris"), "GET");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->Field("x-ringway-reason"), "home");
}

TEST_F(FromOslo, LargeBodiesStreamBothWaysThroughBothRouters) {
  // Far beyond what either router keeps of a request or reads ahead of a response.
  std::string body(3 << 20, 'a');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i * 31 % 26);
  const auto answer = Ask(world_.door("oslo"), "POST", "", body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(answer->body == body) << answer->body.size();

  Wire wire = Wire::To(world_.door("oslo"));
  wire.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  absl::SleepFor(Milliseconds(50));
  wire.Send("4\r\ndefg\r\n0\r\n\r\n");
  const auto chunked = ReadAnswer(wire);
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->body, "abcdefg");
  // The connection is kept, and HEAD has no body.
  wire.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto head = ReadAnswer(wire, /*without_body=*/true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
}

TEST_F(FromOslo, WhereTheOtherRouterIsGoneTheRequestIsServedHere) {
  world_.router("paris").Kill();
  // Nobody can have begun what could not even be sent.
  const auto answer = Ask(world_.door("oslo"), "POST", "", "lost");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "oslo");
  EXPECT_EQ(answer->Field("x-ringway-reason"), "target-unreachable");
}

// A worker that refuses is not what the client hears of, and an error of the worker is.
class Choosy : public FromOslo {
 protected:
  Choosy()
      : FromOslo([asked = std::make_shared<std::atomic<int>>(0)](const Request& request, Wire& wire) {
          const std::string body = ReadBody(request, wire);
          if (body == "bad") return Respond(wire, 422, "cannot be drawn");
          return ++*asked % 2 == 0 ? Respond(wire, 503, "busy") : Respond(wire, 200, "drawn");
        }) {}
};
TEST_F(Choosy, BusyGoesToAnotherWorkerThereAndErrorsComeBack) {
  for (int i = 0; i < 4; ++i) {
    const auto answer = Ask(world_.door("oslo"), "POST", "", "picture");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << answer->body;
    EXPECT_EQ(answer->body, "drawn");
  }
  const auto refused = Ask(world_.door("oslo"), "POST", "", "bad");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 422);
  EXPECT_EQ(refused->body, "cannot be drawn");
}

// A client that leaves closes the connection to the worker in the other region.
class Slow : public FromOslo {
 protected:
  static PlainWorker::Script Waits(std::atomic<int>& left) {
    return [&left](const Request& request, Wire& wire) {
      if (ReadBody(request, wire) != "wait") return Respond(wire, 200, "at once");
      left += wire.ClosedWithin(Seconds(5));
      return false;
    };
  }
  explicit Slow(std::shared_ptr<std::atomic<int>> left = std::make_shared<std::atomic<int>>(0))
      : FromOslo(Waits(*left)), left_(std::move(left)) {}
  std::shared_ptr<std::atomic<int>> left_;
};
TEST_F(Slow, AClientThatLeavesEndsTheRequestThere) {
  {
    Wire wire = Wire::To(world_.door("oslo"));
    wire.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nwait");
    EXPECT_TRUE(live::Eventually([&] { return first_.asked() + second_.asked() >= 2; }));
    absl::SleepFor(Milliseconds(200));
  }
  EXPECT_TRUE(live::Eventually([&] { return *left_ == 1; }));
}

TEST(SpillOverHttp, ABurstGoesToTheNextRegion) {
  const auto slow = [](const Request& request, Wire& wire) {
    ReadBody(request, wire);
    absl::SleepFor(Milliseconds(600));
    return Respond(wire, 200, "done");
  };
  PlainWorker near(slow), far_one(slow), far_two(slow), far_three(slow);
  TwoRegions world({{"oslo", {near.address()}, 1},
                    {"paris", {far_one.address(), far_two.address(), far_three.address()}, 3}},
                   "{share: 1}");
  ASSERT_TRUE(world.AwaitReady()) << world.router("oslo").Log();
  std::atomic<int> served{0}, spilled{0}, in_paris{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      const auto answer = Ask(world.door("oslo"), "POST", "", "burst");
      if (!answer) return;
      served += answer->status == 200;
      spilled += answer->Field("x-ringway-reason") == "spill";
      in_paris += answer->Field("x-ringway-region") == "paris";
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(served, 4);
  EXPECT_GE(spilled, 1);
  EXPECT_GE(in_paris, spilled);
}

}  // namespace
}  // namespace ringway::http_test
