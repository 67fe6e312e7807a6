// Tables of a life that was ended by kill -9 are there in the next: listed, compared, and gone back to.
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;
using Version = std::pair<std::uint64_t, std::uint64_t>;

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() : world_({.regions = {{"oslo", 1, 1}, {"paris", 1, 1}}}) {}
  template <class Reply, class Request>
  Reply Ask(grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
            const Request& request, grpc::StatusCode expected = grpc::StatusCode::OK) {
    const auto admin = v1::Admin::NewStub(runtime::MakeChannel(world_.controller().grpc()));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    Reply reply;
    const grpc::Status status = ((*admin).*method)(&context, request, &reply);
    EXPECT_EQ(status.error_code(), expected) << status.error_message();
    return reply;
  }
  Version InForce() {
    const auto status = world_.Status();
    return status ? Version(status->epoch(), status->version()) : Version();
  }
  // The share of paris' requests that the table in force sends to oslo.
  double ParisToOslo() {
    const auto admin = v1::Admin::NewStub(runtime::MakeChannel(world_.controller().grpc()));
    grpc::ClientContext context;
    v1::RoutingTable table;
    if (!admin->GetTable(&context, v1::GetTableRequest(), &table).ok()) return -1;
    for (const v1::Route& route : table.tiers(0).rows(1).routes()) {
      if (route.target() == 0) return route.fraction();
    }
    return 0;
  }
  // Fixes the row of paris, and waits until that is the table.
  void Pin(double to_oslo) {
    v1::PinRequest pin;
    pin.mutable_by()->set_who("ann");
    pin.set_region("paris");
    pin.set_pin(true);
    for (const char* region : {"oslo", "paris"}) pin.add_regions(region);
    for (const std::uint32_t target : {0u, 1u}) {
      v1::Route* route = pin.mutable_row()->add_routes();
      route->set_target(target);
      route->set_fraction(target == 0 ? to_oslo : 1 - to_oslo);
    }
    const auto reply = Ask(&v1::Admin::Stub::Pin, pin);
    ASSERT_TRUE(reply.done()) << reply.message();
    ASSERT_TRUE(Eventually([&] { return ParisToOslo() == to_oslo; }));
  }
  v1::ActionReply Back(const Version& version, std::int64_t at_unix_us = 0) {
    v1::RollbackRequest request;
    request.mutable_by()->set_who("ann");
    request.set_epoch(version.first);
    request.set_version(version.second);
    request.set_at_unix_us(at_unix_us);
    return Ask(&v1::Admin::Stub::Rollback, request);
  }
  SmallWorld world_;
};

TEST_F(HistoryTest, SurvivesKillMinusNine) {
  ASSERT_TRUE(world_.AwaitReady());
  ASSERT_EQ(ParisToOslo(), 0);
  Pin(0.25);
  const Version first = InForce();
  const Time between = absl::Now();
  Pin(0.75);
  const Version second = InForce();
  world_.controller().Kill();
  world_.controller().StartAgain();
  ASSERT_TRUE(Eventually([&] { return ParisToOslo() == 0.75; }));
  ASSERT_GT(InForce(), second) << "a new epoch";

  std::map<Version, v1::PastTable> kept;
  const auto history = Ask(&v1::Admin::Stub::History, v1::HistoryRequest());
  for (const v1::PastTable& table : history.tables()) kept[{table.epoch(), table.version()}] = table;
  ASSERT_TRUE(kept.contains(first) && kept.contains(second) && kept.contains(InForce()));
  ASSERT_EQ(kept[second].moved_size(), 1);
  EXPECT_EQ(kept[second].moved(0).most(), "paris -> oslo 25 % -> 75 % (pinned)");
  const Version taken_over(InForce().first, 1);
  EXPECT_THAT(kept[taken_over].cause(), HasSubstr("taken over at the start of epoch"));

  v1::DiffRequest of_two;
  of_two.mutable_before()->set_epoch(first.first);
  of_two.mutable_before()->set_version(first.second);
  of_two.mutable_after()->set_epoch(second.first);
  of_two.mutable_after()->set_version(second.second);
  const auto diff = Ask(&v1::Admin::Stub::Diff, of_two);
  EXPECT_EQ(diff.rows(), 1u);
  EXPECT_EQ(diff.moved_size(), 2);
  v1::DiffRequest with_now;
  *with_now.mutable_before() = of_two.after();
  EXPECT_EQ(Ask(&v1::Admin::Stub::Diff, with_now).rows(), 0u);

  const v1::ActionReply back = Back({0, 0}, ToUnixMicros(between));
  ASSERT_TRUE(back.done()) << back.message();
  EXPECT_THAT(back.message(), HasSubstr(absl::StrCat("is back on table ", first.first, ".", first.second)));
  EXPECT_EQ(ParisToOslo(), 0.25);
  ASSERT_TRUE(Back(second).done());
  EXPECT_EQ(ParisToOslo(), 0.75);
  const v1::ActionReply never = Back({77, 7});
  EXPECT_FALSE(never.done());
  EXPECT_THAT(never.message(), HasSubstr("table 77.7 is not kept"));
}

}  // namespace
}  // namespace ringway::live
