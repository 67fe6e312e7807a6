// The weights of one part of a model with adapters applied, made row by row as they are asked for.
//
// The model's own source is read and never changed: what adapters add is computed when a row is packed, so an
// overlay (plan/weight_set.h) packs only the weights that adapters touch. Lengths of inputs (low_rank.h) need
// a pass over such weights first; Make does it. Threads: ReadRows from any number at once.
#ifndef RINGWAY_ENGINE_ADAPTERS_ADAPTED_WEIGHTS_H_
#define RINGWAY_ENGINE_ADAPTERS_ADAPTED_WEIGHTS_H_

#include "engine/adapters/adapter.h"
#include "engine/checkpoint/weight_source.h"

namespace ringway::engine {

struct ChosenAdapter {
  std::shared_ptr<const Adapter> adapter;
  double strength = 1;
};

class AdaptedWeights : public WeightSource {
 public:
  // `part` as adapters name it. Errors are those of the model's source.
  static absl::StatusOr<std::shared_ptr<const AdaptedWeights>> Make(std::shared_ptr<WeightSource> source,
                                                                    std::string_view part,
                                                                    std::vector<ChosenAdapter> adapters);
  bool Adapts(std::string_view name) const { return applied_.find(name) != applied_.end(); }
  bool adapts_nothing() const { return applied_.empty(); }

  bool Has(std::string_view name) const override { return source_->Has(name); }
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    return source_->Expect(name, dims);
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override;
  void Release(std::string_view name) const override { source_->Release(name); }

 private:
  struct Applied {
    const LowRank* delta = nullptr;
    float strength = 1;
    std::vector<float> norms = {};  // by input, for lengths of inputs
  };
  absl::Status FindNorms(const std::string& name, Applied& applied) const;

  std::shared_ptr<WeightSource> source_;
  std::vector<ChosenAdapter> adapters_;  // own what is applied
  std::map<std::string, std::vector<Applied>, std::less<>> applied_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ADAPTERS_ADAPTED_WEIGHTS_H_
