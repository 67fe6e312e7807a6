#include "controller/planner/transport.h"

#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cmath>
#include <numeric>
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
  std::vector<double> price(problem.room.size(), 0.0);
  bool rose = true;
  for (std::size_t round = 0; rose && round <= problem.room.size(); ++round) {
    rose = false;
    for (std::size_t a = 0; a < problem.arcs.size();) {
      const std::size_t first = a;
      // What the source pays now, at the dearest place that it uses: so much a nearer one may cost it.
      double pays = 0;
      for (; a < problem.arcs.size() && problem.arcs[a].source == problem.arcs[first].source; ++a) {
        if (flow.rate[a] > 0) pays = std::max(pays, problem.arcs[a].cost + price[problem.arcs[a].target]);
      }
      for (std::size_t k = first; k < a; ++k) {
        double& at = price[problem.arcs[k].target];
        if (pays - problem.arcs[k].cost <= at + kPriceRounding) continue;
        at = pays - problem.arcs[k].cost;
        rose = true;
      }
    }
  }
  return price;
}

}  // namespace ringway::planner
