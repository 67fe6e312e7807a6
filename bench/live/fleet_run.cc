#include "bench/live/fleet_run.h"

#include <iostream>

#include "cli/demo/cluster.h"
#include "cli/demo/interrupt.h"
#include "cli/demo/stage.h"

namespace ringway::bench {
namespace {

demo::Script ScriptFor(const sim::Scenario& scenario) {
  const std::size_t regions = scenario.fleet->world.regions.size();
  demo::Script script;
  script.tier = TierId(0);
  script.hot = RegionId(0);
  script.demand = scenario.demand;
  script.base_rps.assign(regions, 0);
  demo::Phase phase{.kind = demo::PhaseKind::kPlayed,
                    .name = "warm-up",
                    .story = "not counted",
                    .begins_s = 0,
                    .length_s = scenario.warmup_s,
                    .factors = {}};
  phase.factors.assign(regions, 1);
  phase.dispatch = scenario.fleet->tiers[script.tier].dispatch.mode;
  phase.measured = false;
  script.phases.push_back(phase);
  phase.name = "counted";
  phase.begins_s = scenario.warmup_s;
  phase.length_s = scenario.duration_s - scenario.warmup_s;
  phase.measured = true;
  script.phases.push_back(phase);
  return script;
}

}  // namespace

absl::StatusOr<FleetRun> RunFleet(const sim::Scenario& scenario, const std::string& topology,
                                  const std::string& programs, const std::string& folder) {
  const Fleet& fleet = *scenario.fleet;
  const demo::Script script = ScriptFor(scenario);
  demo::Interrupt interrupt;
  absl::StatusOr<demo::Cluster> cluster = demo::Cluster::Start({.programs = programs,
                                                                .folder = folder,
                                                                .topology = topology,
                                                                .tier = script.tier,
                                                                .service = scenario.service[script.tier].law},
                                                               fleet);
  if (!cluster.ok()) return cluster.status();
  cli::Session session{.out = std::cout, .err = std::cerr};
  demo::DemoSettings settings;
  settings.topology = topology;
  settings.programs = programs;
  demo::Stage stage(session, settings, fleet, script, *cluster, interrupt);
  if (absl::Status status = stage.AwaitWholeFleet(); !status.ok()) return status;
  absl::Status played =
      stage.Play(demo::Traffic(fleet, script, scenario.service[script.tier].law, scenario.seed));
  cluster->Stop();
  if (!played.ok()) return played;
  const demo::JobSums& sums = stage.tally().phase(1);
  std::map<std::string, std::uint64_t> unserved = sums.outcomes;
  unserved.erase("done");
  const double way_s = sums.network_ms_mean() / 2e3;  // there; and as long back
  return FleetRun{.mean_wait_s = sums.wait_s.mean() + way_s,
                  .mean_way_s = way_s,
                  .p99_wait_s = sums.wait_s.Quantile(0.99),
                  .served_share = sums.success(),
                  .unserved = unserved,
                  .offers = sums.offers_per_job(),
                  .late_s_max = stage.late_s_max()};
}

}  // namespace ringway::bench
