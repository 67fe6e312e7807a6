// From a snapshot of the fleet to a routing table: a pure function, written as a list of passes.
//
//   check -> home -> offload loop -> fair share -> refine -> guard -> explain
//
// Source of the algorithm: the traffic management described in "How Meta animates AI-generated images at
// scale" (2024): bring all traffic home on paper, then repeatedly take the region closest to its maximum
// capacity and move a piece of its requests to the nearest region, within the rings that its load unlocks,
// that can take it without becoming overloaded. Fair share (water-filling), refinement (minimum-cost flow)
// and the guard are this project's.
//
// A Planner holds what depends on the topology alone (neighbour order, arcs of each ring) and is built once
// per world and tier. Solve has no state: the same snapshot gives the same plan, byte for byte. It never
// fails and never makes a bad table: a bad input is named in Plan::findings, and where no sound table can be
// made the previous one, or home, is returned.
//
// Invariants of every plan: each row's fractions and its shed sum to 1 within 1e-9; no target that the
// source's residency forbids, that is missing or has no usable capacity; no receiver lifted above its
// threshold by imports while demand is feasible. Complexity: see docs/benchmarks.md. Threads: Solve is const
// and re-entrant.
#ifndef RINGWAY_CONTROLLER_PLANNER_PLANNER_H_
#define RINGWAY_CONTROLLER_PLANNER_PLANNER_H_

#include <memory>
#include <string>
#include <vector>

#include "controller/planner/finding.h"
#include "core/ids.h"
#include "core/snapshot.h"
#include "core/table.h"
#include "core/tier.h"
#include "core/world.h"

namespace ringway::planner {

// The plan's own account of itself, for screens, benchmarks and checks.
struct PlanFacts {
  IdVector<RegionId, double> home_load;     // with all traffic at home
  IdVector<RegionId, double> planned_load;  // under the new table
  double demand_rps = 0;
  double away_rps = 0;  // served outside its source region
  double shed_rps = 0;
  double away_min_rps = 0;      // the least that any plan must send away or shed
  double rtt_cost = 0;          // sum of RPS x RTT in ms over all remote traffic, under the refined plan
  double rtt_cost_loop = 0;     // the same after the offload loop alone
  double rtt_cost_optimal = 0;  // no plan with these requests away costs less (certified lower bound); 0 when
                                // the optimal refine did not run
  int moves = 0;                // pieces moved by the loop
};

struct Plan {
  TierTable table;
  PlanFacts facts;
  std::vector<Finding> findings;
  bool changed = false;  // differs from TierSnapshot::previous
};

class Planner {
 public:
  Planner(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier);
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  Plan Solve(const TierSnapshot& snapshot) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_PLANNER_H_
