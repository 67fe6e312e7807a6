// How every region of every tier stands at one moment: what the dashboard's documents are made of.
//
// Made once an epoch from the machine's state and shared by everything that looks (events, timeline,
// documents), so that a number on one part of the screen is the number on another. Sums are requests per
// second: demand = home + away + shed.
//
// Pure values; O(regions x priorities x routes) a tier. Threads: one owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_PICTURE_H_
#define RINGWAY_CONTROLLER_SCREEN_PICTURE_H_

#include <vector>

#include "controller/machine.h"
#include "controller/tiers/region_status.h"
#include "core/time.h"

namespace ringway::controller {

struct TierPicture {
  IdVector<RegionId, RegionStatus> regions;
  double demand_rps = 0;
  double home_rps = 0;
  double away_rps = 0;
  double shed_rps = 0;
};
using FleetPicture = std::vector<TierPicture>;  // by TierId

FleetPicture PictureOf(const ControllerMachine& machine, Time now);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_PICTURE_H_
