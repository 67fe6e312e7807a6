// Synthetic worlds for the planner's benchmark and tests: regions in metropolitan clusters, log-normal
// demand.
//
// 2 sqrt(n) metros at random places, popularity falling as 1 / (1 + 0.3 k); regions scatter around them.
// RTT = 1 ms + 1.4 ms for each 100 km of great circle, so the triangle inequality holds. Fleets are
// log-normal (median 20 GPUs, sigma 0.8, at least 4), their load cost is within 20 % of the prior. Demand is
// log-normal (sigma 0.45) around the fleet's size, and one region in twenty gets three times that; all of it
// is scaled so that it makes `load` of what the fleets serve at the overload threshold. Rings of 20, 60, 120
// and 300 ms. Same seed, same world, on every machine.
#ifndef RINGWAY_BENCH_PLANNER_FLEET_GENERATOR_H_
#define RINGWAY_BENCH_PLANNER_FLEET_GENERATOR_H_

#include <cstdint>
#include <memory>

#include "core/snapshot.h"
#include "core/tier.h"
#include "core/world.h"

namespace ringway::planner {

struct SyntheticFleet {
  std::shared_ptr<const World> world;
  std::shared_ptr<Tier> tier;  // plan margin 0, refine optimal; the caller may change it before planning
};

SyntheticFleet MakeFleet(std::size_t regions, std::uint64_t seed);

// The tier of MakeFleet with its own fleets, for a world that comes from elsewhere.
std::shared_ptr<Tier> MakeTier(std::size_t regions, std::uint64_t seed);

// Demand of `load` x what the tier serves at its overload threshold.
TierSnapshot MakeSnapshot(const Tier& tier, double load, std::uint64_t seed);

}  // namespace ringway::planner

#endif  // RINGWAY_BENCH_PLANNER_FLEET_GENERATOR_H_
