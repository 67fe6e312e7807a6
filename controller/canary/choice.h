// Which routers get the settings of a canary.
//
// Of the routers of each region at which jobs enter, a share, rounded, at least one and never all: every
// region is compared within itself, against routers that see the same users at the same time. A region with a
// single such router is left out: it would have nobody to be compared with, and a region that goes over as a
// whole is not bounded by the share. Which ones is decided by a hash of the canary and of the router's name,
// so it is the same after a restart, and another one with the next canary.
//
// A router that comes later keeps the old settings until the verdict. Pure; n log n in the routers.
#ifndef RINGWAY_CONTROLLER_CANARY_CHOICE_H_
#define RINGWAY_CONTROLLER_CANARY_CHOICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::canary {

struct RouterPlace {
  std::string router;
  std::string region;
};

// Sorted names; empty where no region has two routers.
std::vector<std::string> Choose(std::string_view canary, double share,
                                const std::vector<RouterPlace>& routers);

// Even over all 64 bits: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), mixed by splitmix64's
// finalizer.
std::uint64_t PlaceInCanary(std::string_view canary, std::string_view router);

}  // namespace ringway::canary

#endif  // RINGWAY_CONTROLLER_CANARY_CHOICE_H_
