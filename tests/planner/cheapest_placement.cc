#include "tests/planner/cheapest_placement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringway::planner {
namespace {

// Of all that is to be placed: less than this is rounding.
constexpr double kRounding = 1e-9;

struct Arc {
  int from, to;
  double room, cost;
};

}  // namespace

double CheapestPlacement(const std::vector<double>& supply, const std::vector<double>& room,
                         const std::vector<std::vector<double>>& cost) {
  const int sources = static_cast<int>(supply.size()), targets = static_cast<int>(room.size());
  const int sink = sources + targets + 1;
  std::vector<Arc> arcs;  // each followed by its reverse
  const auto connect = [&](int from, int to, double capacity, double price) {
    arcs.push_back({from, to, capacity, price});
    arcs.push_back({to, from, 0, -price});
  };
  double left = 0, total = 0;
  for (int s = 0; s < sources; ++s) {
    connect(0, 1 + s, supply[s], 0);
    left += supply[s];
    for (int t = 0; t < targets; ++t) {
      if (std::isfinite(cost[s][t])) connect(1 + s, 1 + sources + t, supply[s], cost[s][t]);
    }
  }
  for (int t = 0; t < targets; ++t) connect(1 + sources + t, sink, room[t], 0);
  const double eps = kRounding * std::max(1e-3, left);
  while (left > eps) {
    std::vector<double> far(sink + 1, std::numeric_limits<double>::infinity());
    std::vector<int> by(sink + 1, -1);
    far[0] = 0;
    bool nearer = true;
    for (int round = 0; nearer && round <= sink; ++round) {
      nearer = false;
      for (std::size_t a = 0; a < arcs.size(); ++a) {
        const Arc& arc = arcs[a];
        if (arc.room <= eps || far[arc.from] + arc.cost >= far[arc.to] - 1e-9) continue;
        far[arc.to] = far[arc.from] + arc.cost;
        by[arc.to] = static_cast<int>(a);
        nearer = true;
      }
    }
    if (by[sink] < 0) return -1;  // no room for all
    double step = left;
    for (int node = sink; node != 0; node = arcs[by[node]].from) step = std::min(step, arcs[by[node]].room);
    for (int node = sink; node != 0; node = arcs[by[node]].from) {
      arcs[by[node]].room -= step;
      arcs[by[node] ^ 1].room += step;
    }
    total += step * far[sink];
    left -= step;
  }
  return total;
}

}  // namespace ringway::planner
