// The transport problem behind the plan: sources with requests to place, targets with room, a cost for each
// permitted pair; the cheapest way to place everything. Network simplex, with arcs that may be added between
// two solves: the solver goes on from its last basis, so that the caller need name only the arcs that matter
// (refine.cc prices all others and adds those that are called for).
//
// The start: the cheapest arc first, as much as fits. What finds no room goes to a place called nowhere,
// dearer than any way through the arcs, so there is always a basis; Solve is false if some of it stays there.
// Room that nobody uses is filled by a source called nobody, at no cost. Then rounds over the sources: of a
// block of sources the best arc enters, until no arc of any source is worth it.
//
// Rates are rounded to 2^-40 of the total: whole units keep the simplex exact. Prices have the rounding of
// sums of the costs. Size: 16 bytes an arc. Pure; one owner. Sources: Ahuja, Magnanti, Orlin, Network Flows,
// chapter 11 (network simplex, block search); Dantzig on delayed column generation.
#ifndef RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_
#define RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "controller/planner/transport_tree.h"

namespace ringway::planner {

class Transport {
 public:
  struct Flow {
    std::uint32_t source;
    std::uint32_t target;
    double rate;
  };

  // `supply` > 0 of each source, `room` >= 0 of each target.
  Transport(std::vector<double> supply, std::vector<double> room);

  // `cost` >= 0 a unit, and below 1e9 / nodes. No pair twice.
  void AddArc(std::uint32_t source, std::uint32_t target, double cost);
  // False: the arcs cannot carry the supply, or the bound on pivots was reached.
  bool Solve();

  // After Solve: what flows, in no order, and what a unit more of room at a target would save, >= 0.
  std::vector<Flow> Flows() const;
  double RoomPrice(std::uint32_t target) const;
  // Of the source's arcs, each with the price of its target's room.
  double LeastCost(std::uint32_t source) const;

 private:
  using Node = TransportTree::Node;
  struct Arc {
    double cost;
    Node target;
  };
  struct Entering {
    Node source = 0;
    Arc arc{};
    double gain = 0;
  };

  Node nobody() const { return static_cast<Node>(supply_.size()); }
  Node TargetNode(std::size_t target) const { return static_cast<Node>(supply_.size() + 1 + target); }
  Node nowhere() const { return TargetNode(room_.size()); }

  void Start();
  std::vector<TransportTree::Arc> CheapestFirst(std::vector<std::int64_t>& left,
                                                std::vector<std::int64_t>& room);
  void Price(Node source, Entering& best) const;
  void PriceUnusedRoom(Entering& best) const;

  std::vector<double> supply_, room_;
  double quantum_;                      // requests/s of a unit
  std::vector<std::vector<Arc>> arcs_;  // of each source by rising cost
  std::optional<TransportTree> tree_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_TRANSPORT_H_
