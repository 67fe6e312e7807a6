// The least cost of a transport problem, found without the planner's solver: successive cheapest paths by
// Bellman and Ford in a graph of a root, the sources, the targets and a sink. Slow and plain on purpose.
//
// `cost[s][t]` is infinite where source s may not use target t. The answer is exact up to what rounding
// leaves unplaced, 1e-9 of the supply. -1: there is no room for all. O(paths x sources x targets x rounds).
#ifndef RINGWAY_TESTS_PLANNER_CHEAPEST_PLACEMENT_H_
#define RINGWAY_TESTS_PLANNER_CHEAPEST_PLACEMENT_H_

#include <vector>

namespace ringway::planner {

double CheapestPlacement(const std::vector<double>& supply, const std::vector<double>& room,
                         const std::vector<std::vector<double>>& cost);

}  // namespace ringway::planner

#endif  // RINGWAY_TESTS_PLANNER_CHEAPEST_PLACEMENT_H_
