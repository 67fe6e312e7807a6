// The daemon over real loopback gRPC: what routers and operators see, and what survives.
#include "controller/daemon/daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "absl/strings/str_cat.h"
#include "controller/journal/replay.h"
#include "core/leader_epoch.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/address.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "tests/controller/daemon_fixture.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "topology/topology.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

class ControllerDaemonTest : public DaemonFixture {
 protected:
  ControllerDaemonTest() { Start(); }
  std::unique_ptr<TestRouter> Router(const std::string& name, const std::string& region) {
    return std::make_unique<TestRouter>(daemon_->grpc_address(), name, region);
  }
  // Two routers report until `condition` holds for the first.
  bool ReportUntil(TestRouter& a, TestRouter& b, std::uint64_t entered_a,
                   const std::function<bool(const RouterNews&)>& condition) {
    return live::Eventually([&] {
      a.Report("t", 4, entered_a, std::min(1.0, static_cast<double>(entered_a) / 4));
      b.Report("t", 4, 1, 0.25);
      return condition(a.news());
    });
  }
  template <class Reply, class Request>
  grpc::Status Call(grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                    const Request& request, Reply* reply, const std::string& token = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return ((*admin_).*method)(&context, request, reply);
  }
};

TEST_F(ControllerDaemonTest, ARouterGetsWelcomeMapDirectoryAndAPlannedTable) {
  auto a = Router("ra", "a");
  auto b = Router("rb", "b");
  a->Hello();
  b->Hello();
  ASSERT_TRUE(ReportUntil(*a, *b, 6, [](const RouterNews& news) {
    return !news.tables.empty() && news.tables.back().tiers(0).rows_size() > 0 && !news.directories.empty() &&
           news.directories.back().workers_size() == 4;
  }));
  const RouterNews news = a->news();
  EXPECT_LE(news.welcomes.at(0).epoch(), EpochAt(runtime::WallNow()));
  EXPECT_GT(news.welcomes.at(0).epoch() + 3600, EpochAt(runtime::WallNow()));
  EXPECT_EQ(news.maps.at(0).regions_size(), 2);
  EXPECT_EQ(news.directories.back().routers_size(), 2);
  EXPECT_EQ(news.directories.back().workers_size(), 4) << "those of its own region";
  v1::StatusReply status;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Status, v1::StatusRequest(), &status).ok());
  EXPECT_EQ(status.routers_size(), 2);
  EXPECT_EQ(status.tiers(0).regions(0).workers_seen(), 4u);
  EXPECT_GT(status.tiers(0).regions(0).exported_share(), 0);
}

TEST_F(ControllerDaemonTest, ARestartTakesAHigherEpochAndKeepsDrainsPinsAndTheTable) {
  auto a = Router("ra", "a");
  auto b = Router("rb", "b");
  a->Hello();
  b->Hello();
  ASSERT_TRUE(ReportUntil(*a, *b, 1, [](const RouterNews& news) { return !news.tables.empty(); }));
  v1::DrainRegionRequest drain;
  drain.mutable_by()->set_who("ann");
  drain.set_region("b");
  drain.set_drain(true);
  drain.set_force(true);  // whether there is room is not asked here
  v1::ActionReply reply;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Drain, drain, &reply).ok());
  EXPECT_TRUE(reply.done()) << reply.message();
  v1::PinRequest pin;
  pin.mutable_by()->set_who("ann");
  pin.set_region("a");
  pin.set_pin(true);
  ASSERT_TRUE(Call(&v1::Admin::Stub::Pin, pin, &reply).ok());
  EXPECT_TRUE(reply.done()) << reply.message();
  const std::uint64_t before = a->news().welcomes.at(0).epoch();
  a.reset();
  b.reset();
  Start();
  v1::StatusReply status;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Status, v1::StatusRequest(), &status).ok());
  const std::uint64_t epoch = status.epoch();
  EXPECT_GT(epoch, before);
  EXPECT_TRUE(status.tiers(0).regions(0).pinned());
  EXPECT_GT(status.tiers(0).regions(1).drain_share(), 0);
  v1::AuditReply audit;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Audit, v1::AuditRequest(), &audit).ok());
  ASSERT_EQ(audit.entries_size(), 2);
  EXPECT_THAT(audit.entries(1).action(), HasSubstr("drain b"));
  // The first router that comes back has a table of the new epoch at once; one that saw more moves the epoch.
  auto again = Router("ra", "a");
  again->Hello(before, 1);
  EXPECT_TRUE(
      again->Await([&](const RouterNews& n) { return !n.tables.empty() && n.tables[0].epoch() == epoch; }));
  auto higher = Router("rb", "b");
  higher->Hello(epoch + 30, 1);
  EXPECT_TRUE(higher->Await(
      [&](const RouterNews& n) { return !n.tables.empty() && n.tables.back().epoch() == epoch + 31; }));
}

