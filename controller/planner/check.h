// Pass 1, check: numbers that no plan may stand on are replaced, and a finding says by what.
//
//   usable share   not a number, negative: what the tier provisions, and no new imports; above 1: 1
//   load cost      not a number, <= 0, or more than jump_max away from its prior: the prior
//   background     not a number, negative: 0; more than jump_max: the region counts as full
//   demand         not a number, negative: 0, and the row stays as it is;
//                  above jump_max x what the whole tier serves: that
//   stale          the row stays as it is, and nothing new is sent there
//   takes no more  nothing new is sent there: a metric is missing or frozen
//   missing        no imports; the last known numbers stand, or the priors where there are none
//
// Jumps in time are the estimates' business (demand.h): this pass sees one snapshot. O(n); pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_CHECK_H_
#define RINGWAY_CONTROLLER_PLANNER_CHECK_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/finding.h"
#include "core/snapshot.h"
#include "core/tier.h"

namespace ringway::planner {

// The level above which a table refuses a region's requests.
double ShedLevel(const Tier& tier, const TierRegion& provisioned);

// One site for each of the world's `regions`, limits set to where each region is hot.
IdVector<RegionId, Site> CheckInputs(const Tier& tier, std::size_t regions, const TierSnapshot& snapshot,
                                     std::vector<Finding>& findings);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_CHECK_H_
