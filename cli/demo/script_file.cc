// A scenario file as the demo's script.
#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/demo/script.h"

namespace ringway::demo {
namespace {

constexpr std::size_t kPhasesMax = 20;

absl::Status Cannot(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("the demo cannot play this scenario: ", what));
}

// Whether a trace tells more of its jobs than when they came and whose they are.
bool TellsOfJobs(const sim::ArrivalLaw& law) {
  const auto* trace = std::get_if<sim::TraceArrivals>(&law);
  if (trace == nullptr || trace->jobs == nullptr) return false;
  return std::any_of(trace->jobs->begin(), trace->jobs->end(), [](const sim::RecordedJob& job) {
    return job.service_s >= 0 || job.size > 0 || job.deadline_s > 0;
  });
}

absl::Status CheckDemand(const sim::Scenario& scenario) {
  std::set<std::size_t> regions;
  for (const sim::DemandSpec& demand : scenario.demand) {
    if (demand.tier != TierId(0) || demand.priority != 0)
      return Cannot("one tier with one priority is asked");
    if (!regions.insert(demand.region.index()).second) return Cannot("a region has two streams of arrivals");
    if (TellsOfJobs(demand.law)) {
      return Cannot(
          "its trace tells each job's own service time, size or deadline; here only times are played "
          "(`columns: {service: none}` leaves such a column out)");
    }
  }
  const sim::UserSpec& users = scenario.users;
  if (users.resubmit_share > 0 || !users.tell_deadline || !std::isinf(users.patience_s)) {
    return Cannot("its users try again or leave; those here do not");
  }
  return absl::OkStatus();
}

absl::Status CheckService(const sim::Scenario& scenario) {
  if (!std::holds_alternative<sim::EmpiricalService>(scenario.service[TierId(0)].law))
    return absl::OkStatus();
  return Cannot("workers draw from fixed, exponential and log-normal laws, not from samples");
}

absl::Status CheckSteps(const sim::Scenario& scenario) {
  for (const sim::ScenarioStep& step : scenario.steps) {
    if (!std::holds_alternative<sim::ScaleDemand>(step.fault) || step.every_s > 0) {
      return Cannot("of its steps only scaleDemand can be done to real processes, and only once");
    }
  }
  return absl::OkStatus();
}

// When a phase begins: at the start, after the warm-up, and whenever demand changes.
std::vector<double> Boundaries(const sim::Scenario& scenario) {
  std::set<double> times = {0, scenario.warmup_s};
  for (const sim::ScenarioStep& step : scenario.steps) {
    for (const double at_s : {step.at_s, step.at_s + step.lasts_s}) {
      if (at_s < scenario.duration_s) times.insert(at_s);
    }
  }
  return {times.begin(), times.end()};
}

double FactorAt(const sim::Scenario& scenario, RegionId region, double at_s) {
  double factor = 1;
  for (const sim::ScenarioStep& step : scenario.steps) {
    const auto& scale = std::get<sim::ScaleDemand>(step.fault);
    const bool meant = scale.regions.empty() ||
                       std::find(scale.regions.begin(), scale.regions.end(), region) != scale.regions.end();
    if (meant && at_s >= step.at_s && at_s < step.at_s + step.lasts_s) factor *= scale.factor;
  }
  return factor;
}

Phase PhaseFrom(const sim::Scenario& scenario, double begins_s, double ends_s) {
  Phase phase{.kind = PhaseKind::kPlayed,
              .name = "as written",
              .story = "the scenario's own demand",
              .begins_s = begins_s,
              .length_s = ends_s - begins_s,
              .factors = {}};
  double largest = 1;
  for (std::size_t i = 0; i < scenario.fleet->world.regions.size(); ++i) {
    phase.factors.push_back(FactorAt(scenario, RegionId(i), begins_s));
    if (std::abs(phase.factors[RegionId(i)] - 1) > std::abs(largest - 1))
      largest = phase.factors[RegionId(i)];
  }
  if (largest != 1) {
    phase.name = "scaled";
    phase.story = absl::StrFormat("demand is scaled, by %.3g where most", largest);
  }
  phase.measured = begins_s >= scenario.warmup_s;
  if (!phase.measured) phase.name = "warm-up";
  phase.dispatch = scenario.fleet->tiers[TierId(0)].dispatch.mode;
  return phase;
}

}  // namespace

absl::StatusOr<Script> ScriptOf(const sim::Scenario& scenario) {
  Script script;
  script.tier = TierId(0);
  if (scenario.fleet->tiers.size() != 1) return Cannot("its topology has more than one tier");
  if (absl::Status status = CheckFleet(*scenario.fleet, script.tier); !status.ok()) return status;
  if (absl::Status status = CheckDemand(scenario); !status.ok()) return status;
  if (absl::Status status = CheckService(scenario); !status.ok()) return status;
  if (scenario.routers_per_region != kRoutersPerRegion) {
    return Cannot(absl::StrCat("routersPerRegion is ", scenario.routers_per_region, ", here there are ",
                               kRoutersPerRegion));
  }
  if (absl::Status status = CheckSteps(scenario); !status.ok()) return status;
  script.hot = RegionId(0);
  script.demand = scenario.demand;
  script.base_rps.assign(scenario.fleet->world.regions.size(), 0);
  for (const sim::DemandSpec& demand : scenario.demand) {
    script.base_rps[demand.region] = sim::MeanRateRps(demand.law);
  }
  std::vector<double> times = Boundaries(scenario);
  if (times.size() > kPhasesMax)
    return Cannot(absl::StrCat("its demand changes more than ", kPhasesMax, " times"));
  times.push_back(scenario.duration_s);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    script.phases.push_back(PhaseFrom(scenario, times[i], times[i + 1]));
  }
  return script;
}

}  // namespace ringway::demo
