// Where the numbers of weights come from: asked for by name when a network is written, read row by row when
// they are packed.
//
// A graph holds names only (graph/op.h), so the two happen at different times, and a plan that is found in a
// cache never reads at all. Expect is the check while the graph is written: the weight is there and has the
// shape that the configuration asks for. ReadRows is called by several threads at once when weights are
// packed, so it must not change the source. Release says that a weight has been read to its end: what was
// kept in memory for it may go, which is what keeps the peak of a large model near its packed size.
#ifndef RINGWAY_ENGINE_CHECKPOINT_WEIGHT_SOURCE_H_
#define RINGWAY_ENGINE_CHECKPOINT_WEIGHT_SOURCE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/checkpoint/weights.h"

namespace ringway::engine {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual bool Has(std::string_view name) const = 0;
  // NotFound, or InvalidArgument where the weight is stored in another shape. It counts as taken.
  virtual absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) = 0;
  // Rows of the first axis from `first` on, in stored order, as many as fill `out`; a row has `row_elements`.
  virtual absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                                std::span<float> out) const = 0;
  virtual void Release(std::string_view) const {}
  // Equal for two sources only where all their numbers are: what is made of one may be kept for the other.
  // Empty: cannot be said.
  virtual std::string Identity() const { return ""; }
};

// The weights of a checkpoint on disk, owned or lent.
class StoredWeights : public WeightSource {
 public:
  explicit StoredWeights(Weights& weights) : weights_(std::shared_ptr<Weights>(), &weights) {}
  explicit StoredWeights(Weights&& weights) : weights_(std::make_shared<Weights>(std::move(weights))) {}
  bool Has(std::string_view name) const override { return weights_->Has(name); }
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    return weights_->Expect(name, dims);
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    return weights_->ReadRows(name, first, row_elements, out);
  }
  void Release(std::string_view name) const override { weights_->Release(name); }
  std::string Identity() const override { return weights_->Identity(); }
  const Weights& stored() const { return *weights_; }

 private:
  std::shared_ptr<Weights> weights_;  // without an owner where it was lent
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_WEIGHT_SOURCE_H_
