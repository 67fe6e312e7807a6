// Things in a sound topology that an operator should look at twice; never a reason to refuse it.
//
// World: pairs that are estimated; RTTs below a round trip of light between the coordinates (one of the two
// is wrong); pairs over which a third region would be less than half as far (a detour, or a bad figure;
// only looked for up to kDetourRegionsMax regions, it is cubic). Tier: workers that no ring reaches, no ring
// at all. Each kind is one line with its count and its worst case.
#ifndef RINGWAY_TOPOLOGY_REMARKS_H_
#define RINGWAY_TOPOLOGY_REMARKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/tier.h"
#include "core/world.h"

namespace ringway {

inline constexpr std::size_t kDetourRegionsMax = 300;

std::vector<std::string> WorldRemarks(const World& world);
std::vector<std::string> TierRemarks(const World& world, const Tier& tier);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_REMARKS_H_
