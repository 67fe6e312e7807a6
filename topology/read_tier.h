// A Tier from the `spec` of a document of kind Tier. docs/topology.md lists every field.
//
// Every field but `metrics` and `regions` may be left out; its default is the one of core/tier.h, read from a
// default-made Tier so that the two cannot drift apart. After reading, the invariants of core/tier.h hold, or
// `problems` says why not. Bounds: the k*Max constants here. Linear in the file.
#ifndef RINGWAY_TOPOLOGY_READ_TIER_H_
#define RINGWAY_TOPOLOGY_READ_TIER_H_

#include <cstddef>
#include <string_view>

#include "core/tier.h"
#include "core/world.h"
#include "topology/mapping.h"

namespace ringway {

inline constexpr std::size_t kTiersMax = 256;
inline constexpr std::size_t kMetricsMax = 16;
inline constexpr std::size_t kRingsMax = 16;
inline constexpr std::size_t kResidencyRulesMax = 256;
inline constexpr int kWorkersMax = 1'000'000;  // of one tier in one region

Tier ReadTier(std::string_view name, Mapping& spec, const World& world, Problems& problems);

// The parts, each in a file of its own.
void ReadMetrics(Mapping& spec, Tier& tier, Problems& problems);
void ReadPriorities(Mapping& spec, Tier& tier, Problems& problems);
void ReadRoute(Mapping& spec, RouteSpec& route, Problems& problems);
void ReadGuard(Mapping guard, GuardSpec& spec);
void ReadDispatch(Mapping dispatch, DispatchSpec& spec);
// After the regions, whose workers are the most that may run.
void ReadScaling(Mapping& spec, const World& world, Tier& tier);
void ReadTierRegions(Mapping& spec, const World& world, Tier& tier, Problems& problems);
void ReadResidency(Mapping& spec, const World& world, Tier& tier, Problems& problems);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_READ_TIER_H_
