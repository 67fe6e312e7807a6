// How full regions are planned by size, against a queue that is played job by job.
#include "controller/planner/ceiling.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

TEST(Ceiling, OfSomeSizes) {
  struct Size {
    int workers;
    double ceiling;
  };
  for (const Size& size :
       {Size{1, .324}, Size{3, .68}, Size{5, .78}, Size{10, .88}, Size{20, .93}, Size{50, .97}}) {
    EXPECT_NEAR(CeilingOf(size.workers, 0.3), size.ceiling, 0.006) << size.workers;
  }
  EXPECT_EQ(CeilingOf(3, 0), 1) << "no limit";
  for (int n = 1; n < 512; ++n) EXPECT_GT(CeilingOf(n + 1, 0.3), CeilingOf(n, 0.3)) << n;
}

// The same number to the last bit, whichever way it was found.
TEST(Ceiling, ALowerCapIsTakenWithoutTheCeiling) {
  Rng rng(5);
  for (const double wait_max : {0.0, 0.05, 0.3, 2.0}) {
    for (int i = 0; i < 300; ++i) {
      const int workers = 1 + static_cast<int>(rng.Below(512));
      const double ceiling = CeilingOf(workers, wait_max);
      const double near = ceiling + (rng.Uniform() - 0.5) * 1e-5;
      for (const double cap : {rng.Uniform(), near, ceiling, 0.95, 1.0, 1.2}) {
        Ceilings ceilings(wait_max);
        ASSERT_EQ(ceilings.Of(workers, cap), std::min(cap, ceiling)) << workers << " at " << cap;
        ASSERT_EQ(ceilings.Of(workers), ceiling);
        ASSERT_EQ(ceilings.Of(workers, cap), std::min(cap, ceiling)) << "known by now";
      }
    }
  }
}

// Poisson arrivals, log-normal service of mean 1 and CV .5: one after the other to the worker that is free
// first.
TEST(Ceiling, AQueueFilledToItWaitsThatLong) {
  for (const int workers : {2, 5, 10, 20}) {
    const double rho = CeilingOf(workers, 0.3);
    Rng arrivals(1, 1), service(1, 2);
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (int w = 0; w < workers; ++w) free.push(0);
    double now = 0, waited = 0;
    constexpr int kJobs = 2'000'000;
    for (int job = 0; job < kJobs; ++job) {
      now += arrivals.Exponential() / (rho * workers);
      const double start = std::max(now, free.top());
      free.pop();
      waited += start - now;
      free.push(start + service.LogNormal(1, 0.5));
    }
    EXPECT_NEAR(waited / kJobs, 0.3, 0.03) << workers << " workers at " << rho;
  }
}

TEST(Ceiling, SmallRegionsAreHotEarlierAndTheThresholdCapsTheLargeOnes) {
  SmallFleet fleet({2.4, 79, 0});
  fleet.provisioned(0).workers = 3;
  fleet.region(0).load_cost = 1.0 / 3;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], 0.68, 0.01) << "80 % of three workers is too much";
  EXPECT_NEAR(plan.facts.planned_load[RegionId(1)] + plan.facts.planned_load[RegionId(2)], 0.79 + 0.0036,
              0.002);
  fleet.region(1).demand_rps[0] = 90;
  EXPECT_NEAR(fleet.Solve().facts.planned_load[RegionId(1)], 0.8, 1e-6) << "the operator's threshold";
  fleet.tier->route.overload_threshold = 1;
  fleet.region(0).demand_rps[0] = 0;
  EXPECT_NEAR(fleet.Solve().facts.planned_load[RegionId(1)], 0.9, 1e-6) << "a hundred carry it";
  // Half of the workers gone: what is left is a smaller region.
  fleet.provisioned(1).workers = 10;
  fleet.region(1) = {.usable_share = 0.3, .load_cost = 0.1, .demand_rps = {5}};
  EXPECT_NEAR(fleet.Solve().facts.planned_load[RegionId(1)], 0.3 * 0.68, 0.003);
}

}  // namespace
}  // namespace ringway::planner
