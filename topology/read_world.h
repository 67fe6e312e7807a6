// A World from the `spec` of a document of kind World. docs/topology.md lists every field.
//
// Round-trip times come as a matrix in the order of the regions, as pairs, or both (a pair wins). A pair
// counts both ways unless the other way is listed too. What is left out is estimated from the coordinates
// (rtt_estimate.h) and marked. Population shares are all given, summing to 1, or all left out, then equal.
//
// Bound: kRegionsMax, because the matrix of 5000 regions already takes 200 MB. O(regions^2).
#ifndef RINGWAY_TOPOLOGY_READ_WORLD_H_
#define RINGWAY_TOPOLOGY_READ_WORLD_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/fleet.h"
#include "topology/mapping.h"

namespace ringway {

inline constexpr std::size_t kRegionsMax = 5000;
inline constexpr double kRttMsMax = 10'000;

// The regions and RTTs; unusable, but safe to look at, when `problems` grew.
World ReadWorld(std::string_view name, Mapping& spec, Problems& problems);

// How a new file comes into force; none: everywhere at once. Before ReadWorld, which reads the rest of
// `spec`.
std::optional<CanarySpec> ReadCanary(Mapping& spec);

// Resolves region names with a suggestion for a misspelt one. Built once; lookups are logarithmic.
class RegionNames {
 public:
  explicit RegionNames(const World& world);
  // Reports and returns an invalid id when the place holds no known region.
  RegionId Read(const Place& place, Problems& problems) const;

 private:
  std::vector<std::pair<std::string_view, RegionId>> sorted_;
  std::vector<std::string_view> words_;
};

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_READ_WORLD_H_