TEST_F(ControllerDaemonTest, WhatWasRecordedReplays) {
  auto a = Router("ra", "a");
  auto b = Router("rb", "b");
  a->Hello();
  b->Hello();
  for (const std::uint64_t entered : {1, 6, 2, 7}) {
    const std::size_t before = a->news().tables.size();
    ASSERT_TRUE(ReportUntil(*a, *b, entered, [&](const RouterNews& n) { return n.tables.size() > before; }));
  }
  a.reset();
  b.reset();
  daemon_.reset();
  const auto report = Replay(settings_.state_dir + "/journal", [](const std::string& text) {
    auto topology = ParseTopology(text, "journal");
    return topology.ok() ? absl::StatusOr<std::shared_ptr<const Fleet>>(topology->fleet) : topology.status();
  });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->tables, 4u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
}

TEST_F(ControllerDaemonTest, ReloadTakesAGoodFileAndKeepsTheOldOnABrokenOne) {
  auto a = Router("ra", "a");
  a->Hello();
  ASSERT_TRUE(a->Await([](const RouterNews& n) { return n.maps.size() == 1; }));
  WriteWorld("kind: World\n");
  daemon_->Reload();
  ASSERT_TRUE(live::Eventually([&] {
    return live::MetricValue(daemon_->http_address(),
                             "ringway_controller_topology_reloads_total{outcome=\"refused\"}") == 1;
  }));
  EXPECT_EQ(a->news().maps.size(), 1u);
  std::string text = kPairWorld;
  text.replace(text.find("name: t}"), 8, "name: u}");
  WriteWorld(text);
  daemon_->Reload();
  ASSERT_TRUE(a->Await([](const RouterNews& n) { return n.maps.size() == 2; }));
  EXPECT_EQ(a->news().maps[1].tiers(0).name(), "u");
}

