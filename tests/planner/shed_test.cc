// When a table refuses requests, and how fast it stops: what users who try again make of a late shed share.
#include <algorithm>
#include <cmath>
#include <vector>

#include "controller/planner/estimate.h"
#include "core/rng.h"
#include "gtest/gtest.h"
#include "tests/planner/small_fleet.h"

namespace ringway::planner {
namespace {

double ShedShare(const TierTable& table, std::size_t region, Priority priority = 0) {
  return table.at(priority, RegionId(region)).shed_fraction;
}

TEST(Shed, OnlyWhatIsAboveTheShedLevelIsRefused) {
  struct Step {
    double demand_rps, level, shed_share;
  };
  for (const Step& step : {Step{150, 1.5, 0}, Step{200, 2, 0}, Step{400, 2, 0.5}, Step{1600, 2, 0.875}}) {
    SmallFleet fleet({step.demand_rps, step.demand_rps});
    fleet.tier->guard.shed_above = 2;
    const Plan plan = fleet.Solve();
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(plan.facts.planned_load[RegionId(r)], step.level, 1e-6) << step.demand_rps;
      EXPECT_NEAR(ShedShare(plan.table, r), step.shed_share, 1e-6) << step.demand_rps;
    }
  }
}

TEST(Shed, BelowTheShedLevelTheOverloadIsStillLevelled) {
  SmallFleet fleet({240, 60});
  fleet.tier->guard.shed_above = 2;
  const Plan plan = fleet.Solve();
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 90, 1e-4);
  for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(plan.facts.planned_load[RegionId(r)], 1.5, 1e-6);
}

// Users of a region without workers: what the others may import is all that they get.
TEST(Shed, ARegionOfUsersAloneIsNotShedEarlier) {
  SmallFleet fleet({0, 300});
  fleet.provisioned(1).workers = 0;
  fleet.region(1).usable_share = 0;
  fleet.region(1).load_cost = 0;
  fleet.tier->guard.shed_above = 2;
  EXPECT_NEAR(ShedShare(fleet.Solve().table, 1), 1.0 / 3, 1e-6);
}

// Where no line keeps the important first, or would stop at a reserve, the table refuses down to full.
TEST(Shed, TheTableDecidesWhereNoLineCan) {
  struct Case {
    const char* what;
    DispatchMode mode;
    std::size_t priorities;
    double reserve_share;
    double level;
  };
  for (const Case& c :
       {Case{"ledger", DispatchMode::kLedger, 2, 0, 2}, Case{"one", DispatchMode::kProbe, 1, 0, 2},
        Case{"probe", DispatchMode::kProbe, 2, 0, 1}, Case{"reserve", DispatchMode::kLedger, 1, 0.25, 1}}) {
    SmallFleet fleet({300});
    fleet.tier->guard.shed_above = 2;
    fleet.tier->dispatch.mode = c.mode;
    fleet.tier->priorities.resize(c.priorities);
    fleet.provisioned(0).reserve_share = c.reserve_share;
    fleet.region(0).usable_share = 1 - c.reserve_share;
    const Plan plan = fleet.Solve();
    EXPECT_NEAR(plan.facts.planned_load[RegionId(0)], c.level * (1 - c.reserve_share), 1e-6) << c.what;
  }
}

TEST(Shed, NobodyIsRefusedForTheSakeOfDamping) {
  SmallFleet fleet({1900, 10});
  fleet.Forbid(0, 1);
  fleet.tier->guard.shed_above = 2;
  fleet.PutInForce(fleet.Solve().table);
  EXPECT_GT(ShedShare(*fleet.snapshot.previous, 0), 0.89);
  // Much less demand: all of it is let in at once, though a row may move by a fifth only.
  fleet.region(0).demand_rps[0] = 90;
  EXPECT_EQ(ShedShare(fleet.Solve().table, 0), 0);
  // A little less demand: half a point of the row is a twentieth of all that it lets in.
  fleet.region(0).demand_rps[0] = 1800;
  EXPECT_NEAR(ShedShare(fleet.Solve().table, 0), 1 - 200.0 / 1800, 1e-6);
}

