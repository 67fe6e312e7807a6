// Absurd leader epochs, said by a router that lies or found on disks: nobody is locked out, nothing is
// restarted.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"
#include "gtest/gtest.h"
#include "ringway/v1/controller_state.pb.h"
#include "ringway/v1/router_state.pb.h"
#include "runtime/clock.h"
#include "runtime/state_file.h"
#include "tests/controller/test_router.h"
#include "tests/live/eventually.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

constexpr std::uint64_t kAbsurd = (std::uint64_t{1} << 48) - 1;

WorldPlan SmallRegionPlan() {
  return {
      .regions = {{"paris", 2, 1}}, .service_mean_s = 0.02, .controller_flags = {"--report-period", "200ms"}};
}

void Claim(controller::TestRouter& liar, std::uint64_t epoch) {
  v1::RouterMessage message;
  v1::Report& report = *message.mutable_report();
  report.set_wire_version(1);
  report.set_period_s(1);
  report.set_epoch_seen_max(epoch);
  liar.Send(message);
}

// The honest routers are connected and hold a table of the controller's present epoch, which is about the
// time.
bool AllFollow(SmallWorld& world) {
  return Eventually([&] {
    const auto status = world.Status();
    if (!status || status->epoch() > EpochAt(runtime::WallNow()) + 3600) return false;
    std::size_t following = 0;
    for (const v1::RouterStatus& router : status->routers()) {
      following += world.routers().contains(router.name()) && router.report_age_s() < 3 &&
                   router.table_epoch() == status->epoch() && router.table_version() > 0;
    }
    return following == world.routers().size();
  });
}

std::string Served(SmallWorld& world, const std::string& id) {
  const auto door = world.Door("paris-0");
  return JobCall::ToRouter(*door).Send(Header(kTier, id)).Await().outcome();
}

template <class State>
void Poison(const std::string& path, const char* kind, void (*edit)(State&)) {
  const auto file = runtime::ReadStateFile(path, kind, 1, 1);
  ASSERT_TRUE(file.ok()) << file.status();
  State state;
  ASSERT_TRUE(state.ParseFromString(file->payload));
  edit(state);
  ASSERT_TRUE(runtime::WriteStateFile(path, kind, 1, state.SerializeAsString()).ok());
}

TEST(EpochTest, OneReportOfAnAbsurdEpochLocksNobodyOut) {
  SmallWorld world(SmallRegionPlan());
  ASSERT_TRUE(world.AwaitReady());
  for (const std::uint64_t epoch : {kAbsurd, kAbsurd - 1, ~std::uint64_t{0}}) {
    SCOPED_TRACE(epoch);
    controller::TestRouter liar(world.controller().grpc(), absl::StrCat("liar-", epoch), "paris");
    liar.Hello();
    ASSERT_TRUE(liar.Await([](const controller::RouterNews& news) { return !news.welcomes.empty(); }));
    Claim(liar, epoch);
    EXPECT_TRUE(Eventually(
        [&] {
          const std::string told = absl::StrCat("liar-", epoch, " says that it has seen epoch");
          return world.controller().Log().find(told) != std::string::npos;
        },
        Seconds(5)));
    EXPECT_TRUE(AllFollow(world));
  }
  EXPECT_EQ(Served(world, "after-the-lie"), "done");
  world.controller().Kill();
  world.controller().StartAgain();
  EXPECT_TRUE(AllFollow(world)) << "after a restart of the controller";
  EXPECT_EQ(Served(world, "after-the-restart"), "done");
}

TEST(EpochTest, AbsurdEpochsOnAllDisksHealByThemselves) {
  SmallWorld world(SmallRegionPlan());
  ASSERT_TRUE(world.AwaitReady());
  ASSERT_TRUE(Eventually(
      [&] { return std::filesystem::exists(world.StateDir("paris-0") + "/router-paris-0.state"); }));
  world.controller().Kill();
  DaemonProcess& router = world.router("paris-0");
  router.Kill();
  Poison<v1::ControllerState>(world.StateDir("controller") + "/controller.state", "controller",
                              [](v1::ControllerState& state) { state.set_epoch(kAbsurd + 1); });
  Poison<v1::RouterState>(world.StateDir("paris-0") + "/router-paris-0.state", "router",
                          [](v1::RouterState& state) {
                            state.set_epoch_seen_max(kAbsurd + 1);
                            state.mutable_table()->set_epoch(kAbsurd + 1);
                          });
  router.StartAgain();
  world.controller().StartAgain();
  EXPECT_TRUE(AllFollow(world)) << router.Log();
  EXPECT_EQ(Served(world, "healed"), "done");
}

}  // namespace
}  // namespace ringway::live
