// Going back to a table of another topology: over real loopback gRPC, from the history on disk, and in the
// journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "controller/daemon/daemon.h"
#include "controller/journal/replay.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/controller/daemon_fixture.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "topology/topology.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

class HistoryCallsTest : public DaemonFixture {
 protected:
  HistoryCallsTest() {
    settings_.controller.settle_max = Milliseconds(200);
    settings_.controller.history_max = 1;  // in memory: all else comes from the disk
    Start();
  }
  template <class Request, class Reply>
  grpc::Status Call(grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                    const Request& request, Reply& reply) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    return ((*admin_).*method)(&context, request, &reply);
  }
  v1::RoutingTable Table() {
    v1::RoutingTable table;
    (void)Call(&v1::Admin::Stub::GetTable, v1::GetTableRequest(), table);
    return table;
  }
  // The row of a, as shares by name of the target.
  std::map<std::string, double> RowOfA() {
    const v1::RoutingTable table = Table();
    std::map<std::string, double> row;
    if (table.tiers_size() == 0) return row;
    for (const v1::Route& route : table.tiers(0).rows(0).routes()) {
      row[table.regions(static_cast<int>(route.target()))] = route.fraction();
    }
    return row;
  }
  void PinA(double home) {
    v1::PinRequest pin;
    pin.mutable_by()->set_who("ann");
    pin.set_region("a");
    pin.set_pin(true);
    pin.add_regions("a");
    pin.add_regions("b");
    for (std::uint32_t target : {0u, 1u}) {
      v1::Route* route = pin.mutable_row()->add_routes();
      route->set_target(target);
      route->set_fraction(target == 0 ? home : 1 - home);
    }
    v1::ActionReply reply;
    ASSERT_TRUE(Call(&v1::Admin::Stub::Pin, pin, reply).ok());
    ASSERT_TRUE(reply.done()) << reply.message();
    ASSERT_TRUE(live::Eventually([&] { return RowOfA()["a"] == home; }));
  }
  v1::ActionReply Back(std::uint64_t epoch, std::uint64_t version) {
    v1::RollbackRequest request;
    request.mutable_by()->set_who("ann");
    request.set_epoch(epoch);
    request.set_version(version);
    v1::ActionReply reply;
    const grpc::Status status = Call(&v1::Admin::Stub::Rollback, request, reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply;
  }

  // The journal holds the tables of this many rollbacks: a replay of all lives needs no history.
  void ExpectReplayWithTables(int rollbacks) {
    const auto read = [](const std::string& text) -> absl::StatusOr<std::shared_ptr<const Fleet>> {
      auto topology = ParseTopology(text, "journal");
      if (!topology.ok()) return topology.status();
      return topology->fleet;
    };
    int back = 0;
    const auto report = Replay(settings_.state_dir + "/journal", read,
                               [&](Time, const ControllerEvent& event, const std::vector<ControllerAction>&,
                                   const ControllerMachine&) {
                                 const auto* order = std::get_if<OperatorCommand>(&event);
                                 const auto* rollback =
                                     order == nullptr ? nullptr : std::get_if<RollbackCommand>(&order->what);
                                 if (rollback != nullptr && rollback->table != nullptr) ++back;
                               });
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(back, rollbacks);
    EXPECT_GT(report->tables, 3u);
    EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
    EXPECT_EQ(report->checkpoints_different, 0u);
  }
};

