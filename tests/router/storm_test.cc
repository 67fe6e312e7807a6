// The failure of retries-as-polling, reproduced with real processes, and cured by settings alone.
//
// Two routers share two workers that take one job at a time. A spike of three times their capacity comes.
// Without delay, backoff and budget every waiting job asks the workers again and again, as fast as they
// refuse; with the defaults the same fleet makes a few offers for each job and serves as much. How fast they
// refuse depends on the machine, so the jobs are few and wait long: even one busy core then makes a storm.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "absl/time/clock.h"
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
  deadline: 3s
  metrics: [{name: busy, capacityPer: worker}]
  rings: [{name: home, rttMsMax: 10}]
  regions: [{region: home, workers: 2}]
  dispatch:
)";

constexpr char kNoCure[] = R"(    offersMax: 10000
    delay: {shareMax: 0}
    backoff: {base: 0s}
    retryBudget: {share: 1000, floorPerSecond: 1000000}
)";

// The shortest backoff that is in proportion to so short a job.
constexpr char kCure[] = R"(    delay: {shareMax: 1, span: 100ms}
    backoff: {base: 10ms, capOfService: 0.5}
    retryBudget: {share: 4, floorPerSecond: 20}
)";

struct SpikeReport {
  Tally jobs;
  double took_s = 0;
};

// What router/dispatch/retry_budget.h promises of kCure for both routers: share and floor, the floor's
// bucket full at the start. A worker that falls free asks both routers, and those offers cost no token.
double AttemptsMaxOfCure(const SpikeReport& spike) {
  constexpr double kShare = 4, kFloorPerSecond = 20, kFloorFull = 2 * kFloorPerSecond;
  constexpr int kRouters = 2;
  const auto jobs = static_cast<double>(spike.jobs.jobs);
  const double free_offers = kRouters * static_cast<double>(spike.jobs.done);
  return 1 + kShare + (kRouters * (kFloorPerSecond * spike.took_s + kFloorFull) + free_offers) / jobs;
}

SpikeReport Spike(const char* dispatch) {
  ScratchFolder folder;
  const std::string topology = folder.File("storm.yaml");
  std::ofstream(topology) << kWorld << dispatch;
  std::vector<std::unique_ptr<DaemonProcess>> workers;
  std::vector<std::string> local;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "w" + std::to_string(i);
    workers.push_back(std::make_unique<DaemonProcess>(
        folder, DaemonSpec{.program = "ringway-worker",
                           .name = name,
                           .arguments = {"--name", name, "--tier", "animate", "--region", "home",
                                         "--service-mean", "0.1", "--seed", std::to_string(i + 1)}}));
    local.push_back("--worker");
    local.push_back(workers.back()->grpc());
  }
  std::vector<std::unique_ptr<DaemonProcess>> routers;
  Load load;
  load.tier = "animate";
  load.rps = 60;
  load.span = Seconds(2);
  for (const std::string name : {"r1", "r2"}) {
    std::vector<std::string> arguments = {"--name", name, "--region", "home", "--topology", topology};
    arguments.insert(arguments.end(), local.begin(), local.end());
    routers.push_back(std::make_unique<DaemonProcess>(
        folder, DaemonSpec{.program = "ringway-router", .name = name, .arguments = std::move(arguments)}));
    load.routers.push_back(routers.back()->grpc());
    EXPECT_TRUE(Eventually([&] {
      return MetricValue(routers.back()->http(), "ringway_router_workers{tier=\"animate\"}") == 2;
    })) << routers.back()->Log();
  }
  OpenLoop loop(load);
  const Time began = absl::Now();
  loop.Start();
  const Tally jobs = Count(loop.Finish());
  return {jobs, ToDoubleSeconds(absl::Now() - began)};
}

TEST(RetryStorm, ReproducedAndCured) {
  const SpikeReport naive = Spike(kNoCure);
  const SpikeReport cured = Spike(kCure);
  std::printf("no delay, no backoff, no budget: %6.1f attempts per job, %3zu of %zu served\n",
              naive.jobs.attempts_per_job(), naive.jobs.done, naive.jobs.jobs);
  std::printf("delay, backoff and budget:       %6.1f attempts per job, %3zu of %zu served, at most %.1f\n",
              cured.jobs.attempts_per_job(), cured.jobs.done, cured.jobs.jobs, AttemptsMaxOfCure(cured));
  EXPECT_GT(naive.jobs.attempts_per_job(), 5 * cured.jobs.attempts_per_job()) << "the storm";
  EXPECT_LE(cured.jobs.attempts_per_job(), AttemptsMaxOfCure(cured)) << "the budget's bound";
  EXPECT_GT(cured.jobs.done, naive.jobs.done / 2) << "the cure serves";
}

}  // namespace
}  // namespace ringway::live
