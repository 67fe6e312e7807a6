// The smallest fleet that tells regions and priorities apart: two of each, one tier.
//
// For tests and fuzz targets of messages that name regions, tiers and priorities. Threads: a value.
#ifndef RINGWAY_TESTS_PROTO_TWO_REGIONS_H_
#define RINGWAY_TESTS_PROTO_TWO_REGIONS_H_

#include "core/fleet.h"

namespace ringway {

inline Fleet TwoRegions() {
  Fleet fleet;
  fleet.world.regions.push_back({.name = "east", .title = ""});
  fleet.world.regions.push_back({.name = "west", .title = ""});
  fleet.world.rtt = RttMatrix(2);
  Tier tier;
  tier.name = "video";
  tier.priorities = {"interactive", "batch"};
  tier.regions.resize(2);
  fleet.tiers.push_back(tier);
  return fleet;
}

}  // namespace ringway

#endif  // RINGWAY_TESTS_PROTO_TWO_REGIONS_H_
