#include "bench/peers/world.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "sim/files/scenario_file.h"
#include "sim/simulation.h"
#include "sim/study/parameters.h"

namespace ringway::bench {
namespace {

// So that the simulated row's noise does not count.
constexpr int kSeedsMin = 5;

double CapacityRps(const WorkloadSpec& workload) { return workload.workers / workload.service_mean_s; }

}  // namespace

absl::StatusOr<PeersWorld> LoadPeersWorld(const std::string& path) {
  absl::StatusOr<sim::Scenario> scenario = sim::LoadScenario(path);
  if (!scenario.ok()) return scenario.status();
  const auto unfit = [&path](const char* wanted) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": this benchmark needs ", wanted));
  };
  const Fleet& fleet = *scenario->fleet;
  if (fleet.world.regions.size() != 1 || fleet.tiers.size() != 1) return unfit("one region and one tier");
  const Tier& tier = fleet.tiers[TierId(0)];
  const auto* service = std::get_if<sim::LogNormalService>(&scenario->service[TierId(0)].law);
  if (service == nullptr) return unfit("a log-normal law of service");
  if (scenario->demand.size() != 1 ||
      !std::holds_alternative<sim::PoissonArrivals>(scenario->demand[0].law)) {
    return unfit("one Poisson stream");
  }
  PeersWorld world;
  world.workload = {.workers = tier.regions[RegionId(0)].workers,
                    .service_mean_s = service->mean_s,
                    .service_cv = service->cv,
                    .deadline_s = ToDoubleSeconds(tier.deadline)};
  world.scenario = std::make_shared<const sim::Scenario>(*std::move(scenario));
  return world;
}

absl::StatusOr<SimulatedRow> SimulateRow(const PeersWorld& world, const RowSpec& spec, const Effort& effort) {
  const auto* poisson = std::get_if<sim::PoissonArrivals>(&world.scenario->demand[0].law);
  const double written_rho = poisson->rate_rps / CapacityRps(world.workload);
  const double stretch = spec.service_mean_s / world.workload.service_mean_s;
  sim::Scenario scenario = *world.scenario;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"service", stretch},
           {"demand", spec.rho / written_rho / stretch},
           {"deadline", spec.deadline_s},
           {"routers", static_cast<double>(spec.instances)}}) {
    if (absl::Status set = sim::SetParameter(name, value, scenario); !set.ok()) return set;
  }
  const double last_s = effort.warmup_s + effort.measured_s;
  scenario.warmup_s = effort.warmup_s;
  scenario.duration_s = last_s + spec.deadline_s + 1;
  scenario.steps.push_back({.at_s = last_s, .fault = sim::ScaleDemand{{}, 1e-9}});
  SimulatedRow row;
  double submitted = 0, served = 0, offers = 0, refused = 0;
  for (int seed = 1; seed <= std::max(kSeedsMin, effort.seeds); ++seed) {
    scenario.seed = static_cast<std::uint64_t>(seed);
    sim::Simulation run(std::make_shared<const sim::Scenario>(scenario));
    run.Run();
    const sim::Totals& totals = run.tally().totals();
    if (!run.checkers().violations().empty()) {
      return absl::InternalError(run.checkers().violations().front());
    }
    submitted += static_cast<double>(totals.submitted);
    served += static_cast<double>(totals.served());
    offers += static_cast<double>(totals.offers);
    refused += static_cast<double>(totals.refused);
    row.latency.Merge(totals.latency);
  }
  row.success = served / submitted;
  row.offers_per_accepted = offers / (offers - refused);
  return row;
}

}  // namespace ringway::bench
