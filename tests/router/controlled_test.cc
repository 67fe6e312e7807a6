// Routers as processes under a controller: maps, directories, tables, reports, what is kept on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "proto/fleet_codec.h"
#include "proto/table_codec.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/router/fake_controller.h"
#include "tests/router/router_fixture.h"

namespace ringway::live {
namespace {

using router::kHome;
using router::kNear;
using ::testing::HasSubstr;

// One worker beside each of: r1 in home; n1, n2 in near.
class ControlledRouters : public ::testing::Test {
 protected:
  ControlledRouters() {
    fleet_ = router::SmallFleet();
    fleet_.tiers[router::kTier].service_mean = Milliseconds(50);
    for (const char* name : {"busy", "ringway_worker_payload_bytes_total"}) {
      MetricSpec metric;
      metric.name = name;
      fleet_.tiers[router::kTier].metrics.push_back(metric);
    }
    controller_.emplace(5);
    workers_.emplace(folder_, Worker("w-home", "home"));
    near_worker_.emplace(folder_, Worker("w-near", "near"));
    home_.emplace(folder_, Router("r1", "home", {workers_->grpc()}));
    n1_.emplace(folder_, Router("n1", "near", {near_worker_->grpc()}));
    n2_.emplace(folder_, Router("n2", "near", {}));
    stub_ = v1::Ingress::NewStub(runtime::MakeChannel(home_->grpc()));
    PushFleet();
    PushDirectory();
  }

  static DaemonSpec Worker(const std::string& name, const std::string& region) {
    return {.program = "ringway-worker",
            .name = name,
            .arguments = {"--name", name, "--tier", "animate", "--region", region, "--service-mean", "0.05",
                          "--service-law", "fixed"}};
  }
  DaemonSpec Router(const std::string& name, const std::string& region, std::vector<std::string> workers) {
    std::vector<std::string> arguments = {"--name",      name,           "--region",
                                          region,        "--controller", controller_->address(),
                                          "--state-dir", folder_.path()};
    for (const std::string& worker : workers) {
      arguments.push_back("--worker");
      arguments.push_back(worker);
    }
    if (name == "r1") arguments.push_back("--emulate-rtt");
    return {.program = "ringway-router", .name = name, .arguments = std::move(arguments)};
  }

  void PushFleet() {
    v1::ControllerMessage message;
    *message.mutable_fleet_map() = wire::EncodeFleet(fleet_);
    controller_->Push(message);
  }
  void PushDirectory() {
    v1::ControllerMessage message;
    v1::Directory& directory = *message.mutable_directory();
    directory.set_epoch(5);
    directory.set_version(1);
    const std::pair<const char*, DaemonProcess*> routers[] = {{"r1", &*home_}, {"n1", &*n1_}, {"n2", &*n2_}};
    for (const auto& [name, process] : routers) {
      v1::RouterEntry& entry = *directory.add_routers();
      entry.set_name(name);
      entry.set_region(name == std::string("r1") ? "home" : "near");
      entry.set_address(process->grpc());
    }
    const std::pair<const char*, DaemonProcess*> workers[] = {{"home", &*workers_}, {"near", &*near_worker_}};
    for (const auto& [region, process] : workers) {
      v1::WorkerEntry& entry = *directory.add_workers();
      entry.set_name(std::string("w-") + region);
      entry.set_region(region);
      entry.set_address(process->grpc());
      entry.set_tier("animate");
    }
    controller_->Push(message);
  }
  // All of tier animate from home to `target`.
  void PushTable(RegionId target, TableVersion version) {
    RoutingTable table;
    table.version = version;
    for (TierId t(0); t != fleet_.tiers.end_id(); t = TierId(t.index() + 1)) {
      table.tiers.push_back(HomeTable(t, 3, 2));
    }
    table.tiers[router::kTier].at(0, kHome).routes = {
        {.target = target, .fraction = 1, .ring = 0, .reason = RouteReason::kOverload}};
    v1::ControllerMessage message;
    *message.mutable_table() = wire::EncodeTable(table, fleet_);
    controller_->Push(message);
  }
  // Home gets a trace of its jobs of tier animate, the rest is shed.
  void PushShed(TableVersion version) {
    RoutingTable table;
    table.version = version;
    for (TierId t(0); t != fleet_.tiers.end_id(); t = TierId(t.index() + 1)) {
      table.tiers.push_back(HomeTable(t, 3, 2));
    }
    Row& row = table.tiers[router::kTier].at(0, kHome);
    row.routes = {{.target = kHome, .fraction = 1e-3}};
    row.shed_fraction = 1 - 1e-3;
    v1::ControllerMessage message;
    *message.mutable_table() = wire::EncodeTable(table, fleet_);
    controller_->Push(message);
  }
  bool Acked(const std::string& router, TableVersion version, bool active) {
    return Eventually([&] {
      for (const v1::Ack& ack : controller_->acks(router)) {
        if (TableVersion{ack.epoch(), ack.version()} == version && ack.active() == active) return true;
      }
      return false;
    });
  }
  JobAnswer Submit(const std::string& id = "job") {
    return JobCall::ToRouter(*stub_).Send(Header("animate", id), "photo").Await();
  }
  static bool Sees(DaemonProcess& router, double workers) {
    return Eventually(
        [&] { return MetricValue(router.http(), "ringway_router_workers{tier=\"animate\"}") == workers; });
  }

