#include "controller/planner/transport.h"

#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <span>
#include <utility>

namespace ringway::planner {
namespace {

using Graph = lemon::StaticDigraph;
using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

constexpr double kCostQuantum = 1e-3;
constexpr double kRateSteps = 0x1p40;
// Costs are whole quanta in the simplex: an optimum may be this far from one of the true costs.
constexpr double kPriceRounding = 2 * kCostQuantum;

void BuildGraph(const TransportProblem& problem, Graph& graph) {
  const int sources = static_cast<int>(problem.supply.size());
  std::vector<std::pair<int, int>> ends;
  ends.reserve(problem.arcs.size());
  for (const TransportArc& arc : problem.arcs) {
    ends.emplace_back(static_cast<int>(arc.source), sources + static_cast<int>(arc.target));
  }
  graph.build(sources + static_cast<int>(problem.room.size()), ends.begin(), ends.end());
}

// Targets with room to spare have the highest potential: their room is free.
std::vector<double> RoomPrices(const TransportProblem& problem, const Graph& graph, const Simplex& simplex) {
  const int sources = static_cast<int>(problem.supply.size());
  const int targets = static_cast<int>(problem.room.size());
  std::vector<std::int64_t> potential(targets);
  for (int t = 0; t < targets; ++t) potential[t] = simplex.potential(graph.node(sources + t));
  const std::int64_t highest = targets > 0 ? *std::max_element(potential.begin(), potential.end()) : 0;
  std::vector<double> prices;
  prices.reserve(potential.size());
  for (const std::int64_t value : potential) {
    prices.push_back(static_cast<double>(highest - value) * kCostQuantum);
  }
  return prices;
}

// Where each source's arcs begin; one more for the end.
std::vector<std::uint32_t> FirstArcs(const TransportProblem& problem) {
  std::vector<std::uint32_t> first(problem.supply.size() + 1, 0);
  for (const TransportArc& arc : problem.arcs) ++first[arc.source + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

// The sources that send something to a target, for all targets.
class UsersOfTargets {
 public:
  UsersOfTargets(const TransportProblem& problem, const TransportFlow& flow)
      : first_(problem.room.size() + 1, 0) {
    for (std::size_t a = 0; a < problem.arcs.size(); ++a) {
      if (flow.rate[a] > 0) ++first_[problem.arcs[a].target + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    users_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t a = 0; a < problem.arcs.size(); ++a) {
      if (flow.rate[a] > 0) users_[next[problem.arcs[a].target]++] = problem.arcs[a].source;
    }
  }
  std::span<const std::uint32_t> Of(std::uint32_t target) const {
    return std::span(users_).subspan(first_[target], first_[target + 1] - first_[target]);
  }

 private:
  std::vector<std::uint32_t> first_, users_;
};

}  // namespace

TransportFlow SolveTransport(const TransportProblem& problem) {
  TransportFlow flow;
  const double total = std::accumulate(problem.supply.begin(), problem.supply.end(), 0.0);
  if (total <= 0) return flow;
  const double quantum = total / kRateSteps;
  const std::size_t sources = problem.supply.size();

  Graph graph;
  BuildGraph(problem, graph);
  Graph::NodeMap<std::int64_t> supply(graph);
  for (std::size_t s = 0; s < sources; ++s) {
    supply[graph.node(static_cast<int>(s))] = std::llround(std::floor(problem.supply[s] / quantum));
  }
  for (std::size_t t = 0; t < problem.room.size(); ++t) {
    // Nobody can use more room than there is supply; without the cap a tiny supply overflows the steps.
    const double room = std::min(problem.room[t], total);
    supply[graph.node(static_cast<int>(sources + t))] = -std::llround(std::ceil(room / quantum));
  }
  Graph::ArcMap<std::int64_t> cost(graph);
  for (std::size_t a = 0; a < problem.arcs.size(); ++a) {
    cost[graph.arc(static_cast<int>(a))] =
        std::llround(static_cast<double>(problem.arcs[a].cost) / kCostQuantum);
  }
  Simplex simplex(graph);
  simplex.supplyMap(supply).costMap(cost).supplyType(Simplex::GEQ);
  if (simplex.run() != Simplex::OPTIMAL) return flow;

  flow.solved = true;
  flow.rate.reserve(problem.arcs.size());
  for (std::size_t a = 0; a < problem.arcs.size(); ++a) {
    flow.rate.push_back(static_cast<double>(simplex.flow(graph.arc(static_cast<int>(a)))) * quantum);
  }
  flow.room_price = RoomPrices(problem, graph, simplex);
  return flow;
}

std::vector<double> LeastPrices(const TransportProblem& problem, const TransportFlow& flow) {
  const std::vector<std::uint32_t> first = FirstArcs(problem);
  const UsersOfTargets users(problem, flow);
  std::vector<double> price(problem.room.size(), 0.0);
  std::deque<std::uint32_t> due(problem.supply.size());
  std::iota(due.begin(), due.end(), 0);
  std::vector<char> is_due(due.size(), 1);
  // An optimal flow has no cycle that would rise for ever; costs that were rounded may.
  std::size_t left = problem.supply.size() * (problem.room.size() + 1);
  for (; !due.empty() && left > 0; --left) {
    const std::uint32_t source = due.front();
    due.pop_front();
    is_due[source] = 0;
    // What the source pays now, at the dearest place that it uses: so much a nearer one may cost it.
    double pays = 0;
    for (std::uint32_t a = first[source]; a < first[source + 1]; ++a) {
      if (flow.rate[a] > 0) pays = std::max(pays, problem.arcs[a].cost + price[problem.arcs[a].target]);
    }
    for (std::uint32_t a = first[source]; a < first[source + 1]; ++a) {
      const std::uint32_t target = problem.arcs[a].target;
      if (pays - problem.arcs[a].cost <= price[target] + kPriceRounding) continue;
      price[target] = pays - problem.arcs[a].cost;
      for (const std::uint32_t user : users.Of(target)) {
        if (!std::exchange(is_due[user], 1)) due.push_back(user);
      }
    }
  }
  return price;
}

}  // namespace ringway::planner
