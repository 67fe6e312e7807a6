// A small random fleet with one kind of trouble that lasts, from a seed: the other half of the seed suite.
//
// Where random_world.h lets anything meet anything, so that little of a run is calm, these leave time between
// what happens: a router that stays away for good and workers that die or come back meanwhile, leaders that
// are stopped for some seconds, workers that fail and are well again, streams that break now and then, and
// users with keys who ask again and again, everywhere, while routers restart or a part of the fleet is cut
// off.
#ifndef RINGWAY_TESTS_SIM_FOCUSED_WORLD_H_
#define RINGWAY_TESTS_SIM_FOCUSED_WORLD_H_

#include <cstdint>
#include <memory>

#include "sim/scenario.h"

namespace ringway::sim {

std::shared_ptr<const Scenario> FocusedScenario(std::uint64_t seed);

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_FOCUSED_WORLD_H_
