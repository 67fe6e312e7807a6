#include "bench/loop/trips.h"

#include <limits>
#include <vector>

#include "controller/planner/transport.h"
#include "core/check.h"

namespace ringway::bench {

Trips::Trips(const World& world, const sim::Simulation& simulation, double from_s)
    : world_(world),
      simulation_(simulation),
      from_(absl::UnixEpoch() + absl::Seconds(from_s)),
      idle_(world.regions.size()) {
  for (std::size_t i = 0; i < simulation.workers(); ++i) ++idle_[simulation.place(WorkerId(i))];
}

void Trips::OnForwarded(absl::Time now, RouterId from, RouterId to, sim::JobSerial job) {
  if (now < from_) return;
  const RegionId home = simulation_.place(from);
  const double ms = world_.rtt.ms(home, simulation_.place(to));
  travelled_ms_ += ms;
  const auto [trip, first] = trips_.try_emplace(job);
  trip->second.travelled_ms += ms;
  if (!first) return;
  const double nearest_ms = NearestMs(home, true);
  trip->second.oracle_ms = nearest_ms < std::numeric_limits<double>::infinity() ? nearest_ms : ms;
}

void Trips::OnEnded(absl::Time now, const sim::Ending& ending) {
  const auto found = trips_.find(ending.serial);
  if (found == trips_.end()) return;
  if (ending.spilled && ending.outcome == Outcome::kDone) {
    spilled_ms_ += found->second.travelled_ms;
    oracle_ms_ += found->second.oracle_ms;
    const absl::Time started = now - ending.latency + ending.wait;
    if (ending.served_in != ending.region)
      ++spilled_[absl::ToUnixSeconds(started)][{ending.region, ending.served_in}];
  }
  trips_.erase(found);
}

double Trips::hindsight_s() const {
  double least_ms = 0;
  for (const auto& [second, jobs] : spilled_) least_ms += LeastMs(jobs);
  return 1e-3 * least_ms;
}

double Trips::NearestMs(RegionId from, bool idle) const {
  double nearest_ms = std::numeric_limits<double>::infinity();
  for (RegionId id(0); id != idle_.end_id(); id = RegionId(id.index() + 1)) {
    if (id == from || (idle && idle_[id] <= 0)) continue;
    nearest_ms = std::min(nearest_ms, world_.rtt.ms(from, id));
  }
  return nearest_ms;
}

double Trips::LeastMs(const Pairs& jobs) const {
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
      // A job that spills leaves its region, whoever lands there.
      const double ms = region == home ? NearestMs(home, false) : world_.rtt.ms(home, region);
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