TEST_F(HistoryCallsTest, ATableOfAnotherTopologyIsListedComparedAndGoneBackTo) {
  TestRouter a(daemon_->grpc_address(), "ra", "a"), b(daemon_->grpc_address(), "rb", "b");
  a.Hello();
  b.Hello();
  // Before a worker is seen nothing is planned, and pins do not show.
  ASSERT_TRUE(live::Eventually([&] {
    a.Report("t", 4, 1, 0.25);
    b.Report("t", 4, 1, 0.25);
    return Table().tiers_size() > 0;
  }));
  PinA(0.5);
  const v1::RoutingTable half = Table();
  PinA(0.25);
  const v1::RoutingTable quarter = Table();

  // b is gone, c is new.
  WriteWorld(absl::StrReplaceAll(kPairWorld, {{"name: b", "name: c"}, {"region: b", "region: c"}}));
  daemon_->Reload();
  ASSERT_TRUE(live::Eventually([&] { return Table().regions_size() == 2 && Table().regions(1) == "c"; }));
  EXPECT_EQ(RowOfA(), (std::map<std::string, double>{{"a", 1}}))
      << "what leads to a region that is gone stays home";

  v1::HistoryReply history;
  ASSERT_TRUE(Call(&v1::Admin::Stub::History, v1::HistoryRequest(), history).ok());
  ASSERT_GE(history.tables_size(), 3);
  EXPECT_EQ(history.tables(0).cause(), "new topology: pair");
  EXPECT_FALSE(history.tables(0).has_whole());
  for (int i = 1; i < history.tables_size(); ++i) {
    EXPECT_LE(history.tables(i).at_unix_us(), history.tables(i - 1).at_unix_us());
  }

  v1::DiffRequest of_two;
  of_two.mutable_before()->set_epoch(half.epoch());
  of_two.mutable_before()->set_version(half.version());
  of_two.mutable_after()->set_epoch(quarter.epoch());
  of_two.mutable_after()->set_version(quarter.version());
  v1::DiffReply diff;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Diff, of_two, diff).ok());
  EXPECT_EQ(diff.rows(), 1u);
  ASSERT_EQ(diff.moved_size(), 2);
  std::map<std::string, double> moved;
  for (const v1::RouteMoved& one : diff.moved()) moved[one.target()] = one.after() - one.before();
  EXPECT_NEAR(moved["a"], -0.25, 1e-9);
  EXPECT_NEAR(moved["b"], 0.25, 1e-9) << "by name, though the region is gone";

  EXPECT_TRUE(Back(half.epoch(), half.version()).done());
  EXPECT_EQ(RowOfA(), (std::map<std::string, double>{{"a", 1}}));

  // With b back, also after a restart, the table is what it was.
  WriteWorld(kPairWorld);
  Start();
  EXPECT_TRUE(Back(half.epoch(), half.version()).done());
  EXPECT_EQ(RowOfA(), (std::map<std::string, double>{{"a", 0.5}, {"b", 0.5}}));
  const v1::ActionReply never = Back(99, 1);
  EXPECT_FALSE(never.done());
  EXPECT_THAT(never.message(), HasSubstr("table 99.1 is not kept"));
  v1::AuditReply audit;
  ASSERT_TRUE(Call(&v1::Admin::Stub::Audit, v1::AuditRequest(), audit).ok());
  EXPECT_THAT(audit.entries(0).action(), HasSubstr("[refused]"));

  daemon_.reset();
  ExpectReplayWithTables(2);
}

TEST_F(HistoryCallsTest, BrokenQuestionsAreRefusedWithAReason) {
  v1::RollbackRequest both;
  both.mutable_by()->set_who("ann");
  v1::ActionReply reply;
  EXPECT_THAT(Call(&v1::Admin::Stub::Rollback, both, reply).error_message(), HasSubstr("either by epoch"));
  both.set_epoch(1);
  both.set_at_unix_us(5);
  EXPECT_THAT(Call(&v1::Admin::Stub::Rollback, both, reply).error_message(), HasSubstr("either by epoch"));
  v1::HistoryRequest misspelt;
  misspelt.set_tier("tt");
  v1::HistoryReply history;
  EXPECT_EQ(Call(&v1::Admin::Stub::History, misspelt, history).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::DiffReply diff;
  const grpc::Status early = Call(&v1::Admin::Stub::Diff, v1::DiffRequest(), diff);
  EXPECT_THAT(early.error_message(), HasSubstr("no table is in force yet"));
}

}  // namespace
}  // namespace ringway::controller
