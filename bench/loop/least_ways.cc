#include "bench/loop/least_ways.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "controller/planner/transport.h"
#include "core/check.h"

namespace ringway::bench {
namespace {

double NearestOtherMs(const World& world, RegionId from) {
  double nearest_ms = std::numeric_limits<double>::infinity();
  for (RegionId id(0); id != world.regions.end_id(); id = RegionId(id.index() + 1)) {
    if (id != from) nearest_ms = std::min(nearest_ms, world.rtt.ms(from, id));
  }
  return nearest_ms;
}

}  // namespace

double LeastWays::TravelledMs(const World& world) const {
  double least_ms = 0;
  for (const auto& [second, jobs] : jobs_) least_ms += OfSecond(world, jobs);
  return least_ms;
}

double LeastWays::OfSecond(const World& world, const Pairs& jobs) {
  std::map<RegionId, double> left, landed;
  for (const auto& [pair, count] : jobs) {
    left[pair.first] += count;
    landed[pair.second] += count;
  }
  std::vector<double> supply, room;
  for (const auto& [home, count] : left) supply.push_back(count);
  for (const auto& [region, count] : landed) room.push_back(count);
  planner::Transport transport(supply, room);
  std::vector<double> cost_ms;
  for (const auto& [home, count] : left) {
    for (const auto& [region, slots] : landed) {
      // A job that leaves goes elsewhere, whoever lands at home.
      const double ms = region == home ? NearestOtherMs(world, home) : world.rtt.ms(home, region);
      const std::size_t k = cost_ms.size();
      transport.AddArc(static_cast<std::uint32_t>(k / room.size()),
                       static_cast<std::uint32_t>(k % room.size()), ms);
      cost_ms.push_back(ms);
    }
  }
  RINGWAY_CHECK(transport.Solve());
  double least_ms = 0;
  for (const planner::Transport::Flow& flow : transport.Flows()) {
    least_ms += flow.rate * cost_ms[flow.source * room.size() + flow.target];
  }
  return least_ms;
}

}  // namespace ringway::bench