  ScratchFolder folder_;
  Fleet fleet_;
  std::optional<FakeController> controller_;
  std::optional<DaemonProcess> workers_;
  std::optional<DaemonProcess> near_worker_;
  std::optional<DaemonProcess> home_;
  std::optional<DaemonProcess> n1_;
  std::optional<DaemonProcess> n2_;
  std::unique_ptr<v1::Ingress::Stub> stub_;
};

TEST_F(ControlledRouters, JobsGoWhereTheTableSaysAndComeBackWithTheStory) {
  PushTable(kNear, {5, 2});
  ASSERT_TRUE(Acked("r1", {5, 2}, true));
  ASSERT_TRUE(Sees(*n1_, 1) && Sees(*n2_, 1));
  const JobAnswer answer = Submit("far-away");
  ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  const v1::JobTrace& trace = answer.end.trace();
  EXPECT_EQ(trace.region(), "near");
  EXPECT_EQ(trace.source_region(), "home");
  EXPECT_EQ(trace.worker(), "w-near");
  EXPECT_EQ(trace.reason(), "overload");
  EXPECT_EQ(trace.ring(), 1u);
  EXPECT_EQ(trace.table_epoch(), 5u);
  EXPECT_EQ(trace.table_version(), 2u);
  EXPECT_GE(trace.network_s(), 0.019) << "20 ms between home and near are emulated";
  EXPECT_FALSE(answer.result.empty());
}

// A table is made of what routers report, and one of them may be wrong by a million times.
TEST_F(ControlledRouters, AShedShareIsServedWhileAWorkerAtHomeIsIdle) {
  PushShed({5, 2});
  ASSERT_TRUE(Acked("r1", {5, 2}, true));
  ASSERT_TRUE(Sees(*home_, 1));
  for (int i = 0; i < 10; ++i) {
    const JobAnswer answer = Submit();
    ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
  }
  // With the only worker busy, the share is refused as the table says.
  EXPECT_TRUE(Eventually([&] {
    JobCall first = JobCall::ToRouter(*stub_);
    first.Send(Header("animate", "first"), "photo");
    const bool shed = Submit("second").outcome() == "shed";
    (void)first.Await();
    return shed;
  })) << "nothing is shed any more";
}

TEST_F(ControlledRouters, ReportsSayWhatHappened) {
  ASSERT_TRUE(Sees(*home_, 1));
  std::uint64_t entered = 0;
  std::uint64_t done = 0;
  std::uint64_t sequence = 0;
  ASSERT_EQ(Submit().outcome(), "done");
  EXPECT_TRUE(Eventually([&] {
    const auto report = controller_->report("r1");
    if (!report || report->sequence() == sequence) return false;
    sequence = report->sequence();
    for (const v1::TierReport& tier : report->tiers()) {
      if (tier.tier() != "animate") continue;
      entered += tier.entered(0);
      done += tier.done();
    }
    return report->workers_size() == 1 && report->workers(0).name() == "w-home" &&
           report->workers(0).healthy();
  }));
  // A metric that only the worker's page has. The payload was "photo".
  EXPECT_TRUE(Eventually([&] {
    const v1::Report report = *controller_->report("r1");
    if (report.workers_size() == 0 || report.workers(0).metrics_size() == 0) return false;
    const v1::MetricValue& metric = report.workers(0).metrics(0);
    return metric.name() == "ringway_worker_payload_bytes_total" && metric.value() == 5 && metric.age_s() < 5;
  }));
  EXPECT_LE(entered, 1u);
  EXPECT_LE(done, 1u);
  EXPECT_EQ(controller_->report("r1")->epoch_seen_max(), 5u);
  EXPECT_EQ(controller_->hellos().size(), 3u);
}

TEST_F(ControlledRouters, AnEarlierLeaderIsRefused) {
  PushTable(kHome, {6, 1});
  ASSERT_TRUE(Acked("r1", {6, 1}, true));
  PushTable(kNear, {5, 9});
  ASSERT_TRUE(Acked("r1", {5, 9}, false));
  EXPECT_THAT(controller_->acks("r1").back().refusal(), HasSubstr("earlier leader"));
  EXPECT_EQ(Submit().end.trace().region(), "home");
}

TEST_F(ControlledRouters, ABrokenTableChangesNothing) {
  PushTable(kNear, {5, 1});
  ASSERT_TRUE(Acked("r1", {5, 1}, true));
  v1::ControllerMessage message;
  v1::RoutingTable& table = *message.mutable_table();
  table.set_wire_version(1);
  table.set_epoch(5);
  table.set_version(2);
  table.add_regions("atlantis");
  controller_->Push(message);
  ASSERT_TRUE(Acked("r1", {5, 2}, false));
  EXPECT_EQ(Submit().end.trace().region(), "near");
}

TEST_F(ControlledRouters, WithoutAControllerTheLastTableStandsEvenAfterARestart) {
  PushTable(kNear, {5, 3});
  ASSERT_TRUE(Acked("r1", {5, 3}, true));
  const std::string state = folder_.File("router-r1.state");
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(state); }));
  ASSERT_TRUE(Sees(*n1_, 1) && Sees(*n2_, 1));
  controller_.reset();
  ASSERT_TRUE(
      Eventually([&] { return MetricValue(home_->http(), "ringway_router_controller_connected") == 0; }));
  EXPECT_EQ(Submit().end.trace().region(), "near");
  absl::SleepFor(Milliseconds(600));  // what became active is on disk within two beats
  home_->Kill();
  home_->StartAgain();
  // The test's own connection has to come back first.
  EXPECT_TRUE(Eventually([&] { return Submit().end.trace().region() == "near"; }));
  EXPECT_EQ(MetricValue(home_->http(), "ringway_router_table_version"), 3);
}

