// The instruction sets that kernels are compiled for on this architecture, the plain one first.
//
// Tests name those alone: what belongs to another architecture is not skipped but absent. A set of this
// architecture that the processor lacks is skipped and says so (HasIsa). Needs nothing of the engine but the
// names of the sets.
#ifndef RINGWAY_TESTS_ENGINE_LEVELS_H_
#define RINGWAY_TESTS_ENGINE_LEVELS_H_

#include <vector>

#include "engine/cpu/isa.h"

namespace ringway::engine {

inline std::vector<Isa> LevelsOfArchitecture() {
#if defined(__x86_64__)
  return {Isa::kScalar, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Vnni, Isa::kAvx512Bf16};
#elif defined(__aarch64__)
  return {Isa::kScalar, Isa::kNeon};
#else
  return {Isa::kScalar};
#endif
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_LEVELS_H_
