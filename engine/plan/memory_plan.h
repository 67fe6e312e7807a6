// Where every value of a frozen plan lies: values that are never alive together share memory.
//
// A value lives from the step that makes it to the last step that reads it. The bound below which no plan can
// go is the largest sum of sizes alive at one step. Placement is greedy by size: the largest value first,
// each at the lowest offset free of those already placed whose lives overlap its own (Pisarchyk and Lee,
// arXiv:2001.03288, "greedy by size", which they measured within a few percent of the bound). O(n^2) for n
// values, n some thousands, once a freeze.
#ifndef RINGWAY_ENGINE_PLAN_MEMORY_PLAN_H_
#define RINGWAY_ENGINE_PLAN_MEMORY_PLAN_H_

#include <cstddef>
#include <span>
#include <vector>

namespace ringway::engine {

struct Lifetime {
  std::size_t bytes = 0;
  int first_step = 0;
  int last_step = 0;  // inclusive
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  // one for each lifetime, aligned to kAlignment
  std::size_t total_bytes = 0;
  std::size_t bound_bytes = 0;  // the liveness bound, with every size rounded up to kAlignment
};

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_MEMORY_PLAN_H_
