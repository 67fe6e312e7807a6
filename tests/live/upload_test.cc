// Clients that begin uploads and do not finish them, over real sockets: they must not keep the others out.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

constexpr int kJobsMax = 64;

WorldPlan Plan(std::vector<std::string> router_flags) {
  router_flags.insert(router_flags.end(), {"--jobs-max", absl::StrCat(kJobsMax)});
  return {.regions = {{"oslo", 1, 1}},
          .service_mean_s = 0.01,
          .router_flags = std::move(router_flags),
          .controlled = false};
}

// Headers of jobs with a week's deadline, on one connection, and nothing more.
std::vector<JobCall> Begin(v1::Ingress::Stub& door, int count) {
  std::vector<JobCall> calls;
  for (int i = 0; i < count; ++i) {
    v1::JobHeader header = Header(kTier, absl::StrCat("hog-", i));
    header.set_deadline_s(7 * 24 * 3600);
    calls.push_back(JobCall::ToRouter(door, Minutes(3)));
    calls.back().SendHeader(header);
  }
  return calls;
}

std::string OutcomeOfAWholeJob(SmallWorld& world) {
  return JobCall::ToRouter(*world.Door("oslo-0")).Send(Header(kTier, "whole"), "picture").Await().outcome();
}

bool IsFull(SmallWorld& world) {
  return MetricValue(world.router("oslo-0").http(), "ringway_router_calls").value_or(0) >= kJobsMax;
}

TEST(UploadTest, HeadersWithoutPayloadsDoNotFillARouter) {
  SmallWorld world(Plan({"--upload-idle-secs", "3", "--upload-secs", "3", "--uploads-late-max", "1000"}));
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  std::vector<JobCall> hogs = Begin(*door, kJobsMax);
  ASSERT_TRUE(Eventually([&] { return IsFull(world); })) << "the test did not fill the router";
  EXPECT_TRUE(Eventually([&] { return OutcomeOfAWholeJob(world) == "done"; }))
      << "a client that sends nothing keeps all others out";
  for (JobCall& hog : hogs) {
    const JobAnswer answer = hog.Await();
    EXPECT_EQ(answer.outcome(), "timeout");
    EXPECT_THAT(answer.end.message(), HasSubstr("--upload"));
  }
}

TEST(UploadTest, ATrickleIsNoUpload) {
  SmallWorld world(Plan({"--upload-secs", "3"}));
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  std::vector<JobCall> hogs = Begin(*door, 1);
  const Time until = absl::Now() + Seconds(30);
  const auto jobs = [&] { return MetricValue(world.router("oslo-0").http(), "ringway_router_calls"); };
  ASSERT_TRUE(Eventually([&] { return jobs() == 1; }));
  while (jobs() != 0 && absl::Now() < until) {
    hogs[0].SendChunk("x");
    absl::SleepFor(Milliseconds(100));
  }
  EXPECT_LT(absl::Now(), until) << "an upload lasts as long as its deadline";
  EXPECT_THAT(hogs[0].Await().end.message(), HasSubstr("--upload-secs"));
}

TEST(UploadTest, AClientHasOnlySoManyLateUploads) {
  constexpr int kLateMax = 8;
  SmallWorld world(Plan({"--uploads-late-max", absl::StrCat(kLateMax)}));
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  std::vector<JobCall> hogs = Begin(*door, kJobsMax);
  ASSERT_TRUE(Eventually([&] { return IsFull(world); })) << "the test did not fill the router";
  ASSERT_TRUE(Eventually([&] {
    return MetricValue(world.router("oslo-0").http(), "ringway_router_calls") == kLateMax;
  })) << "one client's unfinished uploads hold more places than it may have";
  EXPECT_EQ(OutcomeOfAWholeJob(world), "done");
  // Late is not lost: the ones that stayed may still finish.
  int done = 0, shed = 0;
  for (JobCall& hog : hogs) hog.SendChunk("picture").EndUpload();
  for (JobCall& hog : hogs) {
    const JobAnswer answer = hog.Await();
    done += answer.outcome() == "done";
    shed += answer.outcome() == "shed";
    if (answer.outcome() == "shed") {
      EXPECT_THAT(answer.end.message(), HasSubstr("--uploads-late-max"));
    }
  }
  EXPECT_EQ(done, kLateMax);
  EXPECT_EQ(shed, kJobsMax - kLateMax);
}

}  // namespace
}  // namespace ringway::live
