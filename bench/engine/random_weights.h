// Weights for networks whose speed is measured, not their pictures: a short cycle of small numbers, quick to
// make.
//
// Every weight has its own memory, so that a run reads as much as a real one; the values keep activations
// within the range in which exponentials cost what they cost in earnest.
#ifndef RINGWAY_BENCH_ENGINE_RANDOM_WEIGHTS_H_
#define RINGWAY_BENCH_ENGINE_RANDOM_WEIGHTS_H_

#include <cmath>

#include "engine/networks/weight_source.h"

namespace ringway::bench {

class RandomWeights : public engine::WeightSource {
 public:
  absl::Status Expect(std::string_view, const std::vector<std::int64_t>&) override {
    return absl::OkStatus();
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    const bool matrix = row_elements > 1, norm = !matrix && name.ends_with("weight");
    const float scale = matrix ? std::sqrt(3.0f / static_cast<float>(row_elements)) : 0.1f;
    std::uint32_t state = 12345 + static_cast<std::uint32_t>(name.size()) + static_cast<std::uint32_t>(first);
    for (float& v : out) {
      state = state * 1664525u + 1013904223u;
      v = (norm ? 1.0f : 0.0f) + scale * (static_cast<float>(state >> 8) * 0x1.0p-23f - 1.0f);
    }
    return absl::OkStatus();
  }
  bool Has(std::string_view) const override { return true; }
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_RANDOM_WEIGHTS_H_
