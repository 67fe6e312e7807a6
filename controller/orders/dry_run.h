// What would the tables be if: a plan with edited settings, on the inputs of now, that changes nothing.
//
// The edited plan is the one that the loop would settle on: it is made without the previous table, so that
// step limits do not stand between the question and the answer. Drains that are under way count as far as
// they are going, and pins hold, as they would. Pure; one Solve, and one Planner construction.
#ifndef RINGWAY_CONTROLLER_ORDERS_DRY_RUN_H_
#define RINGWAY_CONTROLLER_ORDERS_DRY_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/tiers/region_status.h"
#include "controller/tiers/tier_loop.h"
#include "core/time.h"

namespace ringway::controller {

struct DryRunEdit {
  std::optional<double> overload_threshold;
  std::vector<std::pair<std::string, double>> drain;         // region, share of its capacity
  std::vector<std::pair<std::string, double>> demand_scale;  // region, factor
};

struct DryRunOutcome {
  TierTable table;
  IdVector<RegionId, RegionStatus> before;
  IdVector<RegionId, RegionStatus> after;
  std::vector<std::string> changes;  // one sentence a row that changes
};

// What the loop would settle on.
struct SettledPlan {
  std::shared_ptr<const Tier> tier;
  TierSnapshot snapshot;  // nothing pinned aside
  planner::Plan plan;
};
// Errors: as DryRun.
absl::StatusOr<SettledPlan> Settle(const TierLoop& loop, const DryRunEdit& edit, Time now);

// Errors: NotFound (a region), InvalidArgument (a threshold or factor out of range).
absl::StatusOr<DryRunOutcome> DryRun(const TierLoop& loop, const DryRunEdit& edit, Time now);

// From `was`, as it is in force, to what `is` would settle on: the same tier under other orders. Its mode and
// pins count, so where it does not follow its plan the table is the one that it has. Errors: as DryRun.
absl::StatusOr<DryRunOutcome> DryRunBetween(const TierLoop& was, const TierLoop& is, const DryRunEdit& edit,
                                            Time now);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_ORDERS_DRY_RUN_H_
