// What the planner is told about the fleet at one moment: smoothed, checked numbers, nothing raw.
//
// The controller's state machine turns reports into a snapshot (controller/), the simulator does so with the
// same code, and `ringway plan` reads one from a file. load = background_load + load_cost x served RPS; see
// DESIGN terms in docs/ARCHITECTURE.md.
//
// Invariants that the planner relies on, and checks before it relies on them: finite, non-negative numbers;
// load_cost > 0 where usable_share > 0; one entry for each region of the world.
#ifndef RINGWAY_CORE_SNAPSHOT_H_
#define RINGWAY_CORE_SNAPSHOT_H_

#include <limits>
#include <memory>
#include <vector>

#include "core/ids.h"
#include "core/table.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway {

enum class InputHealth {
  kFresh,
  kStale,    // last values stand, nothing new is sent there
  kMissing,  // no values: the region takes no imports and its demand is the last one known
};

struct RegionLoad {
  double usable_share = 1;   // of maximum capacity: 1 - reserve, times the drain pace; 0 = takes nothing
  double load_cost = 0;      // load per request per second
  double load_cost_low = 0;  // interval of the estimate
  double load_cost_high = 0;
  double background_load = 0;        // load that no request of this tier causes
  double measured_load = 0;          // as last reported; for screens, no decision reads it
  PerPriority<double> demand_rps{};  // first entering here, the refused included, our retries excluded
  InputHealth health = InputHealth::kFresh;
  bool takes_more = true;  // false: a metric is missing or frozen, so it is sent no more than it gets
  bool draining = false;
};

struct TierSnapshot {
  TierId tier;
  Time at = UnixEpoch();
  IdVector<RegionId, RegionLoad> regions;
  // The table in force, which the guard moves away from only in steps. Null: none yet.
  std::shared_ptr<const TierTable> previous;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_SNAPSHOT_H_
