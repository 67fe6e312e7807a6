#include "engine/plan/weight_set.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ringway::engine {

absl::StatusOr<std::vector<const std::byte*>> WeightSet::Get(std::span<const DerivedWeight> weights,
                                                             const Backend& backend) {
  const std::lock_guard lock(mutex_);
  if (base_ != nullptr) return GetOver(weights, backend);
  std::optional<Hash128> key;
  bool found = false;
  if (!HasAll(weights)) {
    if (cache_ != nullptr) key = FileKey(weights, backend);
    if (const auto file = key ? cache_->Find(*key) : nullptr; file != nullptr) {
      TakeFrom(file, weights);
      found = HasAll(weights);
    }
    if (absl::Status status = DeriveMissing(weights, backend); !status.ok()) return status;
  }
  std::vector<const std::byte*> addresses;
  std::vector<PackedEntry> entries;
  for (const DerivedWeight& weight : weights) {
    const PackedEntry& entry = packed_.find(weight.key)->second;
    addresses.push_back(entry.bytes.data());
    if (key && !found) entries.push_back(entry);
  }
  if (!entries.empty()) cache_->Store(*key, std::move(entries));
  return addresses;
}

// The other set's lock is taken under this one's, never the other way round.
absl::StatusOr<std::vector<const std::byte*>> WeightSet::GetOver(std::span<const DerivedWeight> weights,
                                                                 const Backend& backend) {
  std::vector<bool> own(weights.size());
  std::vector<DerivedWeight> shared;  // where the base does not have all
  for (std::size_t i = 0; i < weights.size(); ++i) {
    own[i] = IsAdapted(weights[i]);
    if (over_ == Over::kAdds && !own[i]) shared.push_back(weights[i]);
  }
  const auto of_base =
      base_->Get(over_ == Over::kAdds ? std::span<const DerivedWeight>(shared) : weights, backend);
  if (!of_base.ok()) return of_base.status();
  absl::StatusOr<std::vector<const std::byte*>> addresses(std::vector<const std::byte*>(weights.size()));
  for (std::size_t i = 0, next = 0; i < weights.size(); ++i) {
    if (over_ == Over::kReplaces || !own[i]) (*addresses)[i] = (*of_base)[next++];
    if (!own[i]) continue;
    if (absl::Status status = DeriveMissing(weights.subspan(i, 1), backend); !status.ok()) return status;
    (*addresses)[i] = packed_.find(weights[i].key)->second.bytes.data();
  }
  return addresses;
}

bool WeightSet::IsAdapted(const DerivedWeight& weight) const {
  return std::any_of(weight.program.nodes().begin(), weight.program.nodes().end(), [&](const Node& node) {
    const auto* named = node.As<WeightOp>();
    return named != nullptr && adapts_(named->name);
  });
}

bool WeightSet::HasAll(std::span<const DerivedWeight> weights) const {
  return std::all_of(weights.begin(), weights.end(),
                     [&](const DerivedWeight& weight) { return packed_.contains(weight.key); });
}

std::optional<Hash128> WeightSet::FileKey(std::span<const DerivedWeight> weights,
                                          const Backend& backend) const {
  const std::string identity = source_ == nullptr ? "" : source_->Identity();
  if (identity.empty()) return std::nullopt;
  std::vector<Hash128> keys;
  for (const DerivedWeight& weight : weights) keys.push_back(HashOf(weight.key));
  std::sort(keys.begin(), keys.end());  // the order is that of the network's steps, which nobody relies on
  std::string text = absl::StrCat(identity, "|", backend.PackingFingerprint(), "|", kEngineVersion, "|");
  for (const Hash128& one : keys) absl::StrAppend(&text, one.high, " ", one.low, " ");
  return HashOf(text);
}

void WeightSet::TakeFrom(const std::shared_ptr<const PackedFile>& file,
                         std::span<const DerivedWeight> weights) {
  for (const DerivedWeight& weight : weights) {
    const Hash128 key = HashOf(weight.key);
    const auto bytes = file->Find(key);
    if (!bytes || packed_.contains(weight.key)) continue;
    packed_bytes_ += bytes->size();
    packed_.emplace(weight.key, PackedEntry{key, *bytes, file});
  }
}

absl::Status WeightSet::DeriveMissing(std::span<const DerivedWeight> weights, const Backend& backend) {
  for (const DerivedWeight& weight : weights) {
    if (packed_.contains(weight.key)) continue;
    absl::StatusOr<Tensor> made = Derive(weight, source_.get(), backend);
    if (!made.ok()) return made.status();
    const auto owner = std::make_shared<const Tensor>(*std::move(made));
    packed_bytes_ += owner->size_bytes();
    ++derived_;
    packed_.emplace(weight.key,
                    PackedEntry{HashOf(weight.key), {owner->bytes(), owner->size_bytes()}, owner});
  }
  return absl::OkStatus();
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

std::size_t WeightSet::derived_weights() const {
  const std::lock_guard lock(mutex_);
  return derived_;
}

}  // namespace ringway::engine
