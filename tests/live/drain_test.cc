// Cancelling and draining, with real processes: what a client's leaving frees, and what SIGTERM finishes.
#include <algorithm>
#include <csignal>

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

// The bounds hold on a quiet machine; a test machine is given this much more.
constexpr Duration kNoise = Milliseconds(400);

v1::JobHeader LongJob(const std::string& id, std::uint32_t steps) {
  v1::JobHeader header = Header(kTier, id);
  header.set_steps(steps);
  return header;
}

TEST(DrainTest, CancellingFreesTheSlotWithinOneStep) {
  SmallWorld world(
      {.regions = {{"oslo", 1, 1}}, .service_mean_s = 2, .deadline = "30s", .controlled = false});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  Duration best = InfiniteDuration();
  for (int i = 0; i < 3; ++i) {
    JobCall call = JobCall::ToRouter(*door);
    call.Send(LongJob("left", 10), "picture");
    ASSERT_TRUE(call.AwaitStep(1));
    const Time left = absl::Now();
    call.Cancel();
    ASSERT_TRUE(Eventually(
        [&] { return MetricValue(world.worker("oslo-0-w0").http(), "ringway_worker_busy") == 0; }));
    best = std::min<Duration>(best, absl::Now() - left);
    EXPECT_EQ(call.Await().status.error_code(), grpc::StatusCode::CANCELLED);
  }
  std::printf("the slot was free %s after the client left (a step takes 200 ms)\n",
              absl::FormatDuration(best).c_str());
  EXPECT_LT(best, Milliseconds(200 + 50) + kNoise);
}

TEST(DrainTest, ARouterThatIsAskedToStopFinishesItsJobAndAdmitsNoOther) {
  SmallWorld world(
      {.regions = {{"oslo", 1, 2}}, .service_mean_s = 2, .deadline = "30s", .controlled = false});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  JobCall call = JobCall::ToRouter(*door);
  call.Send(LongJob("long", 10), "picture");
  ASSERT_TRUE(call.AwaitStep(1));
  world.router("oslo-0").Signal(SIGTERM);
  absl::SleepFor(Milliseconds(100) + kNoise);
  const JobAnswer refused = JobCall::ToRouter(*door).Send(Header(kTier, "late"), "picture").Await();
  EXPECT_NE(refused.outcome(), "done") << "admitted after the drain had begun";
  if (refused.status.ok()) {
    EXPECT_THAT(refused.end.message(), HasSubstr("draining"));
  }
  const JobAnswer answer = call.Await();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message() << answer.status.error_message();
  EXPECT_TRUE(world.router("oslo-0").WaitFor(Seconds(10)).has_value()) << "it does not end";
}

}  // namespace
}  // namespace ringway::live
