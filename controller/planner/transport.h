// The transport problem behind the plan: sources with requests to place, targets with room, a price for each
// permitted pair; the cheapest way to place everything (LEMON's network simplex, Debian liblemon-dev).
//
// Besides the flow it returns a lower bound that holds for a larger problem than the one solved: with the
// simplex's prices p of room (LP duality), no placement over any arcs costs less than
//   sum over sources of supply x min over targets (cost + p)  -  sum over targets of room x p.
// The caller evaluates that over all arcs (refine.cc), so an optimum over few arcs is certified over all.
//
// The only user of LEMON. Rates are rounded to 2^-40 of the total, costs to 1/1000: integers keep the simplex
// exact. Typical time: 0.3 ms at 200 regions, 2 to 6 ms at 1000, 20 to 60 ms at 5000 with 48 arcs a source.
// Pure.
#ifndef RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_
#define RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_

#include <cstdint>
#include <vector>

namespace ringway::planner {

struct TransportArc {
  std::uint32_t source;  // index into supply; arcs are ordered by source
  std::uint32_t target;  // index into room
  float cost;            // >= 0, for each unit
};

struct TransportProblem {
  std::vector<double> supply;  // > 0
  std::vector<double> room;    // >= 0, and none above the sum of the supply
  std::vector<TransportArc> arcs;
};

struct TransportFlow {
  bool solved = false;             // false: the arcs cannot carry the supply
  std::vector<double> rate;        // of each arc
  std::vector<double> room_price;  // of each target, >= 0
};

TransportFlow SolveTransport(const TransportProblem& problem);

// The least prices of room that explain an optimal flow: what one more unit of room at a target would save.
// The simplex's own are as good as a rule; where its tree falls apart (a group of sources that fills its
// targets to the brim) each part's prices have an offset of their own, and a bound made of them over all arcs
// is loose. Bellman and Ford from prices of nothing; O(arcs) a round, as many rounds as the longest chain of
// displacement.
std::vector<double> LeastPrices(const TransportProblem& problem, const TransportFlow& flow);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_
