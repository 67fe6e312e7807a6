// The seed suite: random fleets, random faults, independent checkers. A failure prints its seed; the seed
// alone repeats it. RINGWAY_SEEDS=first-last runs others, for example thousands at night.
#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "sim/report/step_text.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"
#include "tests/sim/run_fingerprint.h"
#include "tests/sim/suite_seeds.h"
#include "tests/sim/wire/wire_of.h"

namespace ringway::sim {
namespace {

// What was done to the fleet, for whoever reads a failure.
std::string StepsText(const Scenario& scenario) {
  std::string text = absl::StrFormat(
      "%d regions, %d routers each, keyed %.2f, twice %.2f, loss %.2f, repeat %.2f, late %.2f",
      scenario.fleet->world.regions.size(), scenario.routers_per_region, scenario.users.keyed_share,
      scenario.users.twice_share, scenario.network.loss_share, scenario.network.repeat_share,
      scenario.network.late_share);
  for (const ScenarioStep& step : scenario.steps) {
    absl::StrAppendFormat(&text, "\n  at %.3f s for %.3f s, every %.3f s: %s", step.at_s, step.lasts_s,
                          step.every_s, TextOf(step.fault, *scenario.fleet));
  }
  return text;
}

// After the warm-up: a job that begins later than it may not end before all workers are dead.
constexpr double kAtOnceS = 3;  // three services, so that one that began when counting did has ended

// What all runs of this program exercised.
KindCounts& Exercised() {
  static KindCounts counts;
  return counts;
}

// Nobody is served in a world whose workers have all died for good before anything is counted, or at once
// after.
bool NobodyIsLeft(const Simulation& simulation) {
  const Scenario& scenario = simulation.scenario();
  for (std::size_t i = 0; i < simulation.workers(); ++i) {
    if (simulation.alive(WorkerId(i))) return false;
  }
  return std::any_of(scenario.steps.begin(), scenario.steps.end(), [&](const ScenarioStep& step) {
    const auto* kill = std::get_if<KillWorkers>(&step.fault);
    const bool for_good = step.at_s + step.lasts_s >= scenario.duration_s;
    return kill != nullptr && kill->regions.empty() && for_good && step.at_s < scenario.warmup_s + kAtOnceS;
  });
}

TEST(SeedSuite, NothingIsLostOrDoneTwiceWhateverHappens) {
  const Seeds seeds = WantedSeeds({1, 48});
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const auto scenario = WorldOf(seed);
    const std::unique_ptr<Wire> wire = WireOf(*scenario);
    Simulation simulation(scenario, {}, wire.get());
    simulation.Run();
    Exercised().Add(simulation.kinds());
    Checkers checkers = simulation.checkers();
    checkers.CheckDrained(UnixEpoch() + Seconds(simulation.scenario().duration_s));
    if (!NobodyIsLeft(simulation)) {
      EXPECT_GT(simulation.tally().totals().served(), 0u) << "seed " << seed;
    }
    for (const std::string& violation : checkers.violations())
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed << " is " << StepsText(simulation.scenario());
      return;
    }
  }
}

// Without messages nothing is refused.
constexpr std::string_view kOnWires[] = {"MessageRefused"};

bool Among(std::span<const std::string_view> kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void Note(const std::string& machine, const std::vector<std::string>& kinds, std::set<std::string>& never) {
  for (const std::string& kind : kinds) {
    const bool not_here = !WiresExist() && Among(kOnWires, kind);
    if (!not_here) never.insert(absl::StrCat(machine, " ", kind));
  }
}

// Whatever a machine can be told, or can want, some seed of the suite makes happen.
TEST(SeedSuite, EveryKindOfEventAndActionOccurs) {
  const Seeds seeds = WantedSeeds({1, 48});
  if (seeds.last - seeds.first + 1 < kSeedsForAll) GTEST_SKIP() << "seeds enough are needed for every kind";
  const KindCounts& kinds = Exercised();
  std::set<std::string> never;
  Note("router event", kinds.router_events.Never(), never);
  Note("router action", kinds.router_actions.Never(), never);
  Note("session event", kinds.session_events.Never(), never);
  Note("session action", kinds.session_actions.Never(), never);
  Note("ledger answer", kinds.ledger_answers.Never(), never);
  Note("registry event", kinds.registry_events.Never(), never);
  Note("registry action", kinds.registry_actions.Never(), never);
  Note("worker event", kinds.worker_events.Never(), never);
  Note("worker action", kinds.worker_actions.Never(), never);
  Note("slot event", kinds.slot_events.Never(), never);
  Note("slot action", kinds.slot_actions.Never(), never);
  Note("controller event", kinds.controller_events.Never(), never);
  Note("controller action", kinds.controller_actions.Never(), never);
  Note("controller stream event", kinds.stream_events.Never(), never);
  Note("controller node action", kinds.controller_node_actions.Never(), never);
  for (const auto end : {controller::StreamEnd::kSilent, controller::StreamEnd::kReplaced,
                         controller::StreamEnd::kGoingDown, controller::StreamEnd::kRefused}) {
    if (end == controller::StreamEnd::kRefused && !WiresExist()) continue;
    EXPECT_GT(kinds.stream_ends[static_cast<std::size_t>(end)], 0u) << static_cast<int>(end);
  }
  Note("once request", kinds.once_requests.Never(), never);
  constexpr std::string_view kVerdictNames[KindCounts::kVerdicts] = {
      "kOk",   "kTaken",   "kExpired",      "kBehind", "kNotReady",
      "kFull", "kNotMine", "kEndedWithout", "kDone",   "kOldView"};
  std::vector<std::string> verdicts;
  for (std::size_t i = 0; i < KindCounts::kVerdicts; ++i) {
    if (kinds.once_verdicts[i] == 0) verdicts.emplace_back(kVerdictNames[i]);
  }
  Note("once verdict", verdicts, never);
  for (const std::string& kind : never)
    ADD_FAILURE() << kind << " never occurs: whoever adds a kind makes it happen";
}

TEST(SeedSuite, TheSameSeedIsTheSameRun) {
  // The second talks over a wire, and is upgraded.
  for (const std::uint64_t seed : {3, 11}) {
    const auto scenario = RandomScenario(seed);
    const std::unique_ptr<Wire> wires[] = {WireOf(*scenario), WireOf(*scenario)};
    Simulation first(scenario, {}, wires[0].get());
    first.Run();
    Simulation second(scenario, {}, wires[1].get());
    second.Run();
    EXPECT_EQ(Fingerprint(first), Fingerprint(second)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringway::sim
