#include "controller/planner/transport.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/check.h"

namespace ringway::planner {
namespace {

constexpr double kRateSteps = 0x1p40;
// An arc that would save less a unit does not enter: sums of costs are that exact.
constexpr double kGainMin = 1e-6;
// Dearer than any way through the arcs; sums of it and costs are still exact to kGainMin.
constexpr double kNowhereCost = 0x1p30;
// As many pivots for each node at most, in one Solve: five were the most that was seen.
constexpr std::size_t kPivotsPerNodeMax = 100;
// Sources of which the best arc enters: 2 and 32 were slower by a tenth.
constexpr std::size_t kBlock = 8;

}  // namespace

Transport::Transport(std::vector<double> supply, std::vector<double> room)
    : supply_(std::move(supply)),
      room_(std::move(room)),
      quantum_(std::accumulate(supply_.begin(), supply_.end(), 0.0) / kRateSteps),
      arcs_(supply_.size()) {}

void Transport::AddArc(std::uint32_t source, std::uint32_t target, double cost) {
  RINGWAY_CHECK(cost >= 0 && cost * static_cast<double>(supply_.size() + room_.size()) < kNowhereCost);
  std::vector<Arc>& arcs = arcs_[source];
  const auto place = std::upper_bound(arcs.begin(), arcs.end(), cost,
                                      [](double value, const Arc& arc) { return value < arc.cost; });
  arcs.insert(place, {cost, TargetNode(target)});
}

bool Transport::Solve() {
  if (supply_.empty()) return true;
  if (quantum_ <= 0) return false;
  if (!tree_) Start();
  const std::size_t sources = supply_.size();
  std::size_t pivots_left = kPivotsPerNodeMax * (sources + room_.size());
  std::size_t source = 0;
  for (std::size_t idle = 0; idle <= sources;) {
    Entering best;
    for (std::size_t k = 0; k < kBlock; ++k, ++idle) {
      if (source == sources) {
        PriceUnusedRoom(best);
        source = 0;
      } else {
        Price(static_cast<Node>(source++), best);
      }
    }
    if (best.gain <= kGainMin) continue;
    if (pivots_left-- == 0) return false;
    tree_->Enter(best.source, best.arc.target, best.arc.cost);
    idle = 0;
  }
  const std::vector<TransportTree::Arc> arcs = tree_->Arcs();
  return std::none_of(arcs.begin(), arcs.end(), [this](const TransportTree::Arc& arc) {
    return arc.target == nowhere() && arc.source != nobody() && arc.units > 0;
  });
}

// Costs rise along the list and room seldom has a price below nothing: what costs as much as the best is not
// better. Where a price is below nothing for a while, nobody's arc to it enters first.
void Transport::Price(Node source, Entering& best) const {
  const double pays = tree_->potential(source);
  double least = pays - best.gain;
  for (const Arc& arc : arcs_[source]) {
    if (arc.cost >= least) break;
    const double would_pay = arc.cost + tree_->potential(arc.target);
    if (would_pay >= least) continue;
    least = would_pay;
    best = {source, arc, pays - would_pay};
  }
}

void Transport::PriceUnusedRoom(Entering& best) const {
  const double pays = tree_->potential(nobody());
  for (std::size_t t = 0; t < room_.size(); ++t) {
    const double gain = pays - tree_->potential(TargetNode(t));
    if (gain > best.gain) best = {nobody(), {0, TargetNode(t)}, gain};
  }
}

void Transport::Start() {
  std::vector<std::int64_t> left, room;
  std::int64_t nowhere_left = 1;  // a unit more than all: nobody is always there, too
  for (const double rate : supply_) {
    left.push_back(std::llround(std::floor(rate / quantum_)));
    nowhere_left += left.back();
  }
  for (const double rate : room_) {
    // Nobody can use more room than there is supply: one unit more says that some is left. At least a unit,
    // so that every target has a place in the tree.
    room.push_back(std::llround(std::clamp(std::ceil(rate / quantum_), 1.0, kRateSteps + 1)));
  }
  std::vector<TransportTree::Arc> arcs = CheapestFirst(left, room);

  // Each assignment used up a source or a target, so a part of the tree has one that is not used up, or none.
  std::vector<Node> part(supply_.size() + room_.size() + 2);
  std::iota(part.begin(), part.end(), Node{0});
  const auto find = [&part](Node node) {
    while (part[node] != node) node = part[node] = part[part[node]];
    return node;
  };
  for (const TransportTree::Arc& arc : arcs) part[find(arc.source)] = find(arc.target);
  const auto hang = [&](Node source, Node target, std::int64_t units, double cost) {
    arcs.push_back({source, target, units, cost});
    part[find(source)] = find(target);
  };
  for (std::size_t s = 0; s < left.size(); ++s) {
    if (left[s] > 0) hang(static_cast<Node>(s), nowhere(), left[s], kNowhereCost);
    nowhere_left -= left[s];
  }
  hang(nobody(), nowhere(), nowhere_left, 0);
  for (std::size_t t = 0; t < room.size(); ++t) {
    if (room[t] > 0) hang(nobody(), TargetNode(t), room[t], 0);
  }
  for (std::size_t s = 0; s < left.size(); ++s) {
    if (find(static_cast<Node>(s)) != find(nowhere())) hang(static_cast<Node>(s), nowhere(), 0, kNowhereCost);
  }
  tree_.emplace(part.size(), supply_.size() + 1, nowhere(), arcs);
}

std::vector<TransportTree::Arc> Transport::CheapestFirst(std::vector<std::int64_t>& left,
                                                         std::vector<std::int64_t>& room) {
  struct Next {
    double cost;
    Node source;
    std::size_t arc;
    bool operator<(const Next& o) const { return cost != o.cost ? cost > o.cost : source > o.source; }
  };
  std::vector<Next> heap;
  for (std::size_t s = 0; s < arcs_.size(); ++s) {
    if (!arcs_[s].empty()) heap.push_back({arcs_[s].front().cost, static_cast<Node>(s), 0});
  }
  std::make_heap(heap.begin(), heap.end());
  std::vector<TransportTree::Arc> flows;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Next& next = heap.back();
    const std::vector<Arc>& arcs = arcs_[next.source];
    const Node target = arcs[next.arc].target;
    std::int64_t& fits = room[target - TargetNode(0)];
    const std::int64_t units = std::min(left[next.source], fits);
    if (units > 0) flows.push_back({next.source, target, units, next.cost});
    left[next.source] -= units;
    fits -= units;
    ++next.arc;
    while (next.arc < arcs.size() && room[arcs[next.arc].target - TargetNode(0)] == 0) ++next.arc;
    if (left[next.source] == 0 || next.arc == arcs.size()) {
      heap.pop_back();
      continue;
    }
    next.cost = arcs[next.arc].cost;
    std::push_heap(heap.begin(), heap.end());
  }
  return flows;
}

std::vector<Transport::Flow> Transport::Flows() const {
  std::vector<Flow> flows;
  if (!tree_) return flows;
  for (const TransportTree::Arc& arc : tree_->Arcs()) {
    if (arc.units == 0 || arc.source == nobody() || arc.target == nowhere()) continue;
    flows.push_back({arc.source, arc.target - TargetNode(0), static_cast<double>(arc.units) * quantum_});
  }
  return flows;
}

double Transport::LeastCost(std::uint32_t source) const {
  double least = std::numeric_limits<double>::max();
  for (const Arc& arc : arcs_[source]) {
    least = std::min(least, arc.cost + RoomPrice(arc.target - TargetNode(0)));
  }
  return least;
}

double Transport::RoomPrice(std::uint32_t target) const {
  if (!tree_) return 0;
  return std::max(0.0, tree_->potential(TargetNode(target)) - tree_->potential(nobody()));
}

}  // namespace ringway::planner
