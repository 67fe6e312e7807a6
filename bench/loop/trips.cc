#include "bench/loop/trips.h"

#include <algorithm>
#include <limits>

namespace ringway::bench {

Trips::Trips(const World& world, const sim::Simulation& simulation, double from_s)
    : world_(world),
      simulation_(simulation),
      from_(UnixEpoch() + Seconds(from_s)),
      idle_(world.regions.size()) {
  for (std::size_t i = 0; i < simulation.workers(); ++i) ++idle_[simulation.place(WorkerId(i))];
}

void Trips::OnForwarded(Time now, RouterId from, RouterId to, sim::JobSerial job) {
  if (now < from_) return;
  const RegionId home = simulation_.place(from);
  const double ms = world_.rtt.ms(home, simulation_.place(to));
  travelled_ms_ += ms;
  const auto [trip, first] = trips_.try_emplace(job);
  trip->second.travelled_ms += ms;
  ++trip->second.trips;
  if (!first) return;
  const double nearest_ms = NearestIdleMs(home);
  trip->second.oracle_ms = nearest_ms < std::numeric_limits<double>::infinity() ? nearest_ms : ms;
}

void Trips::OnEnded(Time now, const sim::Ending& ending) {
  const auto found = trips_.find(ending.serial);
  if (found == trips_.end()) return;
  if (ending.spilled && ending.outcome == Outcome::kDone) {
    spilled_ms_ += found->second.travelled_ms;
    spilled_trips_ += found->second.trips;
    ++spilled_jobs_;
    oracle_ms_ += found->second.oracle_ms;
    const Time started = now - ending.latency + ending.wait;
    if (ending.served_in != ending.region) {
      taken_ms_ += world_.rtt.ms(ending.region, ending.served_in);
      spilled_.Add(ToUnixSeconds(started), ending.region, ending.served_in);
    }
  }
  trips_.erase(found);
}

double Trips::NearestIdleMs(RegionId from) const {
  double nearest_ms = std::numeric_limits<double>::infinity();
  for (RegionId id(0); id != idle_.end_id(); id = RegionId(id.index() + 1)) {
    if (id == from || idle_[id] <= 0) continue;
    nearest_ms = std::min(nearest_ms, world_.rtt.ms(from, id));
  }
  return nearest_ms;
}

}  // namespace ringway::bench
