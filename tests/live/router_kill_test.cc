// Kill a router: the other router of its region takes over.
#include <set>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

// All jobs enter in paris, which has no workers, and are served in oslo through one of its two routers.
TEST(RouterKillTest, TheOtherRouterOfTheRegionTakesOver) {
  SmallWorld world({.regions = {{"paris", 1, 0}, {"oslo", 2, 3}}, .service_mean_s = 0.15});
  ASSERT_TRUE(world.AwaitReady());
  OpenLoop load({.routers = world.Doors("paris"), .tier = kTier, .rps = 12, .span = Seconds(10)});
  load.Start();
  ASSERT_TRUE(Eventually([&] { return load.ended() > 24; }));
  world.router("oslo-0").Kill();
  const Time killed = absl::Now();
  const std::vector<JobRecord> records = load.Finish();

  std::set<std::string> before, after;
  for (const JobRecord& r : Between(records, InfinitePast(), killed)) before.insert(r.end.trace().router());
  const auto late = Between(records, killed + Seconds(1), InfiniteFuture());
  for (const JobRecord& r : late) after.insert(r.end.trace().router());
  EXPECT_TRUE(before.contains("oslo-0") && before.contains("oslo-1")) << "both routers were in use";
  EXPECT_EQ(after, std::set<std::string>{"oslo-1"});

  const Tally settled = Count(late);
  EXPECT_GT(settled.jobs, 50u);
  EXPECT_EQ(settled.done, settled.jobs) << Failures(late);
  // What was in flight at the dead router may be lost, but not silently.
  const Tally all = Count(records);
  for (const JobRecord& r : records) EXPECT_TRUE(r.done() || !r.problem.empty()) << r.request_id;
  EXPECT_LE(all.jobs - all.done, 8u) << Failures(records, 100);
  std::printf("router killed: %zu of %zu jobs done, %zu lost in flight; from 1 s later on %zu of %zu done\n",
              all.done, all.jobs, all.jobs - all.done, settled.done, settled.jobs);
}

}  // namespace
}  // namespace ringway::live
