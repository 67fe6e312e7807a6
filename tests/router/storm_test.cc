// The failure of retries-as-polling, reproduced with real processes, and cured by settings alone.
//
// Two routers share four workers that take one job at a time. A spike of three times their capacity comes.
// Without delay, backoff and budget every waiting job asks the workers again and again, as fast as they
// refuse; with the defaults the same fleet makes a few offers for each job and serves as much.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/open_loop.h"

namespace ringway::live {
namespace {

constexpr char kWorld[] = R"(apiVersion: ringway/v1
kind: World
metadata: {name: storm}
spec:
  regions:
    - {name: home, coordinates: {latitudeDeg: 50, longitudeDeg: 8}, utcOffset: "+01:00"}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: animate}
spec:
  serviceMean: 100ms
  deadline: 1500ms
  metrics: [{name: busy, capacityPer: worker}]
  rings: [{name: home, rttMsMax: 10}]
  regions: [{region: home, workers: 4}]
  dispatch:
)";

constexpr char kNoCure[] = R"(    attemptsMax: 10000
    delay: {shareMax: 0}
    backoff: {base: 0s}
    retryBudget: {share: 1000, floorPerSecond: 1000000}
)";

// The shortest backoff that is in proportion to so short a job.
constexpr char kCure[] = R"(    delay: {shareMax: 1, span: 100ms}
    backoff: {base: 10ms, capOfService: 0.5}
    retryBudget: {share: 4, floorPerSecond: 20}
)";

Tally Spike(const char* dispatch) {
  ScratchFolder folder;
  const std::string topology = folder.File("storm.yaml");
  std::ofstream(topology) << kWorld << dispatch;
  std::vector<std::unique_ptr<DaemonProcess>> workers;
  std::vector<std::string> beside;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "w" + std::to_string(i);
    workers.push_back(std::make_unique<DaemonProcess>(
        folder, DaemonSpec{.program = "ringway-worker",
                           .name = name,
                           .arguments = {"--name", name, "--tier", "animate", "--region", "home",
                                         "--service-mean", "0.1", "--seed", std::to_string(i + 1)}}));
    beside.push_back("--worker");
    beside.push_back(workers.back()->grpc());
  }
  std::vector<std::unique_ptr<DaemonProcess>> routers;
  Load load;
  load.tier = "animate";
  load.rps = 120;
  load.span = absl::Seconds(2);
  for (const std::string name : {"r1", "r2"}) {
    std::vector<std::string> arguments = {"--name", name, "--region", "home", "--topology", topology};
    arguments.insert(arguments.end(), beside.begin(), beside.end());
    routers.push_back(std::make_unique<DaemonProcess>(
        folder, DaemonSpec{.program = "ringway-router", .name = name, .arguments = std::move(arguments)}));
    load.routers.push_back(routers.back()->grpc());
    EXPECT_TRUE(Eventually([&] {
      return MetricValue(routers.back()->http(), "ringway_router_workers{tier=\"animate\"}") == 4;
    })) << routers.back()->Log();
  }
  OpenLoop loop(load);
  loop.Start();
  return Count(loop.Finish());
}

TEST(RetryStorm, ReproducedAndCured) {
  const Tally naive = Spike(kNoCure);
  const Tally cured = Spike(kCure);
  std::printf("no delay, no backoff, no budget: %6.1f attempts per job, %3zu of %zu served\n",
              naive.attempts_per_job(), naive.done, naive.jobs);
  std::printf("delay, backoff and budget:       %6.1f attempts per job, %3zu of %zu served\n",
              cured.attempts_per_job(), cured.done, cured.jobs);
  EXPECT_GT(naive.attempts_per_job(), 5 * cured.attempts_per_job()) << "the storm";
  // The budget's floor adds one; a worker that falls free asks both routers, and that offer costs no token.
  EXPECT_LE(cured.attempts_per_job(), 1 + 4 + 1 + 1) << "the budget's bound";
  EXPECT_GT(cured.done, naive.done / 2) << "the cure serves";
}

}  // namespace
}  // namespace ringway::live
