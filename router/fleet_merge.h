// Takes over a new fleet map without renumbering: regions and tiers that are known keep their ids.
//
// Jobs, tables, counters and tier states of a running router refer to regions and tiers by id. A new map from
// the controller may list them in another order, add some or leave some out; ids follow names, new names get
// new ids at the end. What has left stays as a region without workers, or as a retired tier that admits no
// job.
//
// Invariants: known.regions is a prefix of the result's regions, likewise the tiers. Bounds: kRegionsMax,
// kTiersMax over the life of the process; beyond them the new map is refused and a restart is needed.
// Complexity: O(regions squared). Threads: pure.
#ifndef RINGWAY_ROUTER_FLEET_MERGE_H_
#define RINGWAY_ROUTER_FLEET_MERGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "core/fleet.h"

namespace ringway::router {

inline constexpr std::size_t kRegionsMax = 10000;
inline constexpr std::size_t kTiersMax = 2000;

struct MergedFleet {
  Fleet fleet;
  IdVector<TierId, bool> retired;  // tiers that the newest map does not have
};

// A fleet of one region and no tiers: what a router knows that was told nothing.
Fleet LonelyFleet(std::string_view region);

// Empty: the new map goes beyond the bounds.
std::optional<MergedFleet> MergeFleet(const Fleet& known, const Fleet& next);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_FLEET_MERGE_H_
