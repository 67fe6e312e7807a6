#include "engine/plan/weight_set.h"

namespace ringway::engine {

absl::StatusOr<const std::byte*> WeightSet::Get(const DerivedWeight& weight, const Backend& backend) {
  const std::lock_guard lock(mutex_);
  auto at = packed_.find(weight.key);
  if (at == packed_.end()) {
    absl::StatusOr<Tensor> made = Derive(weight, source_.get(), backend);
    if (!made.ok()) return made.status();
    packed_bytes_ += made->size_bytes();
    at = packed_.emplace(weight.key, *std::move(made)).first;
  }
  return at->second.bytes();
}

void WeightSet::Close() {
  const std::lock_guard lock(mutex_);
  source_.reset();
}

std::size_t WeightSet::packed_bytes() const {
  const std::lock_guard lock(mutex_);
  return packed_bytes_;
}

std::size_t WeightSet::packed_weights() const {
  const std::lock_guard lock(mutex_);
  return packed_.size();
}

}  // namespace ringway::engine
