// A canary of a configuration with real daemons: a file is tried on one router of each region, dies with its
// controller and goes on, is aborted, and is not in force after that either, though it lies there.
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

constexpr Duration kLong = Seconds(45);

class CanaryTest : public ::testing::Test {
 protected:
  CanaryTest() : world_({.regions = {{"oslo", 3, 2}, {"paris", 3, 2}}, .service_mean_s = 0.05}) {}

  // The file with other words in it, read by the controller.
  void Reload(const std::vector<std::pair<std::string, std::string>>& edits) {
    std::ifstream in(world_.TopologyFile());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string edited = absl::StrReplaceAll(text, edits);
    ASSERT_NE(edited, text);
    std::ofstream(world_.TopologyFile(), std::ios::trunc) << edited;
    world_.controller().Signal(SIGHUP);
  }
  bool Comes(const std::string& phase) {
    return Eventually(
        [&] {
          const auto status = world_.Status();
          return status && status->canary().phase() == phase;
        },
        kLong);
  }
  double Threshold() {
    const auto status = world_.Status();
    return status ? status->tiers(0).overload_threshold() : -1;
  }
  // Chosen routers have the table of the canary, all others the one in force.
  bool EachHasItsOwn() {
    const auto status = world_.Status();
    if (!status || status->canary().chosen_size() != 2) return false;
    const std::set<std::string> chosen(status->canary().chosen().begin(), status->canary().chosen().end());
    return std::all_of(
        status->routers().begin(), status->routers().end(), [&](const v1::RouterStatus& router) {
          const bool own = chosen.contains(router.name());
          return router.table_epoch() == status->epoch() &&
                 router.table_version() == (own ? status->canary().table_version() : status->version());
        });
  }
  v1::ActionReply End(bool promote) {
    const auto admin = v1::Admin::NewStub(runtime::MakeChannel(world_.controller().grpc()));
    v1::CanaryRequest request;
    request.mutable_by()->set_who("ann");
    request.set_promote(promote);
    grpc::ClientContext context;
    v1::ActionReply reply;
    EXPECT_TRUE(admin->Canary(&context, request, &reply).ok());
    return reply;
  }
  SmallWorld world_;
};

TEST_F(CanaryTest, IsTriedAndAbortedAndStaysSo) {
  ASSERT_TRUE(world_.AwaitReady());
  std::vector<std::string> doors = world_.Doors("oslo");
  for (const std::string& door : world_.Doors("paris")) doors.push_back(door);
  OpenLoop load({.routers = doors, .tier = kTier, .rps = 40, .span = Minutes(3)});
  load.Start();
  Reload({{"spec:\n  regions:\n    - {name: oslo",
           "spec:\n  canary: {share: 0.3, for: 1h}\n  regions:\n    - {name: oslo"}});
  ASSERT_TRUE(Comes("none"));
  Reload({{"overloadThreshold: 0.9", "overloadThreshold: 0.3"}});
  ASSERT_TRUE(Comes("measuring"));
  EXPECT_EQ(Threshold(), 0.9);
  // An hour's canary measures for two minutes: it is loaded again with a shorter one.
  Reload({{"for: 1h", "for: 100s"}});
  ASSERT_TRUE(Comes("running"));
  ASSERT_TRUE(Eventually([&] { return EachHasItsOwn(); }));
  const auto before = world_.Status();
  ASSERT_TRUE(before);
  world_.controller().Kill();
  world_.controller().StartAgain();
  ASSERT_TRUE(Comes("running"));
  ASSERT_TRUE(Eventually([&] { return EachHasItsOwn(); }));
  const auto after = world_.Status();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->canary().id(), before->canary().id());
  EXPECT_EQ(after->canary().chosen(0), before->canary().chosen(0));
  EXPECT_EQ(Threshold(), 0.9);

  EXPECT_TRUE(End(false).done());
  EXPECT_FALSE(End(true).done()) << "none runs any more";
  world_.controller().Kill();
  world_.controller().StartAgain();
  ASSERT_TRUE(Comes("aborted"));
  EXPECT_EQ(Threshold(), 0.9) << "the file still says 0.3";
  EXPECT_TRUE(Eventually([&] {
    return MetricValue(world_.controller().http(), "ringway_controller_canary{state=\"aborted\"}") == 1;
  }));
  Reload({{"  canary: {share: 0.3, for: 100s}\n", ""}});
  EXPECT_TRUE(Eventually([&] { return Threshold() == 0.3; }));
  load.Stop();
  const auto records = load.Finish();
  EXPECT_EQ(Count(records).done, Count(records).jobs) << Failures(records);
}

}  // namespace
}  // namespace ringway::live
