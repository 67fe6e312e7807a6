// Tables of a life that was ended by kill -9 are there in the next: listed, compared, and gone back to.
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/cli/run.h"
#include "tests/live/eventually.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() : world_({.regions = {{"oslo", 1, 1}, {"paris", 1, 1}}}) {}
  cli::Ran Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--controller", world_.controller().grpc()});
    return cli::Ringway(std::move(words));
  }
  std::string Version() {
    const auto status = world_.Status();
    return status ? absl::StrCat(status->epoch(), ".", status->version()) : "";
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
    const auto admin = v1::Admin::NewStub(runtime::MakeChannel(world_.controller().grpc()));
    grpc::ClientContext context;
    v1::PinRequest pin;
    pin.mutable_by()->set_who("ann");
    pin.set_region("paris");
    pin.set_pin(true);
    for (const char* region : {"oslo", "paris"}) pin.add_regions(region);
    for (const double share : {to_oslo, 1 - to_oslo}) {
      v1::Route* route = pin.mutable_row()->add_routes();
      route->set_target(share == to_oslo ? 0 : 1);
      route->set_fraction(share);
    }
    v1::ActionReply reply;
    ASSERT_TRUE(admin->Pin(&context, pin, &reply).ok());
    ASSERT_TRUE(reply.done()) << reply.message();
    ASSERT_TRUE(Eventually([&] { return ParisToOslo() == to_oslo; }));
  }
  SmallWorld world_;
};

TEST_F(HistoryTest, SurvivesKillMinusNine) {
  ASSERT_TRUE(world_.AwaitReady());
  ASSERT_EQ(ParisToOslo(), 0);
  Pin(0.25);
  const std::string first = Version();
  const absl::Time between = absl::Now();
  Pin(0.75);
  const std::string second = Version();
  world_.controller().Kill();
  world_.controller().StartAgain();
  ASSERT_TRUE(Eventually([&] { return ParisToOslo() == 0.75; }));
  ASSERT_NE(Version(), second) << "a new epoch";

  const cli::Ran listed = Ask({"history"});
  ASSERT_EQ(listed.code, 0) << listed.err;
  for (const std::string& version : {first, second, Version()}) {
    EXPECT_THAT(listed.out, HasSubstr("\n" + version + " "));
  }
  EXPECT_THAT(listed.out, HasSubstr("paris -> oslo 25 % -> 75 % (pinned)"));
  EXPECT_THAT(listed.out, HasSubstr("taken over at the start of epoch"));

  const cli::Ran diff = Ask({"diff", first, second});
  ASSERT_EQ(diff.code, 0) << diff.err;
  EXPECT_THAT(diff.out, HasSubstr("table " + first + " of "));
  EXPECT_THAT(diff.out, HasSubstr("25.0 %  75.0 %"));
  EXPECT_THAT(diff.out, HasSubstr("1 rows are different"));
  EXPECT_THAT(Ask({"diff", second}).out, HasSubstr("no row is different"));
  EXPECT_THAT(Ask({"diff", "77.7"}).err, HasSubstr("table 77.7 is not kept"));

  const std::string moment = absl::FormatTime("%Y-%m-%d %H:%M:%E3S", between, absl::UTCTimeZone());
  const cli::Ran back = Ask({"rollback", "--at", moment, "--why", "as it was"});
  ASSERT_EQ(back.code, 0) << back.err;
  EXPECT_THAT(back.out, HasSubstr("is back on table " + first));
  EXPECT_EQ(ParisToOslo(), 0.25);
  ASSERT_EQ(Ask({"rollback", second}).code, 0);
  EXPECT_EQ(ParisToOslo(), 0.75);
  EXPECT_THAT(Ask({"audit"}).out, HasSubstr("roll back tier= to " + first));
  const cli::Ran never = Ask({"rollback", "77.7"});
  EXPECT_EQ(never.code, 1);
  EXPECT_THAT(never.out, HasSubstr("table 77.7 is not kept"));
  EXPECT_THAT(Ask({"rollback", "--at", "2020-01-01 12:00"}).err,
              HasSubstr("no table of 2020-01-01 12:00:00Z or before"));
}

}  // namespace
}  // namespace ringway::live
