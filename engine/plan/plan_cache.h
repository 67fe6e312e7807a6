// Plans that rest, found again by what they do: the next request of a size that was seen freezes nothing.
//
// The key is a 128-bit hash of the graph's canonical text (graph/canonical.h), the passes' options, the
// backend's fingerprint and the engine's version; names of weights are not in it. So a plan that was frozen
// for one checkpoint serves another of the same structure, after it is bound to its weights. A plan that was
// taken belongs to the taker until it is given back, so two users of one structure never share an arena.
// What rests is bounded by the bytes of its arenas, and in number, because a plan of a small network is more
// steps than arena; what rested longest goes first. Any thread.
#ifndef RINGWAY_ENGINE_PLAN_PLAN_CACHE_H_
#define RINGWAY_ENGINE_PLAN_PLAN_CACHE_H_

#include <list>
#include <memory>
#include <mutex>

#include "engine/plan/plan.h"

namespace ringway::engine {

class PlanCache {
 public:
  static constexpr std::size_t kRestingMax = 64;
  // `backend` must outlive the cache and the plans taken from it.
  PlanCache(const Backend& backend, std::size_t resting_bytes_max)
      : backend_(backend), resting_bytes_max_(resting_bytes_max) {}

  // A plan of the graph, bound to these weights: one that rests here, or a new one.
  absl::StatusOr<std::unique_ptr<Plan>> Take(const Graph& graph, const PassOptions& options,
                                             std::shared_ptr<WeightSet> weights);
  // Null is nothing to give back.
  void GiveBack(std::unique_ptr<Plan> plan);

  std::size_t hits() const;
  std::size_t frozen() const;  // plans that had to be made
  std::size_t resting_bytes() const;
  std::size_t resting() const;

 private:
  std::unique_ptr<Plan> FindResting(const Hash128& key);

  const Backend& backend_;
  const std::size_t resting_bytes_max_;
  mutable std::mutex mutex_;
  std::list<std::unique_ptr<Plan>> resting_;  // the longest resting first
  std::size_t resting_bytes_ = 0, hits_ = 0, frozen_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_PLAN_CACHE_H_
