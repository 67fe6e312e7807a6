// What a simulated operator and a simulated fleet tell the controller, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::control_plane_test {
namespace {

constexpr std::size_t kWorkersEach = 10;
const RegionId kServing(0), kOrdered(1);

std::shared_ptr<const Scenario> WithSteps(std::vector<ScenarioStep> steps) {
  auto scenario = std::make_shared<Scenario>();
  scenario->duration_s = 150;
  scenario->warmup_s = 5;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  for (const RegionId region : {kServing, kOrdered}) {
    scenario->demand.push_back({.tier = TierId(0), .region = region, .law = PoissonArrivals{3}});
  }
  scenario->steps = std::move(steps);
  scenario->fleet = std::make_shared<const Fleet>(LineFleet(2, kWorkersEach));
  return scenario;
}

double HomeShare(const Simulation& run) {
  double share = 0;
  for (const Route& route : run.control().machine().table()->tiers[TierId(0)].at(0, kOrdered).routes) {
    if (route.target == kOrdered) share += route.fraction;
  }
  return share;
}

// A region that nobody can undrain would stay drained for good.
TEST(ControlPlaneTest, AnOrderThatFoundNoControllerIsGivenWhenItIsBack) {
  Simulation run(WithSteps({{.at_s = 20, .lasts_s = 40, .fault = DrainRegion{.regions = {kOrdered}}},
                            {.at_s = 55, .lasts_s = 20, .fault = KillController{}}}));
  double drained_to = 1;
  run.Run([&](double now_s) {
    if (now_s > 20 && now_s < 54) drained_to = std::min(drained_to, HomeShare(run));
    return true;
  });
  EXPECT_LT(drained_to, 0.5) << "it was drained";
  EXPECT_GT(HomeShare(run), 0.9);
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
}

TEST(ControlPlaneTest, FrozenMetricsDoNotHideWhichWorkersLive) {
  Simulation run(WithSteps({{.at_s = 20, .lasts_s = 120, .fault = FreezeMetrics{{kOrdered}}},
                            {.at_s = 30, .lasts_s = 20, .fault = KillWorkers{{kOrdered}, 0.5}}}));
  std::size_t while_dead = 0, after = 0;
  run.Run([&](double now_s) {
    const std::size_t listed = run.control().machine().directory()->workers[kOrdered].size();
    if (now_s > 40 && now_s < 48) while_dead = listed;
    if (now_s > 60 && now_s < 100) after = listed;
    return true;
  });
  EXPECT_EQ(while_dead, kWorkersEach / 2);
  EXPECT_EQ(after, kWorkersEach);
}

}  // namespace
}  // namespace ringway::sim::control_plane_test
