#include "bench/planner/optimum.h"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/planner/cpu_clock.h"

namespace ringway::planner {
namespace {

using Graph = lemon::SmartDigraph;
using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

constexpr double kStepsPerRps = 1e6;
constexpr double kStepsPerMs = 1e3;
// Dearer than any arc: what the rings cannot place ends here.
constexpr std::int64_t kUnplaced = 10'000'000;

double SurplusRps(const Tier& tier, const RegionLoad& region) {
  const double limit = tier.route.overload_threshold * region.usable_share * (1 - tier.guard.plan_margin);
  return region.demand_rps[0] - (limit - region.background_load) / region.load_cost;
}

}  // namespace

Optimum FullOptimum(const World& world, const Tier& tier, const TierSnapshot& snapshot) {
  const double start = CpuMs();
  const std::size_t n = snapshot.regions.size();
  Optimum optimum;
  Graph graph;
  std::vector<Graph::Node> nodes(n + 1);
  for (Graph::Node& node : nodes) node = graph.addNode();
  std::vector<std::int64_t> supply(n + 1);
  for (std::size_t r = 0; r < n; ++r) {
    const double surplus = SurplusRps(tier, snapshot.regions[RegionId(r)]);
    supply[r] = std::llround(std::floor(surplus * kStepsPerRps));
    if (surplus <= 0) continue;
    optimum.away_rps += surplus;
    supply[n] -= supply[r];
  }
  std::vector<std::int64_t> costs;
  const double rtt_ms_max = tier.route.rings.back().rtt_ms_max;
  for (std::size_t s = 0; s < n; ++s) {
    if (supply[s] <= 0) continue;
    for (std::size_t t = 0; t < n; ++t) {
      const double rtt = world.rtt.ms(RegionId(s), RegionId(t));
      if (supply[t] >= 0 || rtt > rtt_ms_max) continue;
      graph.addArc(nodes[s], nodes[t]);
      costs.push_back(std::llround(rtt * kStepsPerMs));
    }
    graph.addArc(nodes[s], nodes[n]);
    costs.push_back(kUnplaced);
  }
  Graph::NodeMap<std::int64_t> supply_map(graph);
  for (std::size_t v = 0; v <= n; ++v) supply_map[nodes[v]] = supply[v];
  Graph::ArcMap<std::int64_t> cost_map(graph);
  for (std::size_t a = 0; a < costs.size(); ++a) cost_map[graph.arcFromId(static_cast<int>(a))] = costs[a];
  Simplex simplex(graph);
  simplex.supplyMap(supply_map).costMap(cost_map).supplyType(Simplex::GEQ);
  if (simplex.run() == Simplex::OPTIMAL) {
    for (std::size_t a = 0; a < costs.size(); ++a) {
      if (costs[a] == kUnplaced) continue;
      const double rps =
          static_cast<double>(simplex.flow(graph.arcFromId(static_cast<int>(a)))) / kStepsPerRps;
      optimum.placed_rps += rps;
      optimum.rtt_cost += rps * static_cast<double>(costs[a]) / kStepsPerMs;
    }
  }
  optimum.solve_ms = CpuMs() - start;
  return optimum;
}

double WaterLevel(const Tier& tier, const TierSnapshot& snapshot) {
  double demand = 0;
  double rps_per_level = 0;
  double background_rps = 0;
  for (const RegionLoad& region : snapshot.regions) {
    demand += region.demand_rps[0];
    rps_per_level += region.usable_share / region.load_cost;
    background_rps += region.background_load / region.load_cost;
  }
  return std::max(tier.route.overload_threshold, (demand + background_rps) / rps_per_level);
}

}  // namespace ringway::planner
