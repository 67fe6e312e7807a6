// Pass 3, the offload loop: the region closest to its maximum capacity gives a piece of its requests to the
// nearest region, within the rings that its load unlocks, that can take it without becoming overloaded
// itself; repeat until no region is over the threshold, or none that is has a nearby region with room.
//
// Source: the loop of "How Meta animates AI-generated images at scale" (2024). Pieces halve as a region
// cools: half of its excess, at least 1 % of its capacity, so a region leaves the loop after about seven
// pieces plus one for each target that it fills. Targets only fill, so each source keeps a pointer into its
// nearest-first list that only moves forward; only the hottest region cools, so the heap changes at its top
// alone. Cost: O(moves log n + pointer steps); moves are bounded (kPiecesPerRegionMax).
//
// Escalation: by-load opens a ring while the source's level is at or above the ring's unlock load. When-full
// also opens the next ring when those are full and the source is still hot.
#ifndef RINGWAY_CONTROLLER_PLANNER_OFFLOAD_H_
#define RINGWAY_CONTROLLER_PLANNER_OFFLOAD_H_

#include <span>

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "core/tier.h"

namespace ringway::planner {

inline constexpr int kPiecesPerRegionMax = 64;

// Rings open to `source` at its present level, were all nearer ones full.
std::size_t OpenRings(const Reach& reach, const Tier& tier, const Draft& draft, RegionId source);

// Relieves the hot ones of `sources`. Returns the number of pieces moved; what is still hot found no room.
int Offload(const Reach& reach, const Tier& tier, std::span<const RegionId> sources, Draft& draft);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_OFFLOAD_H_
