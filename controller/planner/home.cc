#include "controller/planner/home.h"

#include <algorithm>
#include <utility>

namespace ringway::planner {
namespace {

// What a table sends from each source to each target at today's demand.
template <class Visit>
void ForEachRemoteFlow(const TierTable& table, const Draft& draft, RegionId source, Visit visit) {
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    const double demand_rps = draft.sites[source].demand_rps[p];
    for (const Route& route : table.at(static_cast<Priority>(p), source).routes) {
      if (route.target != source) visit(route.target, demand_rps * route.fraction);
    }
  }
}

// Regions without fresh numbers, or without one of their metrics, may keep their imports but get no more.
void CapImports(const TierTable* in_force, Draft& draft) {
  IdVector<RegionId, double> imports_rps(draft.size());
  if (in_force != nullptr) {
    ForEachRegion(draft.size(), [&](RegionId source) {
      ForEachRemoteFlow(*in_force, draft, source,
                        [&](RegionId target, double rps) { imports_rps[target] += rps; });
    });
  }
  ForEachRegion(draft.size(), [&](RegionId region) {
    Site& site = draft.sites[region];
    if (!site.takes_more) site.import_max_rps = std::min(site.import_max_rps, imports_rps[region]);
  });
}

// A row that refuses everybody is good for nobody: it was an answer to numbers that have gone since.
bool LetsSomebodyIn(const TierTable& in_force, RegionId source) {
  for (std::size_t p = 0; p < in_force.priorities(); ++p) {
    if (in_force.at(static_cast<Priority>(p), source).routes.empty()) return false;
  }
  return true;
}

bool KeepsItsRow(const TierTable& in_force, const Reach& reach, const Draft& draft, RegionId source) {
  bool fits = LetsSomebodyIn(in_force, source);
  std::vector<Flow> flows;
  ForEachRemoteFlow(in_force, draft, source, [&](RegionId target, double rps) {
    flows.push_back({target, rps});
  });
  std::sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) { return a.target < b.target; });
  double same_target_rps = 0;
  for (std::size_t k = 0; k < flows.size(); ++k) {
    const RegionId target = flows[k].target;
    same_target_rps = k > 0 && flows[k - 1].target == target ? same_target_rps + flows[k].rps : flows[k].rps;
    fits = fits && reach.RingOf(source, target).has_value() && draft.sites[target].import_max_rps > 0 &&
           same_target_rps <= draft.RoomRps(target) + draft.Epsilon(target);
  }
  return fits;
}

void Freeze(const TierTable& in_force, Draft& draft, RegionId source) {
  draft.sites[source].frozen = true;
  ForEachRemoteFlow(in_force, draft, source,
                    [&](RegionId target, double rps) { draft.Send(source, target, rps); });
  for (std::size_t p = 0; p < in_force.priorities(); ++p) {
    const double shed_rps =
        draft.sites[source].demand_rps[p] * in_force.at(static_cast<Priority>(p), source).shed_fraction;
    draft.shed_rps[source][p] = shed_rps;
    draft.kept_rps[source] -= shed_rps;
  }
  draft.kept_rps[source] = std::max(0.0, draft.kept_rps[source]);
}

}  // namespace

Draft BringHome(IdVector<RegionId, Site> sites, const Reach& reach, const TierTable* in_force) {
  Draft draft;
  draft.sites = std::move(sites);
  const std::size_t n = draft.size();
  draft.kept_rps.resize(n);
  draft.imported_rps.resize(n);
  draft.away.resize(n);
  draft.shed_rps.resize(n);
  ForEachRegion(n, [&](RegionId region) {
    const Site& site = draft.sites[region];
    const bool serves_nothing = site.capacity_rps <= 0 && site.demand_total_rps <= 0;
    draft.kept_rps[region] = serves_nothing ? kTraceRps : site.demand_total_rps;
  });
  CapImports(in_force, draft);
  if (in_force == nullptr) return draft;
  ForEachRegion(n, [&](RegionId region) {
    if (draft.sites[region].stale && KeepsItsRow(*in_force, reach, draft, region)) {
      Freeze(*in_force, draft, region);
    }
  });
  return draft;
}

}  // namespace ringway::planner
