#include "tests/sim/healing.h"

#include <algorithm>
#include <utility>

#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
namespace {

constexpr double kWarmS = 20;
constexpr int kRegions = 2;
constexpr double kHealingServiceS = 2;

void ApplyGuards(const Guards& guards, Tier& tier, UserSpec& users) {
  DispatchSpec& dispatch = tier.dispatch;
  dispatch.mode = guards.ledger ? DispatchMode::kLedger : DispatchMode::kProbe;
  users.tell_deadline = guards.deadline;
  users.patience_s = 3 * kHealingServiceS;
  if (!guards.budget) dispatch.budget = {.share = 1e9, .floor_per_second = 1e9};
  if (!guards.budget) dispatch.attempts_max = 1'000'000'000;
  if (!guards.backoff) {
    dispatch.backoff = {.base = Milliseconds(20),
                        .multiplier = 1,
                        .cap_of_service = 0.02 / kHealingServiceS,
                        .full_jitter = false};
  }
  if (!guards.delay) dispatch.delay.share_max = 0;
  if (!guards.many_probes) dispatch.probes_per_round = 1;
  if (!guards.coarse_shed) tier.guard.shed_above = 1;
}

struct Served {
  double first = 0;
  double submitted = 0;
  double served = 0;
  double offers = 0;
  double Share() const { return first > 0 ? served / first : 1; }
};

Served Between(const Simulation& run, double from_s, double to_s) {
  Served sum;
  for (auto s = static_cast<std::size_t>(from_s); s < static_cast<std::size_t>(to_s); ++s) {
    const SecondTally& second = run.tally().seconds()[s];
    sum.offers += second.offers;
    for (const RegionSecond& region : second.regions) {
      sum.first += region.first;
      sum.submitted += region.submitted;
      sum.served += region.served;
    }
  }
  return sum;
}

}  // namespace

std::vector<TriggerCase> AllTriggers() {
  return {{"half the workers off", KillWorkers{{}, 0.5}, 60}, {"load x3", ScaleDemand{{}, 3}, 30},
          {"RTT +200 ms", ExtraDelay{{}, {}, 200}, 30},       {"ledger leader killed", KillLeaders{}, 5},
          {"controller killed", KillController{}, 30},        {"metrics frozen", FreezeMetrics{}, 30},
          {"workers slow x3", SlowWorkers{{}, 1, 3}, 30},     {"sinkhole", Sinkhole{{}, 5}, 30}};
}

Guards Naive() {
  return {.ledger = false,
          .deadline = false,
          .budget = false,
          .backoff = false,
          .delay = false,
          .many_probes = false};
}

std::shared_ptr<Scenario> CellScenario(const Cell& cell) {
  Fleet fleet = LineFleet(kRegions, cell.workers);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.service_mean = Seconds(kHealingServiceS);
  tier.deadline = Seconds(3 * kHealingServiceS);
  tier.route.overload_threshold = 0.98;
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = cell.seed;
  scenario->duration_s = kBeginS + cell.trigger.span_s + kHealS + kWindowS + 1;
  scenario->warmup_s = kWarmS;
  scenario->routers_per_region = 3;
  scenario->controller = cell.guards.controller;
  scenario->users.resubmit_share = cell.resubmit;
  ApplyGuards(cell.guards, tier, scenario->users);
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = LogNormalService{kHealingServiceS, 0.5};
  for (int i = 0; i < kRegions; ++i) {
    scenario->demand.push_back({.tier = TierId(0),
                                .region = RegionId(i),
                                .law = PoissonArrivals{cell.rho * cell.workers / kHealingServiceS}});
  }
  scenario->steps.push_back({.at_s = kBeginS, .lasts_s = cell.trigger.span_s, .fault = cell.trigger.fault});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

CellOutcome JudgeHealing(std::shared_ptr<const Scenario> scenario, double end_s) {
  Simulation run(std::move(scenario));
  run.Run();
  CellOutcome outcome;
  outcome.before = Between(run, kWarmS, kBeginS).Share();
  outcome.after = Between(run, end_s + kHealS, end_s + kHealS + kWindowS).Share() / outcome.before;
  outcome.back_s = 99;
  for (double s = 0; s + 5 <= kHealS + kWindowS && outcome.back_s == 99; ++s) {
    if (Between(run, end_s + s, end_s + s + 5).Share() >= kBackShare * outcome.before) outcome.back_s = s;
  }
  for (double s = 10; s + 5 <= end_s + kHealS + kWindowS; ++s) {
    const Served window = Between(run, s, s + 5);
    outcome.attempts_max = std::max(outcome.attempts_max, window.offers / std::max(1.0, window.submitted));
  }
  outcome.violations = run.checkers().violations();
  return outcome;
}

CellOutcome RunCell(const Cell& cell) {
  return JudgeHealing(CellScenario(cell), kBeginS + cell.trigger.span_s);
}

}  // namespace ringway::sim
