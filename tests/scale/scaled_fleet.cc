#include "tests/scale/scaled_fleet.h"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace ringway::scale {

double Poisson(Rng& rng, double mean) {
  double count = -1, gone = 0;
  for (; gone <= mean; ++count) gone += rng.Exponential();
  return count;
}

std::shared_ptr<World> LineOf(int regions) {
  auto world = std::make_shared<World>();
  world->name = "line";
  for (int i = 0; i < regions; ++i) {
    Region region;
    region.name = "r" + std::to_string(i);
    world->regions.push_back(std::move(region));
  }
  world->rtt = RttMatrix(world->regions.size());
  for (int a = 0; a < regions; ++a) {
    for (int b = 0; b < regions; ++b) {
      const auto from = RegionId(static_cast<std::size_t>(a)), to = RegionId(static_cast<std::size_t>(b));
      world->rtt.Set(from, to, a == b ? 0.5 : 20.0 * std::abs(a - b));
    }
  }
  return world;
}

std::shared_ptr<Tier> TierOf(int regions, int workers, const ScalingSpec& scaling) {
  auto tier = std::make_shared<Tier>();
  tier->name = "t";
  MetricSpec metric;
  metric.name = "busy";
  metric.capacity_per_worker = true;
  tier->metrics.push_back(std::move(metric));
  tier->route.overload_threshold = 0.95;
  tier->scaling = scaling;
  for (int i = 0; i < regions; ++i) tier->regions.push_back({.workers = workers});
  return tier;
}

ScaledFleet::ScaledFleet(std::shared_ptr<const World> world, std::shared_ptr<const Tier> tier,
                         std::uint64_t seed)
    : scaler(world, tier),
      alive(world->regions.size(), 0),
      busy(world->regions.size(), 0.0),
      fresh(world->regions.size(), 1),
      draining(world->regions.size(), 0),
      changes(world->regions.size(), 0),
      held_(world->regions.size(), planner::Held({})),
      rng_(seed) {}

void ScaledFleet::Run(double seconds, const Rate& rate, bool noise) {
  const double begin_s = now_s;
  while (now_s < begin_s + seconds) {
    now_s += kStepS;
    const Time now = UnixEpoch() + Seconds(now_s);
    IdVector<RegionId, RegionSeen> seen(alive.size());
    for (std::size_t r = 0; r < alive.size(); ++r) {
      const double mean = rate(r, now_s - begin_s) * kStepS;
      const double count = noise ? Poisson(rng_, mean) : mean;
      if (fresh[r] != 0) {
        held_[r].Add(kStepS, count, kStepS);
        scaler.Count(RegionId(r), now, kStepS, count);
      }
      seen[RegionId(r)] = {.fresh = fresh[r] != 0,
                           .demand_rps = held_[r].rate(),
                           .work_s = kServiceS,
                           .background = 0,
                           .busy = busy[r],
                           .alive = alive[r],
                           .draining = draining[r] != 0};
    }
    const IdVector<RegionId, Wanted> before = scaler.wanted();
    scaler.Decide(now, seen);
    for (std::size_t r = 0; r < alive.size(); ++r) {
      const Wanted& wanted = scaler.wanted()[RegionId(r)];
      changes[r] += wanted.known && wanted.workers != before[RegionId(r)].workers;
      if (follows && wanted.known) alive[r] = wanted.workers;
    }
  }
}

int ScaledFleet::total() const {
  int sum = 0;
  for (const Wanted& wanted : scaler.wanted()) sum += wanted.workers;
  return sum;
}

}  // namespace ringway::scale
