#include "cli/demo/script.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::demo {
namespace {

constexpr int kWorkersMax = 96;  // processes that one machine should be asked to run
constexpr double kHotLoad = 1.3;
constexpr double kSpikeLoad = 0.88;

double CapacityRps(const Fleet& fleet, TierId tier, RegionId region) {
  return fleet.tiers[tier].regions[region].workers / absl::ToDoubleSeconds(fleet.tiers[tier].service_mean);
}

absl::Status CheckFleet(const Fleet& fleet, TierId tier) {
  int workers = 0;
  for (const TierRegion& region : fleet.tiers[tier].regions) workers += region.workers;
  if (fleet.world.regions.size() < 2 || fleet.world.regions.size() > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("the demo runs 2 to 8 regions on one machine, found ", fleet.world.regions.size()));
  }
  if (workers > kWorkersMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("the demo runs at most ", kWorkersMax, " workers on one machine, found ", workers));
  }
  return absl::OkStatus();
}

RegionId MostUsers(const Fleet& fleet, TierId tier) {
  RegionId best;
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    const RegionId id(i);
    if (fleet.tiers[tier].regions[id].workers == 0) continue;
    const double share = fleet.world.regions[id].population_share;
    if (!best.valid() || share > fleet.world.regions[best].population_share) best = id;
  }
  return best;
}

Phase Calm(bool global) {
  return {.kind = PhaseKind::kCalm,
          .name = "calm",
          .story = "every region has its own day's traffic",
          .length_s = 0.2,
          .global = global};
}

Phase Hot(const std::string& region, bool global) {
  return {.kind = PhaseKind::kHot,
          .name = "hot",
          .story = absl::StrFormat("%s gets %.1fx what its workers can serve", region, kHotLoad),
          .length_s = 0.35,
          .hot_factor = kHotLoad / kBaseLoad,
          .global = global};
}

Phase Spike(bool global) {
  return {.kind = PhaseKind::kSpike,
          .name = "spike",
          .story = absl::StrFormat("every region jumps to %.0f %% of what all workers can serve",
                                   100 * kSpikeLoad),
          .length_s = 0.15,
          .hot_factor = kSpikeLoad / kBaseLoad,
          .other_factor = kSpikeLoad / kBaseLoad,
          .global = global};
}

Phase After(bool global) {
  return {.kind = PhaseKind::kAfter,
          .name = "after",
          .story = "back to the day's traffic",
          .length_s = 0.1,
          .global = global};
}

Phase Everywhere() {
  return {.kind = PhaseKind::kGlobal,
          .name = "global",
          .story = "the calm traffic again, but spread over all regions, to see what that costs",
          .length_s = 0.2,
          .global = true};
}

}  // namespace

const Phase& Script::At(double time_s) const {
  for (const Phase& phase : phases) {
    if (time_s < phase.ends_s()) return phase;
  }
  return phases.back();
}

absl::StatusOr<Script> MakeScript(const Fleet& fleet, RouteChoice route, double length_s) {
  Script script;
  script.tier = TierId(0);
  if (absl::Status status = CheckFleet(fleet, script.tier); !status.ok()) return status;
  script.hot = MostUsers(fleet, script.tier);
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    script.base_rps.push_back(kBaseLoad * CapacityRps(fleet, script.tier, RegionId(i)));
  }
  const bool global = route == RouteChoice::kGlobal;
  script.phases = {Calm(global), Hot(fleet.world.regions[script.hot].name, global), Spike(global),
                   After(global)};
  if (route == RouteChoice::kBoth) script.phases.push_back(Everywhere());
  double shares = 0;
  for (const Phase& phase : script.phases) shares += phase.length_s;
  double at_s = 0;
  for (Phase& phase : script.phases) {
    phase.begins_s = at_s;
    phase.length_s *= length_s / shares;
    at_s = phase.ends_s();
  }
  return script;
}

}  // namespace ringway::demo
