#include "cli/demo/script.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::demo {
namespace {

constexpr int kWorkersMax = 96;  // processes that one machine should be asked to run
constexpr double kHotLoad = 1.3;
constexpr double kSpikeLoad = 0.88;

double CapacityRps(const Fleet& fleet, TierId tier, RegionId region) {
  return fleet.tiers[tier].regions[region].workers / ToDoubleSeconds(fleet.tiers[tier].service_mean);
}

}  // namespace

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

namespace {

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
          .factors = {},
          .global = global};
}

Phase Hot(const std::string& region, bool global) {
  return {.kind = PhaseKind::kHot,
          .name = "hot",
          .story = absl::StrFormat("%s gets %.1fx what its workers can serve", region, kHotLoad),
          .length_s = 0.3,
          .factors = {},
          .global = global};
}

Phase Spike(bool global) {
  return {.kind = PhaseKind::kSpike,
          .name = "spike",
          .story = absl::StrFormat("every region jumps to %.0f %% of what all workers can serve",
                                   100 * kSpikeLoad),
          .length_s = 0.15,
          .factors = {},
          .global = global};
}

// The spike once more, found by probes.
Phase Probes(bool global) {
  Phase phase = Spike(global);
  phase.kind = PhaseKind::kProbes;
  phase.name = "probes";
  phase.story = "the same spike, but without a ledger: every router probes for itself";
  phase.dispatch = DispatchMode::kProbe;
  return phase;
}

Phase After(bool global) {
  return {.kind = PhaseKind::kAfter,
          .name = "after",
          .story = "back to the day's traffic",
          .length_s = 0.1,
          .factors = {},
          .global = global};
}

Phase Everywhere() {
  return {.kind = PhaseKind::kGlobal,
          .name = "global",
          .story = "the calm traffic again, but spread over all regions, to see what that costs",
          .length_s = 0.2,
          .factors = {},
          .global = true};
}

// The load that the phase asks of the region; nothing: its own.
std::optional<double> AskedLoad(const Phase& phase, bool hot) {
  if (phase.kind == PhaseKind::kSpike || phase.kind == PhaseKind::kProbes) return kSpikeLoad;
  if (phase.kind == PhaseKind::kHot && hot) return kHotLoad;
  return std::nullopt;
}

void SetFactors(const Fleet& fleet, RegionId hot, bool day_curve, Phase& phase) {
  const double middle_s = phase.begins_s + phase.length_s / 2;
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    const double own_load =
        kBaseLoad * (day_curve ? DayFactor(fleet.world.regions[RegionId(i)], middle_s) : 1);
    const std::optional<double> asked = AskedLoad(phase, RegionId(i) == hot);
    phase.factors.push_back(asked ? *asked / own_load : 1);
  }
}

}  // namespace

double DayFactor(const Region& region, double at_s) {
  const double local_hour = kStartUtcHour + region.utc_offset_minutes / 60.0 + at_s / kDaySeconds * 24;
  return 1 + kDaySwing * std::cos((local_hour - kPeakLocalHour) / 24 * 2 * std::numbers::pi);
}

const Phase& Script::At(double time_s) const {
  for (const Phase& phase : phases) {
    if (time_s < phase.ends_s()) return phase;
  }
  return phases.back();
}

absl::StatusOr<Script> MakeScript(const Fleet& fleet, const ScriptChoice& choice) {
  Script script;
  script.tier = TierId(0);
  if (absl::Status status = CheckFleet(fleet, script.tier); !status.ok()) return status;
  script.hot = MostUsers(fleet, script.tier);
  for (std::size_t i = 0; i < fleet.world.regions.size(); ++i) {
    script.base_rps.push_back(kBaseLoad * CapacityRps(fleet, script.tier, RegionId(i)));
  }
  const bool global = choice.route == RouteChoice::kGlobal;
  script.phases = {Calm(global), Hot(fleet.world.regions[script.hot].name, global), Spike(global)};
  const DispatchMode dispatch = fleet.tiers[script.tier].dispatch.mode;
  if (dispatch == DispatchMode::kLedger) script.phases.push_back(Probes(global));
  script.phases.push_back(After(global));
  if (choice.route == RouteChoice::kBoth) script.phases.push_back(Everywhere());
  double shares = 0;
  for (const Phase& phase : script.phases) shares += phase.length_s;
  double at_s = 0;
  for (Phase& phase : script.phases) {
    phase.begins_s = at_s;
    if (phase.kind != PhaseKind::kProbes) phase.dispatch = dispatch;
    phase.length_s *= choice.length_s / shares;
    SetFactors(fleet, script.hot, choice.day_curve, phase);
    at_s = phase.ends_s();
  }
  return script;
}

}  // namespace ringway::demo
