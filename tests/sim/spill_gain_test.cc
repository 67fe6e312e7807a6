// What spill does beneath the table, in the whole simulator: what a burst gains by it, and that the table is
// still followed.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::spill_gain_test {
namespace {

const TierId kTier(0);
const RegionId kHot(0);

// Where the jobs of one region went, and where its table wanted them.
class HomeWatch : public Observer {
 public:
  HomeWatch(double from_s, double to_s) : from_s_(from_s), to_s_(to_s) {}
  void OnEnded(Time now, const Ending& ending) override {
    if (!Inside(now) || ending.region != kHot) return;
    ++ended;
    if (ending.outcome != Outcome::kDone) return;
    ++done;
    away += ending.served_in != kHot;
    spilled += ending.spilled;
    wait.Add(ToDoubleSeconds(ending.wait));
    latency.Add(ToDoubleSeconds(ending.latency));
  }
  void OnTableActive(Time, RouterId, const RoutingTable& table) override {
    row_ = table.tiers[kTier].at(0, kHot);
  }
  void OnSecond(Time now) override {
    if (!Inside(now)) return;
    double home = 0;
    for (const Route& route : row_.routes) home += route.target == kHot ? route.fraction : 0;
    planned_sum += row_.routes.empty() ? 0 : 1 - home;
    ++seconds;
  }
  double away_share() const { return static_cast<double>(away) / static_cast<double>(done); }
  double spilled_share() const { return static_cast<double>(spilled) / static_cast<double>(done); }
  double planned_share() const { return planned_sum / seconds; }
  double success() const { return static_cast<double>(done) / static_cast<double>(ended); }

  std::uint64_t ended = 0, done = 0, away = 0, spilled = 0;
  double planned_sum = 0;
  int seconds = 0;
  Histogram wait, latency;

