// The basis of the network simplex for the transport problem: a spanning tree over sources and targets whose
// arcs carry all that flows.
//
// Every arc leads from a source to a target, costs so much a unit and has no limit of its own. Each node but
// the root knows the arc to its parent, so a tree arc is named by its lower end. The potential of a node is
// the cost of the tree's path to the root, seen from the source's side: a source pays potential(target) +
// cost along its tree arcs, so an arc outside the tree is worth entering where cost + potential(target) <
// potential(source).
//
// Invariants: balances hold in whole units, flows are >= 0. The tree is strongly feasible (Cunningham 1976):
// an arc without flow leads towards the root, that is, its lower end is a source. Pivot keeps that by the
// choice of the arc that leaves, so that degenerate pivots cannot cycle. A pivot costs the length of the
// cycle plus the size of the part that is hung elsewhere. Sources: Ahuja, Magnanti, Orlin, Network Flows,
// chapter 11. One owner.
#ifndef RINGWAY_CONTROLLER_PLANNER_TRANSPORT_TREE_H_
#define RINGWAY_CONTROLLER_PLANNER_TRANSPORT_TREE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ringway::planner {

class TransportTree {
 public:
  using Node = std::uint32_t;
  struct Arc {
    Node source;
    Node target;
    std::int64_t units;
    double cost;  // a unit
  };

  // Sources are the nodes below `sources`. `arcs` span all nodes; those without units lead towards `root`.
  // CHECKs that they span.
  TransportTree(std::size_t nodes, std::size_t sources, Node root, std::span<const Arc> arcs);

  double potential(Node node) const { return potential_[node]; }
  // The other end of the arc of which `node` is the lower end; of the root no node.
  Node parent(Node node) const { return up_[node].parent; }
  // The arc enters the tree, as much is sent through it as the cycle allows, and an arc that is empty then
  // leaves.
  void Enter(Node source, Node target, double cost);
  // All arcs of the tree, by their lower ends.
  std::vector<Arc> Arcs() const;

 private:
  static constexpr Node kNone = std::numeric_limits<Node>::max();
  struct Link {  // to the parent
    Node parent = kNone;
    std::int64_t units = 0;
    double cost = 0;
  };
  struct Leaving {
    Node lower_end = kNone;
    std::int64_t units = std::numeric_limits<std::int64_t>::max();
    bool from_source_side = false;
  };

  bool IsSource(Node node) const { return node < sources_; }
  Node Join(Node a, Node b) const;
  Leaving LeavingArc(Node source, Node target, Node join) const;
  void Push(Node source, Node target, Node join, std::int64_t units);
  // Hangs the part of the tree below `leaving` at `parent` by its node `top`.
  void Rehang(Node top, Node leaving, Link link);
  void Shift(Node top, double potential);
  void AddChild(Node parent, Node child);
  void RemoveChild(Node parent, Node child);

  std::size_t sources_;
  std::vector<Link> up_;
  std::vector<double> potential_;
  std::vector<std::uint32_t> depth_;
  std::vector<Node> first_child_, next_, previous_;  // siblings
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_TRANSPORT_TREE_H_
