// How one region of one tier stands, for screens, metrics and explanations: no decision reads it.
//
// Loads are shares of provisioned capacity; rates are requests per second; shares are in [0, 1]. Planned and
// home load come from the last plan and are zero before it. Demand includes what is pinned, because a person
// asks what enters there. Pure functions of the loop's state; O(priorities x routes) a region, plus a
// snapshot where none is given.
#ifndef RINGWAY_CONTROLLER_TIERS_REGION_STATUS_H_
#define RINGWAY_CONTROLLER_TIERS_REGION_STATUS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/tiers/tier_loop.h"
#include "core/snapshot.h"
#include "core/time.h"

namespace ringway::controller {

struct RegionStatus {
  int workers = 0;
  int workers_seen = 0;
  std::optional<int> workers_wanted;  // none: the tier is not scaled, or nothing was heard of the region yet
  double load = 0;
  double planned_load = 0;
  double home_load = 0;
  double demand_rps = 0;
  PerPriority<double> demand_by_priority_rps{};
  double served_rps = 0;      // arriving, from all sources
  double exported_share = 0;  // of its demand, by the table in force
  double shed_share = 0;
  double load_cost = 0;
  double load_cost_low = 0;
  double load_cost_high = 0;
  InputHealth health = InputHealth::kMissing;
  double drain_share = 0;
  bool pinned = false;
};
std::string_view InputHealthName(InputHealth health);

RegionStatus StatusOf(const TierLoop& loop, RegionId region, Time now);
// With the plan's loads of `plan` (may be null) and the rows of `table` (may be null) in place of those in
// force.
RegionStatus StatusUnder(const TierLoop& loop, const TierSnapshot& snapshot, const planner::Plan* plan,
                         const TierTable* table, RegionId region, Time now);

// Why the region's rows are as they are: sentences for a person, in order.
std::vector<std::string> ExplainRegion(const TierLoop& loop, RegionId region, Time now);

// "priority interactive: 70% home, 30% eu-west-1 (overload)".
std::string DescribeRow(const Row& row, RegionId source, const World& world, const Tier& tier);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_REGION_STATUS_H_
