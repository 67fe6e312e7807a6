#include "engine/plan/plan_cache.h"

namespace ringway::engine {

absl::StatusOr<std::unique_ptr<Plan>> PlanCache::Take(const Graph& graph, const PassOptions& options,
                                                      std::shared_ptr<WeightSet> weights) {
  if (!graph.status().ok()) return graph.status();
  const CanonicalForm form = Canonical(graph, WeightNames::kLeftOut);
  std::unique_ptr<Plan> plan = FindResting(PlanKey(form, options, backend_));
  if (plan == nullptr) {
    {
      const std::lock_guard lock(mutex_);
      ++frozen_;
    }
    return Plan::Freeze(graph, options, backend_, std::move(weights));
  }
  if (weights == nullptr) weights = std::make_shared<WeightSet>();
  if (absl::Status status = plan->Bind(std::move(weights), form.names); !status.ok()) {
    GiveBack(std::move(plan));  // it is whole, with the weights that it had
    return status;
  }
  return plan;
}

std::unique_ptr<Plan> PlanCache::FindResting(const Hash128& key) {
  const std::lock_guard lock(mutex_);
  for (auto at = resting_.begin(); at != resting_.end(); ++at) {
    if ((*at)->key() != key) continue;
    std::unique_ptr<Plan> plan = std::move(*at);
    resting_.erase(at);
    resting_bytes_ -= plan->report().arena_bytes;
    ++hits_;
    return plan;
  }
  return nullptr;
}

void PlanCache::GiveBack(std::unique_ptr<Plan> plan) {
  if (plan == nullptr) return;
  const std::lock_guard lock(mutex_);
  resting_bytes_ += plan->report().arena_bytes;
  resting_.push_back(std::move(plan));
  while (resting_bytes_ > resting_bytes_max_ || resting_.size() > kRestingMax) {
    resting_bytes_ -= resting_.front()->report().arena_bytes;
    resting_.pop_front();
  }
}

std::size_t PlanCache::frozen() const {
  const std::lock_guard lock(mutex_);
  return frozen_;
}

std::size_t PlanCache::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

std::size_t PlanCache::resting() const {
  const std::lock_guard lock(mutex_);
  return resting_.size();
}

std::size_t PlanCache::resting_bytes() const {
  const std::lock_guard lock(mutex_);
  return resting_bytes_;
}

}  // namespace ringway::engine
