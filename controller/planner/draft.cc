#include "controller/planner/draft.h"

#include <algorithm>

namespace ringway::planner {

double Site::CapacityRps(double level) const {
  if (headroom <= 0 || cost <= 0) return 0;
  return std::max(0.0, (level * headroom - background) / cost);
}

double Site::Level(double rps) const {
  const double load = Load(rps);
  if (headroom > 0) return std::min(kLevelMax, load / headroom);
  return rps > 0 || load > 0 ? kLevelMax : 0;
}

double Draft::Epsilon(RegionId region) const {
  return 1e-9 * (sites[region].capacity_rps + sites[region].demand_total_rps) + 1e-12;
}

double Draft::RoomRps(RegionId region) const {
  const Site& site = sites[region];
  const double imported = imported_rps[region];
  return std::min(site.capacity_rps - kept_rps[region] - imported, site.import_max_rps - imported);
}

double Draft::ShedRps(RegionId region) const {
  double total = 0;
  for (const double rps : shed_rps[region]) total += rps;
  return total;
}

void Draft::Send(RegionId source, RegionId target, double rps) {
  kept_rps[source] -= rps;
  imported_rps[target] += rps;
  std::vector<Flow>& flows = away[source];
  // The last target is the likely one: the loop fills a target before it looks further.
  for (auto flow = flows.rbegin(); flow != flows.rend(); ++flow) {
    if (flow->target == target) {
      flow->rps += rps;
      return;
    }
  }
  flows.push_back({target, rps});
}

void Draft::TakeBack(RegionId source, RegionId target) {
  for (Flow& flow : away[source]) {
    if (flow.target != target) continue;
    imported_rps[target] = std::max(0.0, imported_rps[target] - flow.rps);
    kept_rps[source] += flow.rps;
    flow.rps = 0;
  }
}

void Draft::BringBack(RegionId source) {
  for (const Flow& flow : away[source]) {
    imported_rps[flow.target] = std::max(0.0, imported_rps[flow.target] - flow.rps);
    kept_rps[source] += flow.rps;
  }
  away[source].clear();
}

}  // namespace ringway::planner
