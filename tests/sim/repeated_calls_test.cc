// Unary calls that come twice or late: asks about keys are performed each time, and answered once.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::repeated_calls_test {
namespace {

// Answers of routers to asks about keys, in a run without faults; who asks is counted apart.
std::uint64_t Answers(const NetworkSpec& network) {
  auto scenario = std::make_shared<Scenario>();
  scenario->duration_s = 60;
  scenario->warmup_s = 5;
  scenario->network = network;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  scenario->users.keyed_share = 1;
  scenario->users.twice_share = 0.5;
  for (const RegionId region : {RegionId(0), RegionId(1)}) {
    scenario->demand.push_back({.tier = TierId(0), .region = region, .law = PoissonArrivals{4}});
  }
  scenario->fleet = std::make_shared<const Fleet>(LineFleet(2, 10));
  Simulation run(scenario);
  run.Run();
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
  EXPECT_GT(run.tally().totals().served(), 300u);
  std::uint64_t answers = 0;
  for (const std::uint64_t count : run.kinds().once_verdicts) answers += count;
  return answers;
}

TEST(RepeatedCalls, ArePerformedTwice) {
  const std::uint64_t once = Answers({});
  const std::uint64_t twice = Answers({.repeat_share = 1});
  EXPECT_GT(twice, once * 3 / 2);
  EXPECT_LT(twice, once * 5 / 2);
}

TEST(RepeatedCalls, AndLateOnesAreStillOneCompletionEach) {
  EXPECT_GT(Answers({.repeat_share = 0.5, .late_share = 0.3}), Answers({}));
}

}  // namespace
}  // namespace ringway::sim::repeated_calls_test
