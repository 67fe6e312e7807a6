// Kill a worker in the middle of a job: once elsewhere, or a clear error; never done twice.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

class WorkerKillTest : public ::testing::Test {
 protected:
  // The worker that runs something now; empty: none.
  std::string Busy() {
    for (const auto& [name, worker] : world_.workers()) {
      if (worker->running() && MetricValue(worker->http(), "ringway_worker_busy") == 1) return name;
    }
    return "";
  }
  // Sends one job, kills the worker that runs it, and returns how that ended.
  JobAnswer KillUnder(const v1::JobHeader& header) {
    const auto door = world_.Door("oslo-0");
    JobCall call = JobCall::ToRouter(*door);
    call.Send(header, "picture");
    EXPECT_TRUE(call.AwaitStep(2)) << "no worker has started the job";
    killed_ = Busy();
    EXPECT_THAT(killed_, Not(IsEmpty()));
    world_.worker(killed_).Kill();
    return call.Await();
  }
  SmallWorld world_{{.regions = {{"oslo", 1, 3}}, .service_mean_s = 1, .controlled = false}};
  std::string killed_;
};

TEST_F(WorkerKillTest, AJobWithAKeyRunsOnceMoreElsewhere) {
  ASSERT_TRUE(world_.AwaitReady());
  v1::JobHeader header = Header(kTier, "keyed");
  header.set_idempotency_key("order-66");
  const JobAnswer answer = KillUnder(header);
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message() << answer.status.error_message();
  EXPECT_NE(answer.end.trace().worker(), killed_);
  EXPECT_EQ(answer.end.trace().offers(), 2u);
  EXPECT_EQ(world_.Completions("keyed"), 1);
}

TEST_F(WorkerKillTest, AJobWithoutAKeyFailsWithAClearErrorAndIsNotRepeated) {
  ASSERT_TRUE(world_.AwaitReady());
  const JobAnswer answer = KillUnder(Header(kTier, "unkeyed"));
  EXPECT_EQ(answer.outcome(), "failed");
  EXPECT_THAT(answer.end.message(), Not(IsEmpty()));
  EXPECT_EQ(answer.end.trace().offers(), 1u);
  EXPECT_EQ(world_.Completions("unkeyed"), 0);
  std::printf("a job without a key whose worker died: %s\n", answer.end.message().c_str());
}

TEST_F(WorkerKillTest, UnderLoadNoJobIsDoneTwice) {
  ASSERT_TRUE(world_.AwaitReady());
  OpenLoop load(
      {.routers = world_.Doors("oslo"), .tier = kTier, .rps = 1.8, .span = Seconds(10), .keyed = true});
  load.Start();
  for (int kills = 0; kills < 2; ++kills) {
    ASSERT_TRUE(Eventually([&] { return load.sent() >= std::size_t{5} * (kills + 1) && !Busy().empty(); }));
    const std::string name = Busy();
    if (name.empty()) continue;
    world_.worker(name).Kill();
    world_.worker(name).StartAgain();
  }
  const std::vector<JobRecord> records = load.Finish();
  for (const JobRecord& record : records) {
    EXPECT_EQ(world_.Completions(record.request_id), record.done() ? 1 : 0) << record.request_id;
    EXPECT_TRUE(record.done() || !record.problem.empty()) << record.request_id;
  }
  const Tally tally = Count(records);
  std::printf("workers killed mid-job, jobs with keys: %zu of %zu done\n", tally.done, tally.jobs);
  EXPECT_GE(tally.done + 2, tally.jobs) << Failures(records);
}

}  // namespace
}  // namespace ringway::live
