// A golden file: what torch gave for hashed weights and inputs (tests/engine/reference/make_golden.py wrote
// it).
//
// Only every n-th number is kept, channels last. The metadata holds the configuration that made it, n, how
// many numbers there were, and a hash of the names and shapes of all weights (HashWeights::ListHash).
#ifndef RINGWAY_TESTS_ENGINE_GOLDEN_H_
#define RINGWAY_TESTS_ENGINE_GOLDEN_H_

#include <span>
#include <string>
#include <vector>

#include "engine/checkpoint/model_directory.h"

namespace ringway::engine {

struct Golden {
  std::vector<float> kept;
  std::string config;
  std::size_t every = 1, total = 0;
  std::uint64_t names = 0;
  double torch_bf16 = 0;  // how far torch's own bf16 is away; 0: was not asked
};
// Dies when the file is not there or not as expected.
Golden ReadGolden(const std::string& name);
Config ConfigOf(const Golden& golden);
// The part `name` of a configuration that has one for each of several networks; it has to be there.
Config ConfigOf(const Golden& golden, const char* name);
// Relative L2 distance; `all` holds every number.
double DistanceToGolden(const Golden& golden, std::span<const float> all);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_GOLDEN_H_
