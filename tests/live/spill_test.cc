// A burst at one region, faster than any table: jobs that wait longer than the way to the next region takes
// go there, and the story says so.
#include <vector>

#include "gtest/gtest.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

TEST(SpillTest, ABurstGoesToTheNextRegionBeneathTheTable) {
  SmallWorld world({.regions = {{"oslo", 1, 1}, {"paris", 1, 4}}, .rtt_ms = 20, .service_mean_s = 1});
  ASSERT_TRUE(world.AwaitReady());
  const auto door = world.Door("oslo-0");
  std::vector<JobCall> calls;
  for (int i = 0; i < 5; ++i) {
    calls.push_back(JobCall::ToRouter(*door));
    calls.back().Send(Header(kTier, "burst-" + std::to_string(i)), "picture");
  }
  int spilled = 0;
  for (JobCall& call : calls) {
    const JobAnswer answer = call.Await();
    ASSERT_EQ(answer.outcome(), "done") << answer.end.message();
    if (answer.end.story().reason() != "spill") continue;
    ++spilled;
    EXPECT_EQ(answer.end.story().region(), "paris");
  }
  EXPECT_GE(spilled, 2) << "one worker in oslo, four idle ones 20 ms away";
}

}  // namespace
}  // namespace ringway::live
