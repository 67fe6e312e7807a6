// A worker that is stopped (SIGSTOP) takes connections and says nothing. No job waits for it until its own
// deadline: it is left alone after the first offer that it did not answer, and asked again later.
#include <algorithm>
#include <csignal>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

// As many jobs at a time as there are workers, so that each is asked.
std::vector<JobAnswer> ThreeAtOnce(v1::Ingress::Stub& door) {
  std::vector<JobCall> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(JobCall::ToRouter(door));
    calls.back().Send(Header(kTier, "job"), "picture");
  }
  std::vector<JobAnswer> answers;
  for (JobCall& call : calls) answers.push_back(call.Await());
  return answers;
}

TEST(HungWorkerTest, JobsGoToTheOthersAndItComesBackByItself) {
  SmallWorld world({.regions = {{"oslo", 1, 3}},
                    .service_mean_s = 0.05,
                    .deadline = "30s",
                    .router_flags = {"--offer-limit-secs", "0.5"},
                    .controlled = false});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  world.worker("oslo-0-w1").Signal(SIGSTOP);
  const Time began = absl::Now();
  for (int i = 0; i < 10; ++i) {
    for (const JobAnswer& answer : ThreeAtOnce(*door)) {
      ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
      EXPECT_NE(answer.end.trace().worker(), "oslo-0-w1");
    }
  }
  const Duration took = absl::Now() - began;
  const std::string timeouts = "ringway_router_offers_total{result=\"timeout\"}";
  EXPECT_GE(MetricValue(world.router("oslo-0").http(), timeouts).value_or(0), 1) << "it was asked";
  // Without isolation each of the ten turns would lose half a second at it.
  EXPECT_LT(took, Seconds(4));
  world.worker("oslo-0-w1").Signal(SIGCONT);
  EXPECT_TRUE(Eventually([&] {
    const std::vector<JobAnswer> answers = ThreeAtOnce(*door);
    return std::any_of(answers.begin(), answers.end(),
                       [](const JobAnswer& a) { return a.end.trace().worker() == "oslo-0-w1"; });
  })) << "it never got a job again";
}

}  // namespace
}  // namespace ringway::live
