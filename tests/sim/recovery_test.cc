// When the trouble has ended, every healthy worker serves again, at every router: faults that heal, in both
// modes of dispatch. Twice: by what routers and ledgers say of themselves (sim/observers/recovery.h, in every
// run), and by what they do, under more demand than there are workers.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim::recovery_test {
namespace {

constexpr int kRegions = 2;
constexpr int kWorkers = 8;  // of each region; service 1 s
constexpr double kBeginS = 30;
constexpr double kFullS = 60;  // of more demand than there are workers, at the end

struct Healing {
  const char* name;
  std::vector<ScenarioStep> steps;
  double end_s;
};

ScenarioStep At(double at_s, double lasts_s, Fault fault) {
  return {.at_s = at_s, .lasts_s = lasts_s, .fault = std::move(fault)};
}

std::vector<ScenarioStep> Rolling() {
  std::vector<ScenarioStep> steps;
  for (int i = 0; i < kWorkers; ++i) {
    const double share = 1.0 / kWorkers;
    steps.push_back(At(kBeginS + 2 * i, 1.5, KillWorkers{{}, share, i * share}));
  }
  return steps;
}

std::vector<Healing> Healings() {
  return {{"EachFailsAFewJobs", {At(kBeginS, 1, FailJobs{{}, 5})}, kBeginS + 20},
          {"AllStall", {At(kBeginS, 3, StallWorkers{{}, 1})}, kBeginS + 3},
          {"HalfStallLong", {At(kBeginS, 10, StallWorkers{{}, 0.5})}, kBeginS + 10},
          {"RollingRestart", Rolling(), kBeginS + 2 * kWorkers},
          {"OneClientsJobsFail", {At(kBeginS, 20, BadJobs{{}, 0.5})}, kBeginS + 20},
          {"RouterPaused", {At(kBeginS, 5, PauseRouters{{}, 1})}, kBeginS + 5},
          {"AllRoutersPaused", {At(kBeginS, 3, PauseRouters{{}, 2})}, kBeginS + 3},
          {"AllDie", {At(kBeginS, 5, KillWorkers{{}, 1})}, kBeginS + 5},
          {"HolderDies", {At(kBeginS, 5, KillLeaders{})}, kBeginS + 5},
          {"Sinkholes", {At(kBeginS, 20, Sinkhole{{}, 6})}, kBeginS + 20}};
}

// Who started what, from a moment on.
struct Starts final : Observer {
  void OnStarted(Time now, WorkerId worker, const OfferNote& note) override {
    if (now >= from) ++count[{note.caller.router.value(), worker.value()}];
  }
  Time from;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
};

class Recovers : public testing::TestWithParam<std::tuple<bool, bool, std::size_t>> {
 protected:
  bool ledger() const { return std::get<0>(GetParam()); }
  bool controller() const { return std::get<1>(GetParam()); }
  Healing healing() const { return Healings()[std::get<2>(GetParam())]; }

  std::shared_ptr<const Scenario> Made(std::uint64_t seed) const {
    Fleet fleet = LineFleet(kRegions, kWorkers);
    fleet.tiers[TierId(0)].dispatch.mode = ledger() ? DispatchMode::kLedger : DispatchMode::kProbe;
    auto scenario = std::make_shared<Scenario>();
    scenario->seed = seed;
    scenario->controller = controller();
    scenario->routers_per_region = 2;
    scenario->service.push_back({.law = LogNormalService{1, 0.5}});
    for (int i = 0; i < kRegions; ++i) {
      scenario->demand.push_back(
          {.tier = TierId(0), .region = RegionId(i), .law = PoissonArrivals{0.6 * kWorkers}});
    }
    scenario->steps = healing().steps;
    const double full_s = healing().end_s + Recovery::kWithinS;
    scenario->steps.push_back(At(full_s, kFullS, ScaleDemand{{}, 2.5}));
    scenario->duration_s = full_s + kFullS;
    scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
    return scenario;
  }
};

TEST_P(Recovers, EveryWorkerServesAtEveryRouter) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto scenario = Made(seed);
    Simulation run(scenario);
    Starts starts;
    starts.from = UnixEpoch() + Seconds(healing().end_s + Recovery::kWithinS);
    run.Watch(&starts);
    run.Run();
    for (const std::string& violation : run.checkers().violations()) {
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    }
    EXPECT_GT(run.recovery().judged(), 0u);
    // Two routers share some sixty starts of each worker. Those that probe leave a worker to the one beside
    // it.
    for (std::uint32_t w = 0; w < kRegions * kWorkers; ++w) {
      const std::uint32_t first = w / kWorkers * 2;
      const int a = starts.count[{first, w}], b = starts.count[{first + 1, w}];
      EXPECT_GT(ledger() ? std::min(a, b) : a + b, 0) << "seed " << seed << ": worker " << w;
    }
  }
}

std::string CaseName(const testing::TestParamInfo<std::tuple<bool, bool, std::size_t>>& info) {
  return absl::StrCat(std::get<0>(info.param) ? "Ledger" : "Probe",
                      std::get<1>(info.param) ? "" : "Uncontrolled",
                      Healings()[std::get<2>(info.param)].name);
}
INSTANTIATE_TEST_SUITE_P(Faults, Recovers,
                         testing::Combine(testing::Bool(), testing::Bool(),
                                          testing::Range<std::size_t>(0, 10)),
                         CaseName);

}  // namespace
}  // namespace ringway::sim::recovery_test
