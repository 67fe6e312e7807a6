// How far each row of the table in force moves towards the planned row, and the row in between.
//
// A row's progress f in [0, 1] blends old + f x (new - old), so what a region serves is linear in the f of
// all rows; the search for sound steps (StepSearch) only ever adds and scales small per-row change lists.
// Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_STEP_H_
#define RINGWAY_CONTROLLER_PLANNER_STEP_H_

#include <vector>

#include "controller/planner/draft.h"
#include "controller/planner/reach.h"
#include "controller/planner/traffic.h"
#include "core/table.h"
#include "core/tier.h"

namespace ringway::planner {

// Share of the row's requests that would go elsewhere, refusals included (total variation distance).
double RowDistance(const Row& from, const Row& to);

// The row at progress f; entries keep the explanation of `to` where it has them. Home first, then by RTT.
Row Blend(const Row& from, const Row& to, double f, RegionId source, const Reach& reach);

struct RowStep {
  Priority priority = 0;
  RegionId source;
  double distance = 0;
  double progress = 1;
  bool at_once = false;      // must not be slowed down
  std::vector<Flow> change;  // requests/s more (or less) at each target at progress 1
};

class StepSearch {
 public:
  // Steps of all rows that differ; progress set by the step limit.
  StepSearch(const Tier& tier, const Reach& reach, const Draft& draft, const TierTable& in_force,
             const TierTable& planned);

  // Changes progress until no receiver is lifted above its ceiling.
  void MakeSound();

  const std::vector<RowStep>& steps() const { return steps_; }

 private:
  Traffic TrafficNow() const;
  void SlowDown(RegionId receiver, double over_rps);
  void Hurry(RegionId receiver);

  const Tier& tier_;
  const Draft& draft_;
  Traffic before_;  // under the table in force
  std::vector<RowStep> steps_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_STEP_H_
