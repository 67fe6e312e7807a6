// Independent checks of a plan: they share no code with the planner, only the meaning of the numbers.
#ifndef RINGWAY_TESTS_PLANNER_PLAN_CHECKS_H_
#define RINGWAY_TESTS_PLANNER_PLAN_CHECKS_H_

#include "controller/planner/planner.h"
#include "tests/planner/random_case.h"

namespace ringway::planner {

// Rows: fractions positive and finite, sum 1 with the shed; no region twice; only permitted targets: within
// the last ring, not forbidden, with workers, not missing; every entry explained.
void ExpectSoundRows(const Case& c, const TierTable& table);

// Requests/s that each region serves, and of those what came from elsewhere, under a table.
struct Served {
  IdVector<RegionId, double> total_rps;
  IdVector<RegionId, double> imported_rps;
  double away_rps = 0;
  double shed_rps = 0;
};
Served ServedUnder(const Case& c, const TierTable& table);

// Requests/s that region serves at the threshold, `share` of the plan limit (1 = threshold less margin).
double CapacityRps(const Case& c, RegionId region);

// The level above which its requests are refused: above 1 only where a line keeps the important first, and
// where nobody else's workers would serve what is too much.
double ShedLevel(const Case& c, RegionId region);

// No region that imports is above the true threshold, while demand is feasible; never above the shed level.
void ExpectNobodyLifted(const Case& c, const Plan& plan);

bool HasFinding(const Plan& plan, Finding::Kind kind);
bool HasFindingFor(const Plan& plan, RegionId region);

// Can every region's surplus be placed in the room of others, over permitted pairs? (maximum flow)
bool Feasible(const Case& c);
// The surplus of all regions: the least that any plan must send away or shed.
double SurplusRps(const Case& c);

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_PLAN_CHECKS_H_
