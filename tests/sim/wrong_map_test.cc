// A map whose round trips are wrong, in the whole simulator: measured, and gone by, within seconds.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::wrong_map_test {
namespace {

const TierId kTier(0);
const RegionId kHot(0), kNearOnPaper(1), kNear(2);

// Where the jobs that left the hot region were served.
class AwayWatch : public Observer {
 public:
  AwayWatch(double from_s, double to_s) : from_s_(from_s), to_s_(to_s) {}
  void OnEnded(Time now, const Ending& ending) override {
    const double at_s = ToDoubleSeconds(now - UnixEpoch());
    if (at_s < from_s_ || at_s >= to_s_ || ending.region != kHot || ending.outcome != Outcome::kDone) return;
    on_paper += ending.served_in == kNearOnPaper;
    in_truth += ending.served_in == kNear;
  }
  double share_on_paper() const { return on_paper / (on_paper + in_truth); }
  double on_paper = 0, in_truth = 0;

 private:
  double from_s_, to_s_;
};

constexpr double kKnownAtS = 60;  // five answers, a report, ten seconds of gathering, a table
constexpr double kEndS = 180;

// Three regions; the map says 20 and 80 ms from the hot one, the truth is 420 and 80. Either has room.
std::shared_ptr<const Scenario> Make(std::uint64_t seed) {
  Fleet fleet = LineFleet(3, 20);
  for (const auto& [from, to] : {std::pair(kHot, kNear), std::pair(kNear, kHot)})
    fleet.world.rtt.Set(from, to, 80);
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->duration_s = kEndS;
  scenario->warmup_s = 5;
  scenario->routers_per_region = 2;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  for (const double load : {1.0, 0.4, 0.4}) {
    const RegionId region(scenario->demand.size());
    scenario->demand.push_back({.tier = kTier, .region = region, .law = PoissonArrivals{20 * load}});
  }
  scenario->steps.push_back({.at_s = 0, .lasts_s = kEndS, .fault = ExtraDelay{{kHot}, {kNearOnPaper}, 400}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

TEST(WrongMap, JobsLeaveForTheRegionThatIsNear) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Simulation run(Make(seed));
    AwayWatch early(5, 20), late(kKnownAtS, kEndS);
    run.Watch(&early);
    run.Watch(&late);
    run.Run();
    for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
    EXPECT_GT(early.share_on_paper(), 0.25) << "seed " << seed << ": before anything is measured";
    EXPECT_LT(late.share_on_paper(), 0.05) << "seed " << seed;
    EXPECT_GT(late.in_truth, 200) << "seed " << seed;
    // A median of a few dozen that the network makes longer, none shorter.
    EXPECT_NEAR(run.control().machine().fleet()->world.rtt.ms(kHot, kNearOnPaper), 420, 42);
    EXPECT_EQ(run.control().machine().fleet()->world.rtt.ms(kHot, kNear), 80);
  }
}

}  // namespace
}  // namespace ringway::sim::wrong_map_test