 private:
  bool Inside(Time now) const {
    const double at_s = ToDoubleSeconds(now - UnixEpoch());
    return at_s >= from_s_ && at_s < to_s_;
  }
  double from_s_, to_s_;
  Row row_;
};

struct Case {
  double share = 0.05;
  int routers = 2;
  int workers = 20;
  DispatchMode mode = DispatchMode::kLedger;
  std::uint64_t seed = 1;
  bool hints = false;
};

constexpr double kServiceS = 0.4;
constexpr double kCalm = 0.42;  // load of every region
constexpr double kHotLoad = 1.3;
constexpr double kHotAtS = 60;
constexpr double kSettledS = 75;  // the table has followed
constexpr double kEndS = 120;
// Round trip from the hot region to the farthest, as long as the network makes one in a hundred.
constexpr double kFarthestS = 0.185;

// The demo's world: four regions, two of them near each other, one of which gets more than it can serve.
std::shared_ptr<const Scenario> Make(const Case& c) {
  Fleet fleet = LineFleet(4, c.workers);
  const double rtt_ms[4][4] = {{0.5, 11.5, 84.9, 168.4},
                               {11.5, 0.5, 76.5, 145.4},
                               {84.9, 76.5, 0.5, 214.4},
                               {168.4, 145.4, 214.4, 0.5}};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) fleet.world.rtt.Set(RegionId(i), RegionId(j), rtt_ms[i][j]);
  }
  Tier& tier = fleet.tiers[kTier];
  tier.service_mean = Seconds(kServiceS);
  tier.deadline = Seconds(15 * kServiceS);
  tier.route.overload_threshold = 0.75;
  tier.route.rings = {{"near", 20, 0.75}, {"continent", 100, 0.8}, {"world", 500, 0.95}};
  tier.dispatch.mode = c.mode;
  tier.dispatch.spill.share = c.share;
  tier.dispatch.spill.idle_hints = c.hints;
  tier.guard.step_max = 0.35;
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = c.seed;
  scenario->duration_s = kEndS + 20;
  scenario->warmup_s = 10;
  scenario->routers_per_region = c.routers;
  scenario->service.resize(1);
  scenario->service[kTier].law = LogNormalService{kServiceS, 0.3};
  const double rate = kCalm * c.workers / kServiceS;
  for (std::size_t i = 0; i < 4; ++i) {
    scenario->demand.push_back({.tier = kTier, .region = RegionId(i), .law = PoissonArrivals{rate}});
  }
  scenario->steps.push_back(
      {.at_s = kHotAtS, .lasts_s = kEndS - kHotAtS, .fault = ScaleDemand{{kHot}, kHotLoad / kCalm}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

// Means over seeds, before the table has followed and after.
struct Figures {
  double planned = 0, away = 0, spilled = 0, p99_s = 0;
  double early_p99_s = 0, early_success = 0;
};
Figures Measure(Case c) {
  constexpr int kSeeds = 8;
  Figures mean;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    c.seed = seed;
    Simulation run(Make(c));
    HomeWatch early(kHotAtS, kSettledS), settled(kSettledS, kEndS);
    run.Watch(&early);
    run.Watch(&settled);
    run.Run();
    for (const std::string& violation : run.checkers().violations()) ADD_FAILURE() << violation;
    mean.planned += settled.planned_share() / kSeeds;
    mean.away += settled.away_share() / kSeeds;
    mean.spilled += settled.spilled_share() / kSeeds;
    mean.p99_s += settled.wait.Quantile(0.99) / kSeeds;
    mean.early_p99_s += early.wait.Quantile(0.99) / kSeeds;
    mean.early_success += early.success() / kSeeds;
  }
  std::printf(
      "%-6s workers %2d routers %d share %.2f%s: p99 wait before the table %.3f s, after %.3f s; away %.3f, "
      "planned %.3f, spilled %.3f\n",
      c.mode == DispatchMode::kLedger ? "ledger" : "probe", c.workers, c.routers, c.share,
      c.hints ? ", hints" : "", mean.early_p99_s, mean.p99_s, mean.away, mean.planned, mean.spilled);
  return mean;
}

// What goes away is what the table plans and what spills, no more: spills neither count twice nor make the
// planner plan more, however many routers share the region and however few jobs enter.
TEST(SpillGain, TheTableIsFollowedBeneathIt) {
  for (const int workers : {5, 20}) {
    const Figures without = Measure({.share = 0, .workers = workers});
    for (const int routers : {1, 2, 8}) {
      const Figures with = Measure({.share = 0.05, .routers = routers, .workers = workers});
      EXPECT_NEAR(with.planned, without.planned, 0.01) << workers << " workers, " << routers << " routers";
      EXPECT_NEAR(with.away - with.spilled, with.planned, 0.02) << workers << " workers, " << routers;
      EXPECT_LE(with.spilled, 0.05) << workers << " workers, " << routers << " routers";
    }
  }
}

// Until the table has followed, a region that is suddenly hot has only spill.
TEST(SpillGain, ABurstWaitsLessUntilTheTableFollows) {
  for (const DispatchMode mode : {DispatchMode::kLedger, DispatchMode::kProbe}) {
    const Figures without = Measure({.share = 0, .mode = mode});
    const Figures with = Measure({.share = 0.05, .mode = mode});
    EXPECT_LE(with.early_p99_s, 0.6 * without.early_p99_s);
    EXPECT_LE(with.p99_s, 1.1 * without.p99_s);
    EXPECT_GE(with.early_success, without.early_success - 0.001);
  }
}

// A leader that knows where workers are idle needs neither the table nor a share: jobs wait less before the
// table has followed and no more after it, and the table plans what it planned.
TEST(SpillGain, WithHintsABurstHardlyWaits) {
  for (const int workers : {5, 20}) {
    const Figures learnt = Measure({.workers = workers});
    const Figures hints = Measure({.workers = workers, .hints = true});
    EXPECT_NEAR(hints.planned, learnt.planned, 0.01) << workers << " workers";
    // Where the table follows within seconds what is left is the way there.
    EXPECT_LE(hints.early_p99_s, std::max(0.8 * learnt.early_p99_s, kFarthestS)) << workers << " workers";
    EXPECT_LE(hints.p99_s, std::max(1.1 * learnt.p99_s, kFarthestS)) << workers << " workers";
    EXPECT_GE(hints.early_success, learnt.early_success - 0.001) << workers << " workers";
  }
}

}  // namespace
}  // namespace ringway::sim::spill_gain_test