TEST_F(ControlledRouters, ADamagedFileIsRefusedAndTheRouterStaysHome) {
  PushTable(kNear, {5, 3});
  ASSERT_TRUE(Acked("r1", {5, 3}, true));
  const std::string state = folder_.File("router-r1.state");
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(state); }));
  controller_.reset();
  home_->Kill();
  {
    std::fstream file(state, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('\x5a');
  }
  home_->StartAgain();
  ASSERT_TRUE(Sees(*home_, 1));
  EXPECT_EQ(Submit().end.trace().region(), "home");
  EXPECT_THAT(home_->Log(), HasSubstr(state));
}

TEST_F(ControlledRouters, WhenARouterDiesTheOtherOneTakesOver) {
  PushTable(kNear, {5, 4});
  ASSERT_TRUE(Acked("r1", {5, 4}, true));
  ASSERT_TRUE(Sees(*n1_, 1) && Sees(*n2_, 1));
  n1_->Kill();
  for (int i = 0; i < 10; ++i) {
    const JobAnswer answer = Submit();
    EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
    EXPECT_EQ(answer.end.trace().router(), "n2");
  }
}

TEST_F(ControlledRouters, WhenNobodyThereAnswersTheJobStaysHome) {
  PushTable(kNear, {5, 4});
  ASSERT_TRUE(Acked("r1", {5, 4}, true));
  ASSERT_TRUE(Sees(*home_, 1));
  n1_->Kill();
  n2_->Kill();
  const JobAnswer answer = Submit();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_EQ(answer.end.trace().region(), "home");
  EXPECT_EQ(answer.end.trace().reason(), "target-unreachable");
}

}  // namespace
}  // namespace ringway::live
