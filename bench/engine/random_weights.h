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
  absl::StatusOr<std::vector<float>> Take(std::string_view name,
                                          const std::vector<std::int64_t>& dims) override {
    std::size_t count = 1, fan_in = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      count *= static_cast<std::size_t>(dims[i]);
      if (i > 0) fan_in *= static_cast<std::size_t>(dims[i]);
    }
    const bool norm = dims.size() < 2 && name.ends_with("weight");
    const float scale = dims.size() >= 2 ? std::sqrt(3.0f / static_cast<float>(fan_in)) : 0.1f;
    std::vector<float> values(count);
    std::uint32_t state = 12345 + static_cast<std::uint32_t>(name.size());
    for (float& v : values) {
      state = state * 1664525u + 1013904223u;
      v = (norm ? 1.0f : 0.0f) + scale * (static_cast<float>(state >> 8) * 0x1.0p-23f - 1.0f);
    }
    return values;
  }
  bool Has(std::string_view) const override { return true; }
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_RANDOM_WEIGHTS_H_
