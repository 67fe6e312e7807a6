#include "bench/loop/trips.h"

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
  if (left_.insert(job).second) least_ms_ += NearestIdleMs(home, ms);
}

double Trips::NearestIdleMs(RegionId from, double otherwise_ms) const {
  double nearest_ms = otherwise_ms;
  bool found = false;
  for (RegionId id(0); id != idle_.end_id(); id = RegionId(id.index() + 1)) {
    if (id == from || idle_[id] <= 0) continue;
    const double ms = world_.rtt.ms(from, id);
    if (found && ms >= nearest_ms) continue;
    found = true;
    nearest_ms = ms;
  }
  return nearest_ms;
}

}  // namespace ringway::bench
