#include "controller/planner/transport_tree.h"

#include "core/check.h"

namespace ringway::planner {

TransportTree::TransportTree(std::size_t nodes, std::size_t sources, Node root, std::span<const Arc> arcs)
    : sources_(sources),
      up_(nodes),
      potential_(nodes),
      depth_(nodes),
      first_child_(nodes, kNone),
      next_(nodes, kNone),
      previous_(nodes, kNone) {
  RINGWAY_CHECK(arcs.size() + 1 == nodes);
  std::vector<std::vector<const Arc*>> at(nodes);
  for (const Arc& arc : arcs) {
    at[arc.source].push_back(&arc);
    at[arc.target].push_back(&arc);
  }
  std::vector<Node> reached = {root};
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const Node node = reached[k];
    for (const Arc* arc : at[node]) {
      const Node other = arc->source == node ? arc->target : arc->source;
      if (other == up_[node].parent) continue;
      up_[other] = {node, arc->units, arc->cost};
      potential_[other] = potential_[node] + (IsSource(other) ? arc->cost : -arc->cost);
      depth_[other] = depth_[node] + 1;
      AddChild(node, other);
      reached.push_back(other);
    }
    RINGWAY_CHECK(reached.size() <= nodes);
  }
  RINGWAY_CHECK(reached.size() == nodes);
}

void TransportTree::Enter(Node source, Node target, double cost) {
  const Node join = Join(source, target);
  const Leaving leaving = LeavingArc(source, target, join);
  Push(source, target, join, leaving.units);
  const Node top = leaving.from_source_side ? source : target;
  const Node parent = leaving.from_source_side ? target : source;
  Rehang(top, leaving.lower_end, {parent, leaving.units, cost});
  Shift(top, potential_[parent] + (IsSource(top) ? cost : -cost));
}

TransportTree::Node TransportTree::Join(Node a, Node b) const {
  while (a != b) {
    if (depth_[a] >= depth_[b]) {
      a = up_[a].parent;
    } else {
      b = up_[b].parent;
    }
  }
  return a;
}

// Of the arcs whose flow falls first to nothing the last one in the direction of the cycle, seen from the
// join: that keeps the tree strongly feasible. The cycle runs down from the join to the source, through the
// entering arc and up from the target, so an arc loses flow where its lower end is a source on the first
// leg and a target on the second.
TransportTree::Leaving TransportTree::LeavingArc(Node source, Node target, Node join) const {
  Leaving leaving;
  for (Node node = source; node != join; node = up_[node].parent) {
    if (IsSource(node) && up_[node].units < leaving.units) leaving = {node, up_[node].units, true};
  }
  for (Node node = target; node != join; node = up_[node].parent) {
    if (!IsSource(node) && up_[node].units <= leaving.units) leaving = {node, up_[node].units, false};
  }
  return leaving;
}

void TransportTree::Push(Node source, Node target, Node join, std::int64_t units) {
  if (units == 0) return;
  for (Node node = source; node != join; node = up_[node].parent) {
    up_[node].units += IsSource(node) ? -units : units;
  }
  for (Node node = target; node != join; node = up_[node].parent) {
    up_[node].units += IsSource(node) ? units : -units;
  }
}

void TransportTree::Rehang(Node top, Node leaving, Link link) {
  for (Node node = top;;) {
    const Link old = up_[node];
    RemoveChild(old.parent, node);
    up_[node] = link;
    AddChild(link.parent, node);
    if (node == leaving) return;
    link = {node, old.units, old.cost};
    node = old.parent;
  }
}

// In preorder, so that a parent's depth is right before its children's.
void TransportTree::Shift(Node top, double potential) {
  const double shift = potential - potential_[top];
  for (Node node = top;;) {
    potential_[node] += shift;
    depth_[node] = depth_[up_[node].parent] + 1;
    if (first_child_[node] != kNone) {
      node = first_child_[node];
      continue;
    }
    while (node != top && next_[node] == kNone) node = up_[node].parent;
    if (node == top) return;
    node = next_[node];
  }
}

void TransportTree::AddChild(Node parent, Node child) {
  const Node next = first_child_[parent];
  next_[child] = next;
  previous_[child] = kNone;
  if (next != kNone) previous_[next] = child;
  first_child_[parent] = child;
}

void TransportTree::RemoveChild(Node parent, Node child) {
  const Node next = next_[child], previous = previous_[child];
  (previous == kNone ? first_child_[parent] : next_[previous]) = next;
  if (next != kNone) previous_[next] = previous;
}

std::vector<TransportTree::Arc> TransportTree::Arcs() const {
  std::vector<Arc> arcs;
  arcs.reserve(up_.size());
  for (Node node = 0; node < up_.size(); ++node) {
    const Link& up = up_[node];
    if (up.parent == kNone) continue;
    arcs.push_back(IsSource(node) ? Arc{node, up.parent, up.units, up.cost}
                                  : Arc{up.parent, node, up.units, up.cost});
  }
  return arcs;
}

}  // namespace ringway::planner