TEST(Shed, ReadmittingDoesNotHurryTheRestOfTheRow) {
  SmallFleet fleet({100, 0});
  fleet.tier->guard.shed_above = 2;
  TierTable table = HomeTable(TierId(0), 2, 1);
  table.at(0, RegionId(0)) = {{{.target = RegionId(0), .fraction = 0.9}}, 0.1};
  fleet.PutInForce(table);
  fleet.tier->guard.step_max = 0.05;
  const Plan plan = fleet.Solve();  // wants 20 of 100 away and none refused: 0.2 to go, 0.1 of it readmitted
  EXPECT_NEAR(fleet.Sent(plan.table, 0, 1), 15, 1e-6);
  EXPECT_NEAR(ShedShare(plan.table, 0), 0.025, 1e-6);
}

// One region under the production estimates and planner, its users impatient: who is refused, by the table or
// by the line, comes back after a second with probability `again`. Reports are a second old.
struct Storm {
  double rho = 0.95;
  double again = 0.9;
  double factor = 3;
  int fault_s = 30;
  double noise = 0.03;
};

// The least share of the capacity, or of the offered load if that is less, that was served over any five
// seconds, from five seconds after the trouble on: so long a report, counts that tell, and a table may take.
double WorstServed(const Storm& storm, double shed_above, std::uint64_t seed) {
  constexpr double kCapacityRps = 100;
  SmallFleet fleet({0});
  fleet.tier->guard = GuardSpec{};
  fleet.tier->guard.shed_above = shed_above;
  RegionEstimate estimate(RegionId(0), fleet.tier);
  Rng rng(seed);
  std::vector<Finding> findings;
  std::vector<double> shares;
  double refused = 0, reported = 0, shed = 0;
  for (int t = 0; t < storm.fault_s + 90; ++t) {
    const double first = kCapacityRps * storm.rho * (t >= 20 && t < 20 + storm.fault_s ? storm.factor : 1);
    const double offered = std::max(0.0, (first + storm.again * refused) * (1 + storm.noise * rng.Normal()));
    const double served = std::min(kCapacityRps, offered * (1 - shed));
    refused = offered - served;
    if (t >= 25 + storm.fault_s) shares.push_back(served / std::min(kCapacityRps, offered));
    const Time now = UnixEpoch() + Seconds(t);
    // Its jobs take a second each, so as many end in a second as workers are busy.
    estimate.Count({.at = now,
                    .seconds = 1,
                    .entered = {std::exchange(reported, offered)},
                    .ended = served,
                    .busy_s = served,
                    .alive = kCapacityRps},
                   findings);
    fleet.region(0) = estimate.Load(now);
    fleet.PutInForce(fleet.Solve().table);
    shed = ShedShare(*fleet.snapshot.previous, 0);
  }
  double worst = 1;
  for (std::size_t i = 0; i + 5 <= shares.size(); ++i) {
    double sum = 0;
    for (std::size_t k = i; k < i + 5; ++k) sum += shares[k] / 5;
    worst = std::min(worst, sum);
  }
  return worst;
}

TEST(ShedProperty, UsersWhoComeAgainIdleNoGpuOnceTheTroubleIsOver) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed, 4);
    const Storm storm{.rho = 0.5 + 0.48 * rng.Uniform(),
                      .again = 0.95 * rng.Uniform(),
                      .factor = 1 + 9 * rng.Uniform(),
                      .fault_s = 5 + static_cast<int>(rng.Below(60)),
                      .noise = 0.05 * rng.Uniform()};
    EXPECT_GE(WorstServed(storm, GuardSpec{}.shed_above, seed), 0.98)
        << "seed " << seed << " rho " << storm.rho << " again " << storm.again << " x" << storm.factor;
  }
}

// The same table with nothing on top of full: late, and therefore empty GPUs.
TEST(ShedProperty, AShedDownToFullIdlesGpus) { EXPECT_LT(WorstServed({}, 1, 1), 0.9); }

}  // namespace
}  // namespace ringway::planner
