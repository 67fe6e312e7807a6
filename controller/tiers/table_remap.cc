#include "controller/tiers/table_remap.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ringway::controller {
namespace {

using RegionMap = std::vector<std::optional<RegionId>>;  // by the old id

std::optional<Row> RemapRow(const Row& row, RegionId source, const RegionMap& regions, const Tier& tier) {
  Row result;
  result.shed_fraction = row.shed_fraction;
  for (Route route : row.routes) {
    const std::optional<RegionId> target = regions[route.target.index()];
    if (!target || !MaySend(tier, source, *target)) return std::nullopt;
    route.target = *target;
    result.routes.push_back(route);
  }
  return result;
}

void RemapTier(const TierTable& table, const Tier& from, const RegionMap& regions, const Tier& to,
               TierTable& result) {
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    const auto same = std::find(to.priorities.begin(), to.priorities.end(), from.priorities[p]);
    if (same == to.priorities.end()) continue;
    const auto priority = static_cast<Priority>(same - to.priorities.begin());
    for (std::size_t r = 0; r < table.regions(); ++r) {
      if (!regions[r]) continue;
      auto row = RemapRow(table.at(static_cast<Priority>(p), RegionId(r)), *regions[r], regions, to);
      if (row) result.at(priority, *regions[r]) = *std::move(row);
    }
  }
}

}  // namespace

bool MaySend(const Tier& tier, RegionId source, RegionId target) {
  if (source == target) return true;
  if (tier.regions[target].workers <= 0) return false;
  if (!tier.residency_forbidden.contains(source)) return true;
  const std::vector<RegionId>& forbidden = tier.residency_forbidden[source];
  return std::find(forbidden.begin(), forbidden.end(), target) == forbidden.end();
}

std::optional<RegionId> SameRegion(RegionId id, const Fleet& from, const Fleet& to) {
  return to.world.FindRegion(from.world.regions[id].name);
}

RoutingTable RemapTable(const RoutingTable& table, const Fleet& from, const Fleet& to) {
  RegionMap regions;
  for (std::size_t r = 0; r < from.world.regions.size(); ++r) {
    regions.push_back(SameRegion(RegionId(r), from, to));
  }
  RoutingTable result{.version = table.version, .planned_at = table.planned_at, .tiers = {}};
  for (TierId id(0); id != to.tiers.end_id(); id = TierId(id.index() + 1)) {
    const Tier& tier = to.tiers[id];
    TierTable rows = HomeTable(id, to.world.regions.size(), tier.priorities.size());
    const std::optional<TierId> old = from.FindTier(tier.name);
    if (old && table.tiers.contains(*old)) {
      RemapTier(table.tiers[*old], from.tiers[*old], regions, tier, rows);
    }
    result.tiers.push_back(std::move(rows));
  }
  return result;
}

}  // namespace ringway::controller
