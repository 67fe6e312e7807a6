// A controller that knows nothing yet, or hears rarely, must not make routers refuse what their workers could
// do.
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

int Served(v1::Ingress::Stub& door, int jobs, const std::string& name) {
  int done = 0;
  for (int i = 0; i < jobs; ++i) {
    const auto answer = JobCall::ToRouter(door).Send(Header(kTier, absl::StrCat(name, "-", i))).Await();
    done += answer.outcome() == "done";
    if (answer.outcome() != "done") std::printf("%s: %s\n", name.c_str(), answer.end.message().c_str());
  }
  return done;
}

bool HoldsATable(DaemonProcess& router) {
  return Eventually(
      [&] { return MetricValue(router.http(), "ringway_router_table_version").value_or(0) > 0; });
}

// Both periods are longer than staleAfter, as a fleet of many routers might want them.
TEST(IgnoranceTest, AnIdleFleetServesWhenReportsAreRarerThanStaleAfter) {
  SmallWorld world({.regions = {{"paris", 1, 2}},
                    .service_mean_s = 0.02,
                    .controller_flags = {"--epoch-period", "1500ms", "--report-period", "1500ms"},
                    .guard = "{staleAfter: 500ms, missingAfter: 2s}"});
  ASSERT_TRUE(HoldsATable(world.router("paris-0")));
  const auto door = world.Door("paris-0");
  // Over several epochs, so that stale and fresh moments are met.
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    done += Served(*door, 1, absl::StrCat("rare-", i));
    absl::SleepFor(Milliseconds(350));
  }
  EXPECT_EQ(done, 10);
}

TEST(IgnoranceTest, AControllerThatStartsLongBeforeItsWorkersRefusesNobody) {
  ScratchFolder folder;
  const std::string topology = folder.File("world.yaml");
  std::ofstream(topology) << R"(apiVersion: ringway/v1
kind: World
metadata: {name: early}
spec:
  regions:
    - {name: paris, coordinates: {latitudeDeg: 1, longitudeDeg: 1}}
  rtt: {matrixMs: [[1]]}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: animate}
spec:
  serviceMean: 0.02s
  deadline: 10s
  metrics:
    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker}
  overloadThreshold: 0.9
  rings:
    - {name: all, rttMsMax: 1000, unlockLoad: 0}
  regions:
    - {region: paris, workers: 1}
)";
  DaemonProcess controller(folder, {"ringway-controller",
                                    "controller",
                                    {"--topology", topology, "--state-dir", folder.File("c"),
                                     "--epoch-period", "100ms", "--report-period", "100ms"}});
  DaemonProcess worker(folder,
                       {"ringway-worker",
                        "w",
                        {"--name", "w", "--tier", kTier, "--region", "paris", "--service-mean", "0.02"}});
  worker.Kill();  // its port is known, nobody is there
  DaemonProcess router(folder,
                       {.program = "ringway-router",
                        .name = "r",
                        .arguments = {"--name", "r", "--region", "paris", "--state-dir", folder.File("r"),
                                      "--controller", controller.grpc(), "--worker", worker.grpc()},
                        .await_ready = false});
  // Fifty epochs in which every region has reported, and no worker.
  ASSERT_TRUE(HoldsATable(router));
  ASSERT_TRUE(Eventually([&] {
    return MetricValue(controller.http(), "ringway_controller_plans_total").value_or(0) > 50;
  })) << HttpGet(controller.http(), "/metrics")->body;
  worker.StartAgain();
  const auto door = v1::Ingress::NewStub(runtime::MakeChannel(router.grpc()));
  EXPECT_EQ(Served(*door, 10, "early"), 10);
}

}  // namespace
}  // namespace ringway::live
