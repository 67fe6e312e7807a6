// The weights of one checkpoint as kernels read them: each packed once, on first demand, and then shared by
// every plan that is bound to the set.
//
// A weight is known by the key of its derivation (derived_weight.h). The size of the picture is not part of
// it, so plans of many sizes share one set, and a further size packs nothing. Peak memory while a plan is
// bound for the first time is the packed bytes, a panel for each thread, and the file's pages of the one
// tensor that is being read. With a cache of packed weights (packed_cache.h), what a network wants is mapped
// from a file that an earlier opening wrote, where there is one, and otherwise written for the next. An
// overlay is a set over another one: what its adapted weights are derived of is packed anew, all else is the
// other's, whose bytes are never touched; a plan that is bound to it is the plan of both. Its source replaces
// weights that the other set has too, or adds some that it has not. What is packed
// stays until the set goes, so an address that was handed out holds as long as the set does. Any thread; one
// weight is made at a time, by all threads of the backend.
#ifndef RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_
#define RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/plan/derived_weight.h"
#include "engine/plan/packed_cache.h"

namespace ringway::engine {

class WeightSet {
 public:
  // Without a source only constants can be had. `cache` may be null.
  explicit WeightSet(std::shared_ptr<const WeightSource> source = nullptr,
                     std::shared_ptr<PackedCache> cache = nullptr)
      : source_(std::move(source)), cache_(std::move(cache)) {}

  // An overlay on `base`: weights of whose tensors `adapts` is true of one are made from `source`. Those that
  // it adds, `base` is never asked for.
  enum class Over : std::uint8_t { kReplaces, kAdds };
  WeightSet(std::shared_ptr<WeightSet> base, std::shared_ptr<const WeightSource> source,
            std::function<bool(std::string_view)> adapts, Over over = Over::kReplaces)
      : source_(std::move(source)), base_(std::move(base)), adapts_(std::move(adapts)), over_(over) {}

  // The addresses of weights in their forms, all that a network wants; those that are not there are made by
  // `backend`.
  absl::StatusOr<std::vector<const std::byte*>> Get(std::span<const DerivedWeight> weights,
                                                    const Backend& backend);

  // Nothing is read any more; what is not packed yet cannot be had.
  void Close();

  // Of all that can be had so far; of an overlay, its own.
  std::size_t packed_bytes() const;
  std::size_t packed_weights() const;
  // Those that were made here and not found in a file.
  std::size_t derived_weights() const;

 private:
  absl::StatusOr<std::vector<const std::byte*>> GetOver(std::span<const DerivedWeight> weights,
                                                        const Backend& backend);
  bool IsAdapted(const DerivedWeight& weight) const;
  bool HasAll(std::span<const DerivedWeight> weights) const;
  // Of the file that holds exactly these; nothing where they cannot be told from those of other files.
  std::optional<Hash128> FileKey(std::span<const DerivedWeight> weights, const Backend& backend) const;
  void TakeFrom(const std::shared_ptr<const PackedFile>& file, std::span<const DerivedWeight> weights);
  absl::Status DeriveMissing(std::span<const DerivedWeight> weights, const Backend& backend);

  mutable std::mutex mutex_;
  std::shared_ptr<const WeightSource> source_;
  std::shared_ptr<PackedCache> cache_;
  std::shared_ptr<WeightSet> base_;  // of an overlay
  std::function<bool(std::string_view)> adapts_;
  Over over_ = Over::kReplaces;
  std::map<std::string, PackedEntry, std::less<>>
      packed_;  // by key; as many as the graphs' weights and forms
  std::size_t packed_bytes_ = 0, derived_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_
