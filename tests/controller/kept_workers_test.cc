// A worker outlives its router, and the controller's memory of that router: it is looked for until somebody
// hears it.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controller/journal/checkpoint.h"
#include "controller/machine.h"
#include "controller/wire/state_codec.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

// Two routers of one region, each with a worker beside it. They report as often as Second() is called.
class KeptWorkersTest : public testing::Test {
 protected:
  static WorkerSeen Worker(const std::string& name, bool healthy = true, bool adopted = false) {
    WorkerSeen worker{.name = name, .tier = TierId(0), .address = ""};
    worker.address = absl::StrCat("host-", absl::StrReplaceAll(name, {{"/", "-"}}), ":1");
    worker.healthy = healthy;
    worker.adopted = adopted;
    return worker;
  }
  void Step(const ControllerEvent& event) {
    std::vector<ControllerAction> actions;
    machine_->Step(now_, event, actions);
  }
  void Connect(StreamId stream, std::string name) {
    RouterHello hello;
    hello.router = std::move(name);
    hello.region = kR0;
    hello.address = "127.0.0.1:7410";
    hello.incarnation = stream;
    Step(RouterConnected{.stream = stream, .hello = std::move(hello)});
  }
  void Report(StreamId stream, std::vector<WorkerSeen> workers) {
    RouterReport report;
    report.workers = std::move(workers);
    Step(RouterReported{.stream = stream, .report = std::move(report)});
  }
  // The streams' routers say the same once a second.
  struct Said {
    StreamId stream;
    std::vector<WorkerSeen> workers;
  };
  void PassSeconds(int n, const std::vector<Said>& said) {
    for (int i = 0; i < n; ++i) {
      now_ += Seconds(1);
      for (const Said& one : said) Report(one.stream, one.workers);
      Step(Tick{});
    }
  }
  void BothReport() {
    Connect(1, "a");
    Connect(2, "b");
    PassSeconds(20, {{1, {Worker("a/0")}}, {2, {Worker("b/0")}}});
  }
  void Restart() {
    v1::ControllerState message;
    ASSERT_TRUE(message.ParseFromString(EncodeState(machine_->Durable()).SerializeAsString()));
    auto state = DecodeState(message);
    ASSERT_TRUE(state.ok()) << state.status();
    machine_.emplace(ControllerSettings(), fleet_, *state, now_);
  }
  const WorkerEntry* Listed(const std::string& name) const {
    for (const WorkerEntry& entry : machine_->directory()->workers[kR0]) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  std::shared_ptr<const Fleet> fleet_ = MakeFleet();
  Time now_ = UnixEpoch() + Seconds(1000);
  std::optional<ControllerMachine> machine_{std::in_place, ControllerSettings(), fleet_, DurableState(),
                                            now_};
};

TEST_F(KeptWorkersTest, AWorkerWhoseRouterIsForgottenIsLookedForByAnotherAndUsedByNobodyUnheard) {
  BothReport();
  Step(RouterDisconnected{1});
  PassSeconds(30, {{2, {Worker("b/0")}}});
  ASSERT_EQ(machine_->directory()->routers.size(), 1u) << "its router is no peer any more";
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_EQ(Listed("a/0")->router, "b");
  EXPECT_TRUE(Listed("a/0")->draining);
  // It has been found.
  PassSeconds(2, {{2, {Worker("a/0", true, /*adopted=*/true), Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_FALSE(Listed("a/0")->draining);
  // Who has found it speaks for it: it is down again, and the directory says so.
  PassSeconds(2, {{2, {Worker("a/0", false, /*adopted=*/true), Worker("b/0")}}});
  EXPECT_EQ(Listed("a/0"), nullptr);
}

// Its adopter starts anew while it is down, and has never heard of it.
TEST_F(KeptWorkersTest, WhatARouterHadAdoptedBeforeItStartedAnewIsLookedForAgain) {
  BothReport();
  Step(RouterDisconnected{1});
  PassSeconds(30, {{2, {Worker("b/0")}}});
  PassSeconds(2, {{2, {Worker("a/0", true, /*adopted=*/true), Worker("b/0")}}});
  PassSeconds(2, {{2, {Worker("a/0", false, /*adopted=*/true), Worker("b/0")}}});
  ASSERT_EQ(Listed("a/0"), nullptr) << "it is down";
  for (const StreamId life : {3, 4}) {
    Step(RouterDisconnected{life - 1});
    Connect(life, "b");
    PassSeconds(2, {{life, {Worker("b/0")}}});
    ASSERT_NE(Listed("a/0"), nullptr) << "nobody would see it come back";
    EXPECT_EQ(Listed("a/0")->router, "b");
    EXPECT_TRUE(Listed("a/0")->draining) << "nobody uses it unheard";
  }
  Restart();
  Connect(4, "b");
  PassSeconds(20, {{4, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr) << "nor does the controller forget it";
  PassSeconds(2, {{4, {Worker("a/0", true, /*adopted=*/true), Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_FALSE(Listed("a/0")->draining) << "it has been found";
  // Its own router is back and speaks for it; that the other one starts anew is nothing to it.
  Connect(5, "a");
  PassSeconds(2, {{4, {Worker("a/0", true, /*adopted=*/true), Worker("b/0")}}, {5, {Worker("a/0")}}});
  Step(RouterDisconnected{4});
  Connect(6, "b");
  PassSeconds(2, {{5, {Worker("a/0")}}, {6, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_EQ(Listed("a/0")->router, "a");
  EXPECT_FALSE(Listed("a/0")->draining);
}

// Routers know workers by their addresses: two entries at one would contradict each other.
TEST_F(KeptWorkersTest, AnotherWorkerAtItsAddressEndsTheSearch) {
  BothReport();
  Step(RouterDisconnected{1});
  PassSeconds(20, {{2, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  WorkerSeen renamed = Worker("a/0-new");
  renamed.address = Worker("a/0").address;
  PassSeconds(2, {{2, {Worker("b/0"), renamed}}});
  EXPECT_EQ(Listed("a/0"), nullptr);
  EXPECT_NE(Listed("a/0-new"), nullptr);
}

TEST_F(KeptWorkersTest, NobodyLooksForItForEver) {
  BothReport();
  Step(RouterDisconnected{1});
  const int hour_s = static_cast<int>(ToInt64Seconds(FleetView::kGoneKept));
  PassSeconds(hour_s - 60, {{2, {Worker("b/0")}}});
  EXPECT_NE(Listed("a/0"), nullptr);
  PassSeconds(120, {{2, {Worker("b/0")}}});
  EXPECT_EQ(Listed("a/0"), nullptr);
}

// A region that was cut off comes back router by router. Whoever is first must not take the others' workers
// for gone: if the controller dies then, nobody corrects it.
TEST_F(KeptWorkersTest, TheFirstRouterOfARegionThatComesBackIsToldOfTheWorkersOfAll) {
  BothReport();
  Step(RouterDisconnected{1});
  Step(RouterDisconnected{2});
  PassSeconds(60, {});
  EXPECT_TRUE(machine_->directory()->routers.empty());
  Connect(3, "b");
  PassSeconds(2, {{3, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_FALSE(Listed("a/0")->draining) << "nobody has had the time to look";
  Connect(4, "a");
  PassSeconds(1, {{3, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr) << "though it has not reported";
  EXPECT_EQ(Listed("a/0")->router, "a");
}

TEST_F(KeptWorkersTest, ARestartForgetsNeitherTheUnwellNorThoseOfRoutersThatAreGone) {
  BothReport();
  PassSeconds(2, {{1, {Worker("a/0"), Worker("a/1", /*healthy=*/false)}}, {2, {Worker("b/0")}}});
  EXPECT_EQ(Listed("a/1"), nullptr) << "its own router sees it come back";
  Restart();  // and that router never comes back
  Connect(5, "b");
  PassSeconds(5, {{5, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/1"), nullptr);
  EXPECT_EQ(Listed("a/1")->router, "b");
  EXPECT_TRUE(Listed("a/1")->draining);
  PassSeconds(30, {{5, {Worker("b/0")}}});
  EXPECT_EQ(machine_->directory()->routers.size(), 1u);
  Restart();
  Connect(6, "b");
  PassSeconds(30, {{6, {Worker("b/0")}}});
  for (const char* worker : {"a/0", "a/1"}) {
    ASSERT_NE(Listed(worker), nullptr) << worker;
    EXPECT_EQ(Listed(worker)->router, "b") << worker;
    EXPECT_TRUE(Listed(worker)->draining) << worker;
  }
}

TEST_F(KeptWorkersTest, ACheckpointAndANewTopologyKeepThem) {
  BothReport();
  Step(RouterDisconnected{1});
  PassSeconds(30, {{2, {Worker("b/0")}}});
  Restart();  // the address of a is not known to this life
  Connect(6, "b");
  PassSeconds(30, {{6, {Worker("b/0")}}});
  const v1::ControllerCheckpoint saved = Checkpointer::Save(*machine_, "");
  auto loaded = Checkpointer::Load(saved, fleet_);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const v1::ControllerCheckpoint again = Checkpointer::Save(*loaded, "");
  EXPECT_TRUE(again.SerializeAsString() == saved.SerializeAsString()) << again.DebugString();
  EXPECT_TRUE(loaded->view().gone().contains("a"));
  Step(TopologyLoaded{.fleet = MakeFleet(), .text = ""});
  PassSeconds(2, {{6, {Worker("b/0")}}});
  EXPECT_NE(Listed("a/0"), nullptr);
}

// A router that hangs from the moment it connected says nothing of its workers: another is asked to.
TEST_F(KeptWorkersTest, ARouterThatConnectsAndNeverReportsDoesNotSpeakForItsWorkers) {
  BothReport();
  Restart();
  Connect(5, "a");
  Connect(6, "b");
  PassSeconds(6, {{6, {Worker("b/0")}}});
  ASSERT_NE(Listed("a/0"), nullptr);
  EXPECT_EQ(Listed("a/0")->router, "b");
}

}  // namespace
}  // namespace ringway::controller
