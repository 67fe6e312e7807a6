// A new configuration that refuses what the old one served, in the whole simulator: with a canary it is
// caught within seconds and costs no more than the canary's share; without one everybody has it until
// somebody notices.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::canary_test {
namespace {

const TierId kTier(0);
constexpr int kRegions = 4;
constexpr int kWorkers = 20;
constexpr double kShare = 0.1;
constexpr double kLoadedAtS = 60;
constexpr double kEndS = 220;

// Of the jobs that ended after the file was loaded.
class LossWatch : public Observer {
 public:
  void OnEnded(Time now, const Ending& ending) override {
    if (ToDoubleSeconds(now - UnixEpoch()) < kLoadedAtS) return;
    (ending.outcome == Outcome::kDone ? done : lost) += 1;
  }
  double share() const { return lost / (lost + done); }
  double done = 0, lost = 0;
};

// A fleet that needs nine GPUs of ten, whose lines serve all.
Fleet Full() {
  Fleet fleet = LineFleet(kRegions, kWorkers);
  fleet.tiers[kTier].deadline = Seconds(30);
  return fleet;
}

// Somebody means to hold back 5 % of the GPUs and writes half.
Fleet Bad() {
  Fleet fleet = Full();
  for (TierRegion& region : fleet.tiers[kTier].regions) region.reserve_share = 0.5;
  return fleet;
}

// Regions are hot a little earlier, and their overload goes further.
Fleet Good() {
  Fleet fleet = Full();
  fleet.tiers[kTier].route.overload_threshold = 0.75;
  fleet.tiers[kTier].route.isolation = Isolation::kFill;
  return fleet;
}

struct Came {
  double lost = 0;  // share of the jobs since the file was loaded
  double served = 0;
  canary::Phase phase = canary::Phase::kNone;
  double ran_s = 0;  // the canary, until its verdict
};

Came Live(Fleet file, bool canary, std::uint64_t seed, double load = 0.93) {
  Fleet before = Full();
  if (canary) before.canary = file.canary = CanarySpec{.share = kShare, .period = Seconds(60)};
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->duration_s = kEndS;
  scenario->warmup_s = 5;
  scenario->routers_per_region = 10;
  scenario->service.push_back({.law = LogNormalService{1, 0.3}});
  for (std::size_t r = 0; r < kRegions; ++r) {
    scenario->demand.push_back({.tier = kTier,
                                .region = RegionId(r),
                                .law = PoissonArrivals{kWorkers * (r == 0 ? load : load - 0.03)}});
  }
  scenario->fleet = std::make_shared<const Fleet>(std::move(before));
  scenario->steps.push_back(
      {.at_s = kLoadedAtS,
       .fault = LoadTopology{.file = "new", .fleet = std::make_shared<const Fleet>(std::move(file))}});
  Simulation run(std::move(scenario));
  LossWatch watch;
  run.Watch(&watch);
  Came out;
  double began_s = 0;
  run.Run([&](double now_s) {
    const canary::Trial& trial = run.control().machine().trial();
    if (trial.running()) {
      if (began_s == 0) began_s = now_s;
      out.ran_s = now_s - began_s + 1;
    }
    return true;
  });
  for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
  out.lost = watch.share();
  out.served = watch.done;
  out.phase = run.control().machine().trial().state().phase;
  return out;
}

TEST(CanaryTest, ABadFileCostsNoMoreThanTheShareForSeconds) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Came none = Live(Full(), false, seed);
    const Came bare = Live(Bad(), false, seed);
    const Came tried = Live(Bad(), true, seed);
    std::printf("seed %d: lost %.4f by nothing, %.4f by the file, %.4f by its canary, which ran %.0f s\n",
                static_cast<int>(seed), none.lost, bare.lost, tried.lost, tried.ran_s);
    EXPECT_GT(bare.lost, 0.05) << "the file is not bad enough for this test";
    EXPECT_EQ(tried.phase, canary::Phase::kReverted);
    EXPECT_LE(tried.ran_s, 45);
    EXPECT_LE(tried.lost - none.lost, kShare * (bare.lost - none.lost)) << "seed " << seed;
  }
}

TEST(CanaryTest, AGoodFilePasses) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Came tried = Live(Good(), true, seed, seed % 2 == 0 ? 0.93 : 0.7);
    EXPECT_EQ(tried.phase, canary::Phase::kPassed) << "seed " << seed;
    EXPECT_GE(tried.ran_s, 60);
    EXPECT_LE(tried.lost, 0.01) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringway::sim::canary_test
