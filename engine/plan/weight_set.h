// The weights of one checkpoint as kernels read them: each packed once, on first demand, and then shared by
// every plan that is bound to the set.
//
// A weight is known by the key of its derivation (derived_weight.h). The size of the picture is not part of
// it, so plans of many sizes share one set, and a further size packs nothing. Peak memory while a plan is
// bound for the first time is the packed bytes, a panel for each thread, and the file's pages of the one
// tensor that is being read. What is packed stays until the set goes, so an address that was handed out holds
// as long as the set does. Any thread; one weight is made at a time, by all threads of the backend.
#ifndef RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_
#define RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/plan/derived_weight.h"

namespace ringway::engine {

class WeightSet {
 public:
  // Without a source only constants can be had.
  explicit WeightSet(std::shared_ptr<const WeightSource> source = nullptr) : source_(std::move(source)) {}

  // The address of the weight in its form; made by `backend` if it is not there.
  absl::StatusOr<const std::byte*> Get(const DerivedWeight& weight, const Backend& backend);

  // Nothing is read any more; what is not packed yet cannot be had.
  void Close();

  // Of all that was packed so far.
  std::size_t packed_bytes() const;
  std::size_t packed_weights() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const WeightSource> source_;
  std::map<std::string, Tensor, std::less<>> packed_;  // by key; as many as the graphs' weights and forms
  std::size_t packed_bytes_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_WEIGHT_SET_H_
