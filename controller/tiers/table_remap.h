// A table of one fleet, said in the ids of another: for a new topology, and for a start from disk.
//
// Tiers, priorities and regions are matched by name. A row whose source, or any of whose targets, no longer
// exists, has no workers any more, or is forbidden to it by residency, becomes a home row; what is new starts
// at home. The version is kept. Pure; O(rows + names squared).
#ifndef RINGWAY_CONTROLLER_TIERS_TABLE_REMAP_H_
#define RINGWAY_CONTROLLER_TIERS_TABLE_REMAP_H_

#include <optional>

#include "core/fleet.h"
#include "core/table.h"

namespace ringway::controller {

RoutingTable RemapTable(const RoutingTable& table, const Fleet& from, const Fleet& to);

// May jobs from `source` be sent to `target` in this tier: it has workers, and residency allows it. Staying
// home is always allowed.
bool MaySend(const Tier& tier, RegionId source, RegionId target);

// The id in `to` of the region or tier that has this name in `from`.
std::optional<RegionId> SameRegion(RegionId id, const Fleet& from, const Fleet& to);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TABLE_REMAP_H_