TEST_F(ControllerDaemonTest, BrokenRoutersAreToldWhyAndHarmNobody) {
  const auto status_of = [&](const std::function<void(TestRouter&)>& act, const std::string& region = "a") {
    auto router = Router("bad", region);
    act(*router);
    EXPECT_TRUE(router->Await([](const RouterNews& n) { return n.ended; }));
    return router->news().status;
  };
  const grpc::Status mars = status_of([](TestRouter& r) { r.Hello(); }, "mars");
  EXPECT_EQ(mars.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(mars.error_message(), HasSubstr("'mars' is not a region of world 'pair'"));
  const grpc::Status early = status_of([](TestRouter& r) { r.Report("t", 1, 1, 0); });
  EXPECT_THAT(early.error_message(), HasSubstr("first message must be a Hello"));
  const grpc::Status empty = status_of([](TestRouter& r) { r.Send(v1::RouterMessage()); });
  EXPECT_EQ(empty.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const grpc::Status twice = status_of([](TestRouter& r) {
    r.Hello();
    r.Hello();
  });
  EXPECT_THAT(twice.error_message(), HasSubstr("second Hello"));
  const grpc::Status old = status_of([](TestRouter& r) {
    v1::RouterMessage message;
    message.mutable_hello()->set_router("x");
    r.Send(message);
  });
  EXPECT_THAT(old.error_message(), HasSubstr("wire_version is 0"));
  // The same name again replaces the stream before.
  auto first = Router("ra", "a");
  first->Hello();
  ASSERT_TRUE(first->Await([](const RouterNews& n) { return !n.welcomes.empty(); }));
  auto second = Router("ra", "a");
  second->Hello();
  EXPECT_TRUE(first->Await([](const RouterNews& n) { return n.ended; }));
  EXPECT_TRUE(second->Await([](const RouterNews& n) { return !n.welcomes.empty(); }));
}

TEST_F(ControllerDaemonTest, BrokenCallsAreRefusedWithAReason) {
  v1::ActionReply action;
  v1::DrainRegionRequest nobody;
  nobody.set_region("a");
  EXPECT_THAT(Call(&v1::Admin::Stub::Drain, nobody, &action).error_message(), HasSubstr("by.who is empty"));
  v1::SetModeRequest mode;
  mode.mutable_by()->set_who("ann");
  mode.set_mode("asleep");
  EXPECT_THAT(Call(&v1::Admin::Stub::SetMode, mode, &action).error_message(), HasSubstr("active, observe"));
  v1::PinRequest pin;
  pin.mutable_by()->set_who("ann");
  pin.mutable_row()->add_routes()->set_target(9);
  EXPECT_THAT(Call(&v1::Admin::Stub::Pin, pin, &action).error_message(), HasSubstr("not an index"));
  v1::ExplainRequest explain;
  explain.set_region("mars");
  v1::ExplainReply explained;
  EXPECT_EQ(Call(&v1::Admin::Stub::Explain, explain, &explained).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::DryRunRequest dry;
  v1::DryRunReply dried;
  dry.set_overload_threshold(3);
  EXPECT_THAT(Call(&v1::Admin::Stub::DryRun, dry, &dried).error_message(),
              HasSubstr("overload_threshold is 3"));
  v1::RoutingTable table;
  EXPECT_EQ(Call(&v1::Admin::Stub::GetTable, v1::GetTableRequest(), &table).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ControllerDaemonTest, ADryRunAnswersAndChangesNothing) {
  auto a = Router("ra", "a");
  auto b = Router("rb", "b");
  a->Hello();
  b->Hello();
  ASSERT_TRUE(ReportUntil(*a, *b, 2, [](const RouterNews& n) { return !n.tables.empty(); }));
  const std::size_t tables = a->news().tables.size();
  v1::DryRunRequest request;
  request.add_drain("b");
  v1::DryRunReply reply;
  const grpc::Status status = Call(&v1::Admin::Stub::DryRun, request, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  // A region of a few workers may send a little away at any time, so the other row may change too.
  EXPECT_THAT(reply.changes(), ::testing::Contains(HasSubstr("drain")));
  EXPECT_EQ(reply.after(1).exported_share(), 1);
  EXPECT_EQ(a->news().tables.size(), tables);
}

// Nobody signs a question, and none is an order: neither the audit log nor a router hears of it.
TEST_F(ControllerDaemonTest, ADryRunOfAnOrderAnswersAndGivesNone) {
  auto a = Router("ra", "a");
  auto b = Router("rb", "b");
  a->Hello();
  b->Hello();
  ASSERT_TRUE(ReportUntil(*a, *b, 2, [](const RouterNews& n) { return !n.tables.empty(); }));
  v1::TableName in_force;
  in_force.set_epoch(a->news().tables.back().epoch());
  in_force.set_version(a->news().tables.back().version());
  std::vector<v1::DryRunRequest> questions(5);
  questions[0].mutable_drain_order()->set_region("b");
  questions[0].mutable_drain_order()->set_drain(true);
  questions[0].mutable_drain_order()->set_force(true);  // the other region has no room for all of it
  questions[1].mutable_threshold_order()->set_overload_threshold(0.3);
  questions[2].mutable_mode_order()->set_mode("frozen");
  questions[3].mutable_pin_order()->set_region("a");
  questions[3].mutable_pin_order()->set_pin(true);
  questions[4].mutable_rollback_order()->set_epoch(in_force.epoch());
  questions[4].mutable_rollback_order()->set_version(in_force.version());
  for (const v1::DryRunRequest& question : questions) {
    v1::DryRunReply reply;
    const grpc::Status status = Call(&v1::Admin::Stub::DryRun, question, &reply);
    ASSERT_TRUE(status.ok()) << status.error_message() << question.DebugString();
    EXPECT_FALSE(reply.refused()) << reply.message();
    EXPECT_NE(reply.message(), "") << question.DebugString();
    EXPECT_EQ(reply.table().tiers_size(), 1);
    const bool stays = question.has_mode_order() || question.has_rollback_order();
    EXPECT_EQ(reply.mode(), stays ? "frozen" : "active") << question.DebugString();
    if (question.has_drain_order()) {
      EXPECT_EQ(reply.after(1).exported_share(), 1);
    }
  }
  v1::DryRunRequest unknown;
  unknown.mutable_rollback_order()->set_epoch(99);
  unknown.mutable_rollback_order()->set_version(1);
  v1::DryRunReply none;
  EXPECT_EQ(Call(&v1::Admin::Stub::DryRun, unknown, &none).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::AuditReply audit;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Audit, v1::AuditRequest(), &audit).ok());
  EXPECT_EQ(audit.entries_size(), 0) << audit.DebugString();
  v1::StatusReply now;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Status, v1::StatusRequest(), &now).ok());
  EXPECT_EQ(now.tiers(0).mode(), "active");
  EXPECT_EQ(now.tiers(0).regions(1).drain_goal(), 0);
}

TEST_F(ControllerDaemonTest, OneStateFolderOneController) {
  auto second = ControllerDaemon::Start(settings_);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("in use by another controller"));
}

TEST_F(ControllerDaemonTest, ADamagedStateIsSetAsideAndTheRoutersKnowTheEpoch) {
  daemon_.reset();
  const std::string state = settings_.state_dir + "/controller.state";
  std::filesystem::resize_file(state, std::filesystem::file_size(state) - 1);
  Start();
  auto a = Router("ra", "a");
  const std::uint64_t seen = EpochAt(runtime::WallNow()) + 60;
  a->Hello(seen, 2);
  EXPECT_TRUE(a->Await(
      [&](const RouterNews& n) { return !n.welcomes.empty() && n.welcomes[0].epoch() == seen + 1; }));
}

TEST_F(ControllerDaemonTest, PagesAnswer) {
  EXPECT_EQ(live::HttpGet(daemon_->http_address(), "/healthz")->status, 200);
  EXPECT_EQ(live::HttpGet(daemon_->http_address(), "/readyz")->status, 200);
  ASSERT_TRUE(live::Eventually(
      [&] { return live::MetricValue(daemon_->http_address(), "ringway_controller_epoch") > 0; }));
}

TEST_F(ControllerDaemonTest, IdleConnectionsDoNotHideItsHealth) {
  const auto parsed = runtime::ParseAddress(daemon_->http_address());
  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::socket> idle;
  for (int i = 0; i < 300; ++i) {
    idle.emplace_back(io);
    idle.back().connect({boost::asio::ip::make_address(parsed->host), parsed->port});
  }
  for (const char* page : {"/healthz", "/readyz", "/metrics"}) {
    const auto answer = live::HttpGet(daemon_->http_address(), page);
    ASSERT_TRUE(answer) << page;
    EXPECT_EQ(answer->status, 200) << page;
  }
}

TEST_F(ControllerDaemonTest, OperatorsNeedTheTokenWhereOneIsSet) {
  settings_.token = "0123456789abcdef";
  Start();
  v1::StatusReply reply;
  const auto code = [&](const std::string& token) {
    return Call(&v1::Admin::Stub::Status, v1::StatusRequest(), &reply, token).error_code();
  };
  EXPECT_EQ(code(""), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("0123456789abcdee"), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(code("0123456789abcdef0"), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(code("0123456789abcdef"), grpc::StatusCode::OK);
}

TEST_F(ControllerDaemonTest, RoutersNeedTheirTokenWhereOneIsSet) {
  settings_.token = "0123456789abcdef";
  settings_.router_token = "fedcba9876543210";
  Start();
  const auto code = [&](const std::string& token) {
    TestRouter router(daemon_->grpc_address(), "ra", "a", token);
    router.Hello();
    EXPECT_TRUE(router.Await([](const RouterNews& news) { return news.ended || !news.maps.empty(); }));
    return router.news().ended ? router.news().status.error_code() : grpc::StatusCode::OK;
  };
  EXPECT_EQ(code(""), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code(settings_.token), grpc::StatusCode::PERMISSION_DENIED) << "an operator is no router";
  EXPECT_EQ(code(settings_.router_token), grpc::StatusCode::OK);
  settings_.router_token.clear();
  Start();
  EXPECT_EQ(code(""), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code(settings_.token), grpc::StatusCode::OK) << "one token for both";
}

// A world on a grid, with estimated round-trip times.
std::string WideWorld(int regions) {
  std::string text = "apiVersion: ringway/v1\nkind: World\nmetadata: {name: wide}\nspec:\n  regions:\n";
  std::string workers;
  for (int r = 0; r < regions; ++r) {
    absl::StrAppend(&text, "    - {name: a", r, ", coordinates: {latitudeDeg: ", r / 40 * 5 - 60,
                    ", longitudeDeg: ", r % 40 * 9 - 179, "}}\n");
    absl::StrAppend(&workers, "    - {region: a", r, ", workers: 2}\n");
  }
  absl::StrAppend(&text,
                  "---\napiVersion: ringway/v1\nkind: Tier\nmetadata: {name: t}\nspec:\n  serviceMean: 1s\n",
                  "  metrics:\n    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker}\n",
                  "  overloadThreshold: 0.8\n  rings:\n    - {name: near, rttMsMax: 50, unlockLoad: 0.8}\n",
                  "  regions:\n", workers);
  return text;
}

TEST_F(ControllerDaemonTest, TheMapOfAThousandRegionsReachesARouter) {
  WriteWorld(WideWorld(1000));
  settings_.controller.epoch_period = Seconds(1);
  Start();
  auto a = Router("ra", "a17");
  a->Hello();
  ASSERT_TRUE(a->Await([](const RouterNews& news) { return news.ended || !news.maps.empty(); }));
  const RouterNews news = a->news();
  ASSERT_FALSE(news.ended) << news.status.error_message();
  EXPECT_EQ(news.maps.at(0).regions_size(), 1000);
  EXPECT_EQ(news.maps.at(0).rtt_ms_size(), 1'000'000);
}

TEST(ControllerSettingsTest, OffLoopbackNeedsAToken) {
  DaemonSettings settings;
  settings.topology = "x";
  settings.listen = "0.0.0.0:7400";
  EXPECT_THAT(std::string(Check(settings).message()), HasSubstr("--token-file"));
  settings.token = "0123456789abcdef";
  EXPECT_TRUE(Check(settings).ok());
}

}  // namespace
}  // namespace ringway::controller
