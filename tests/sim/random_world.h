// A small random fleet and a random day in its life, from a seed: the input of the seed suite.
//
// Two to five regions within random RTTs, one tier with a random fleet, load 40 to 120 %, users that come
// again, and up to five faults of any kind, at random times. Everything that the simulator can do to a
// fleet can happen here.
#ifndef RINGWAY_TESTS_SIM_RANDOM_WORLD_H_
#define RINGWAY_TESTS_SIM_RANDOM_WORLD_H_

#include <cstdint>
#include <memory>

#include "sim/scenario.h"

namespace ringway::sim {

// A fleet of `regions` regions, RTT 20 ms between neighbours on a line, `workers` in each, service 1 s.
Fleet LineFleet(int regions, int workers);

std::shared_ptr<const Scenario> RandomScenario(std::uint64_t seed);

// In a quarter of all worlds unary calls come twice and late, and streams whose end the other side notices
// late.
void AddRepeats(std::uint64_t seed, Scenario& scenario);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_RANDOM_WORLD_H_
