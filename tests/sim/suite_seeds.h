// Which seeds a suite runs, and the world of each: RINGWAY_SEEDS=first-last in the place of its own.
//
// Pure but for the environment, which is read anew at each call.
#ifndef RINGWAY_TESTS_SIM_SUITE_SEEDS_H_
#define RINGWAY_TESTS_SIM_SUITE_SEEDS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "sim/scenario.h"
#include "tests/sim/focused_world.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {

struct Seeds {
  std::uint64_t first;
  std::uint64_t last;
};

inline Seeds WantedSeeds(Seeds seeds) {
  if (const char* text = std::getenv("RINGWAY_SEEDS")) {
    const int read = std::sscanf(text, "%lu-%lu", &seeds.first, &seeds.last);
    if (read == 1) seeds.last = seeds.first;
    if (read < 1 || seeds.first > seeds.last) {
      std::fprintf(stderr, "RINGWAY_SEEDS='%s' is no seed and no range such as 1-48\n", text);
      std::exit(2);
    }
  }
  return seeds;
}

// In so many everything occurs.
inline constexpr std::uint64_t kSeedsForAll = 24;

// Beyond these every second world is a small one with time between its troubles.
inline std::shared_ptr<const Scenario> WorldOf(std::uint64_t seed) {
  return seed > kSeedsForAll && seed % 2 == 1 ? FocusedScenario(seed) : RandomScenario(seed);
}

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_SUITE_SEEDS_H_
