#include "sim/study/seam.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_format.h"
#include "sim/report/figures.h"

namespace ringway::sim {
namespace {

// Of the fleet's workers, that may be busy or have a job in line in one state and not in the other.
constexpr double kFleetShare = 0.02;
// Of a region's. Which of its neighbours serves what depends on when the last tables were made: on a day in
// twenty minutes (sim/scenarios/day-cycle.yaml) two slices with a warm-up as long as the window still
// differed by 16 % of a region's workers and by 20 % of one row.
constexpr double kRegionShare = 0.12;
// Of the traffic of one row that may go elsewhere, and of all rows together.
constexpr double kRowShare = 0.3;
constexpr double kRowsShare = 0.1;
// Chance moves about so many workers' square roots.
constexpr double kChance = 1;

double Total(const std::vector<double>& levels) { return std::accumulate(levels.begin(), levels.end(), 0.0); }

double Allowed(double share, double workers) { return share + kChance / std::sqrt(std::max(1.0, workers)); }

bool Larger(const SeamDifference& a, const SeamDifference& b) {
  return a.share * std::max(b.allowed, 1e-9) > b.share * std::max(a.allowed, 1e-9);
}

SeamDifference LevelThere(const char* what, const std::string& where, double seam_s, double before,
                          double after, double workers, double allowed_share) {
  return {.share = std::abs(before - after) / std::max(1.0, workers),
          .allowed = Allowed(allowed_share, workers),
          .text = absl::StrFormat("%s differ most at %.0f s, %s: %.1f after all that came before, %.1f after "
                                  "the warm-up alone, of %.0f workers (%.1f %%)",
                                  what, seam_s, where, before, after, workers,
                                  100 * std::abs(before - after) / std::max(1.0, workers))};
}

SeamDifference LevelsDiffer(const Scenario& scenario, const char* what, double seam_s,
                            const std::vector<double>& before, const std::vector<double>& after) {
  SeamDifference worst;
  double all = 0;
  for (std::size_t r = 0; r < before.size(); ++r) {
    const double workers = WorkersInDemand(scenario, RegionId(r));
    all += workers;
    const SeamDifference here = LevelThere(what, scenario.fleet->world.regions[RegionId(r)].name, seam_s,
                                           before[r], after[r], workers, kRegionShare);
    if (worst.text.empty() || Larger(here, worst)) worst = here;
  }
  const SeamDifference fleet =
      LevelThere(what, "in all", seam_s, Total(before), Total(after), all, kFleetShare);
  return worst.text.empty() || Larger(fleet, worst) ? fleet : worst;
}

SeamDifference TablesDiffer(const Scenario& scenario, double seam_s, const SeamState& before,
                            const SeamState& after) {
  SeamDifference worst{
      .share = 0, .allowed = kRowShare, .text = absl::StrFormat("table rows are the same at %.0f s", seam_s)};
  if (before.rows.size() != after.rows.size()) {
    return {.share = 1,
            .allowed = kRowShare,
            .text = absl::StrFormat("at %.0f s one of the two slices has no table in some region", seam_s)};
  }
  double all = 0;
  for (std::size_t i = 0; i < before.rows.size(); ++i) {
    const SeamRow& a = before.rows[i];
    double moved = 0;
    for (std::size_t to = 0; to < a.shares.size(); ++to) {
      moved += std::abs(a.shares[to] - after.rows[i].shares[to]) / 2;
    }
    all += moved;
    if (moved <= worst.share) continue;
    worst.share = moved;
    worst.text = absl::StrFormat(
        "table rows differ most at %.0f s, from %s (tier %s): %.1f %% of its traffic", seam_s,
        scenario.fleet->world.regions[a.source].name, scenario.fleet->tiers[a.tier].name, 100 * moved);
  }
  const double mean = all / std::max(1.0, static_cast<double>(before.rows.size()));
  const SeamDifference rows{
      .share = mean,
      .allowed = kRowsShare,
      .text = absl::StrFormat("table rows differ by %.1f %% of their traffic on average at %.0f s",
                              100 * mean, seam_s)};
  return Larger(rows, worst) ? rows : worst;
}

}  // namespace

SeamWatch::SeamWatch(const Simulation& run) : run_(run) {
  const std::size_t regions = run.scenario().fleet->world.regions.size();
  for (SeamState* state : {&began_, &ended_}) {
    state->busy.resize(regions);
    state->waiting.resize(regions);
  }
}

void SeamWatch::OnSecond(Time now) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  if (run_.slice().from_s > run_.slice().begins_s) Look(now_s, run_.slice().from_s, began_);
  if (!run_.slice().last()) Look(now_s, run_.slice().to_s, ended_);
}

void SeamWatch::Look(double now_s, double seam_s, SeamState& state) const {
  // Whole seconds, rounded to what a double makes of nanoseconds.
  const double ahead_s = std::round(seam_s - now_s);
  if (ahead_s < 0 || ahead_s >= kSpanS) return;
  ++state.seconds;
  // The tally has just closed this second.
  const std::vector<SecondTally>& seconds = run_.tally().seconds();
  const std::vector<RegionSecond>& regions = seconds[seconds.size() - 2].regions;
  for (std::size_t r = 0; r < regions.size(); ++r) state.busy[r] += static_cast<double>(regions[r].busy);
  for (std::size_t i = 0; i < run_.routers(); ++i) {
    state.waiting[run_.place(RouterId(i)).index()] += static_cast<double>(run_.waiting(RouterId(i)));
  }
  if (ahead_s > 0) return;
  for (std::vector<double>* levels : {&state.busy, &state.waiting}) {
    for (double& level : *levels) level /= state.seconds;
  }
  ReadTables(state);
}

// Those of each region's first router that has one.
void SeamWatch::ReadTables(SeamState& state) const {
  const Fleet& fleet = *run_.scenario().fleet;
  std::vector<bool> seen(fleet.world.regions.size(), false);
  for (std::size_t i = 0; i < run_.routers(); ++i) {
    const RegionId source = run_.place(RouterId(i));
    const RoutingTable* const table = run_.table(RouterId(i));
    if (table == nullptr || seen[source.index()]) continue;
    seen[source.index()] = true;
    for (const TierTable& tier : table->tiers) {
      if (!InDemand(run_.scenario(), tier.tier())) continue;
      for (std::size_t priority = 0; priority < tier.priorities(); ++priority) {
        const Row& row = tier.at(static_cast<Priority>(priority), source);
        SeamRow& shares = state.rows.emplace_back(
            SeamRow{tier.tier(), source, std::vector<double>(fleet.world.regions.size() + 1, 0.0)});
        for (const Route& route : row.routes) shares.shares[route.target.index()] += route.fraction;
        shares.shares.back() = row.shed_fraction;
      }
    }
  }
}

SeamReport CompareSeam(const Scenario& scenario, double seam_s, const SeamState& before,
                       const SeamState& after) {
  return {.busy = LevelsDiffer(scenario, "busy workers", seam_s, before.busy, after.busy),
          .waiting = LevelsDiffer(scenario, "waiting jobs", seam_s, before.waiting, after.waiting),
          .tables = TablesDiffer(scenario, seam_s, before, after)};
}

void KeepWorst(const SeamReport& seam, SeamReport& worst) {
  const auto keep = [](const SeamDifference& one, SeamDifference& most) {
    if (most.text.empty() || Larger(one, most)) most = one;
  };
  keep(seam.busy, worst.busy);
  keep(seam.waiting, worst.waiting);
  keep(seam.tables, worst.tables);
}

}  // namespace ringway::sim
