// A worker whose host's clock was set back while it was down (a bare real-time clock, a virtual machine that
// was resumed): it numbers its announcements from its clock, and is to be heard all the same.
#include <gtest/gtest.h>

#include <memory>

#include "proto/fleet_codec.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/router/fake_controller.h"
#include "tests/router/fake_worker.h"
#include "tests/router/router_fixture.h"

namespace ringway::live {
namespace {

constexpr std::uint64_t kNow = 1'900'000'000'000'000'000;
constexpr std::uint64_t kHour = 3'600'000'000'000;

v1::ControllerMessage DirectoryOf(const DaemonProcess& router, const FakeWorker& worker,
                                  const v1::Hello& hello) {
  v1::ControllerMessage message;
  v1::Directory& directory = *message.mutable_directory();
  directory.set_epoch(5);
  directory.set_version(1);
  v1::RouterEntry& entry = *directory.add_routers();
  entry.set_name("r1");
  entry.set_region("home");
  entry.set_address(router.grpc());
  v1::WorkerEntry& listed = *directory.add_workers();
  listed.set_name("fake");
  listed.set_region("home");
  listed.set_address(worker.address());
  listed.set_tier("animate");
  v1::LeaderEntry& leader = *directory.add_leaders();
  leader.set_tier("animate");
  leader.set_region("home");
  leader.set_router("r1");
  leader.set_leader_epoch(5);
  leader.set_appointment(1);
  leader.set_incarnation(hello.incarnation());
  return message;
}

TEST(ClockBack, AWorkerThatStartsAnewWithAnEarlierClockIsGrantedAtOnce) {
  ScratchFolder folder;
  FakeController controller(5);
  auto worker = std::make_unique<FakeWorker>("animate", kNow);
  const std::string address = worker->address();
  DaemonProcess router(folder, {.program = "ringway-router",
                                .name = "r1",
                                .arguments = {"--name", "r1", "--region", "home", "--controller",
                                              controller.address(), "--worker", address}});
  Fleet fleet = router::SmallFleet();
  fleet.tiers[router::kTier].dispatch.mode = DispatchMode::kLedger;
  v1::ControllerMessage map;
  *map.mutable_fleet_map() = wire::EncodeFleet(fleet);
  controller.Push(map);
  ASSERT_TRUE(Eventually([&] { return !controller.hellos().empty(); }));
  controller.Push(DirectoryOf(router, *worker, controller.hellos().front()));
  const std::string holding = "ringway_router_ledger_holding{tier=\"animate\"}";
  ASSERT_TRUE(Eventually([&] { return MetricValue(router.http(), holding) == 1; })) << router.Log();
  const auto stub = v1::Ingress::NewStub(runtime::MakeChannel(router.grpc()));
  const auto submit = [&] {
    return JobCall::ToRouter(*stub).Send(Header("animate", "job"), "photo").Await();
  };
  ASSERT_TRUE(Eventually([&] { return submit().outcome() == "done"; })) << router.Log();

  worker.reset();
  worker = std::make_unique<FakeWorker>("animate", kNow - kHour, address);
  const std::string idle = "ringway_ledger_slots{state=\"idle\",tier=\"animate\"}";
  EXPECT_TRUE(Eventually([&] { return MetricValue(router.http(), idle) == 1; }, Seconds(10)))
      << "an hour's announcements are ignored";
  const JobAnswer answer = submit();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_GE(worker->jobs(), 1);
}

}  // namespace
}  // namespace ringway::live
