#include "engine/plan/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "engine/tensor/tensor.h"

namespace ringway::engine {
namespace {

std::size_t Rounded(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

bool Overlap(const Lifetime& a, const Lifetime& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

std::size_t LivenessBound(std::span<const Lifetime> lifetimes) {
  int last = 0;
  for (const Lifetime& l : lifetimes) last = std::max(last, l.last_step);
  std::vector<std::ptrdiff_t> change(static_cast<std::size_t>(last) + 2);
  for (const Lifetime& l : lifetimes) {
    change[static_cast<std::size_t>(l.first_step)] += static_cast<std::ptrdiff_t>(Rounded(l.bytes));
    change[static_cast<std::size_t>(l.last_step) + 1] -= static_cast<std::ptrdiff_t>(Rounded(l.bytes));
  }
  std::ptrdiff_t alive = 0, most = 0;
  for (const std::ptrdiff_t c : change) most = std::max(most, alive += c);
  return static_cast<std::size_t>(most);
}

}  // namespace

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.resize(lifetimes.size());
  plan.bound_bytes = LivenessBound(lifetimes);
  std::vector<std::size_t> by_size(lifetimes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : by_size) {
    const std::size_t size = Rounded(lifetimes[i].bytes);
    std::size_t at = 0;
    for (const std::size_t other : placed) {
      if (!Overlap(lifetimes[i], lifetimes[other])) continue;
      if (at + size <= plan.offsets[other]) break;
      at = std::max(at, plan.offsets[other] + Rounded(lifetimes[other].bytes));
    }
    plan.offsets[i] = at;
    plan.total_bytes = std::max(plan.total_bytes, at + size);
    const auto place =
        std::upper_bound(placed.begin(), placed.end(), at,
                         [&](std::size_t offset, std::size_t p) { return offset < plan.offsets[p]; });
    placed.insert(place, i);
  }
  return plan;
}

}  // namespace ringway::engine
