// Tensors for tests, and how far two results are apart.
//
// Values are uniform in [-1, 1) times a scale, by seed. The distance is the relative L2 norm, |a - b| / |b|,
// which is what the engine's parity is stated in.
#ifndef RINGWAY_TESTS_ENGINE_RANDOM_TENSORS_H_
#define RINGWAY_TESTS_ENGINE_RANDOM_TENSORS_H_

#include <cmath>
#include <span>

#include "core/rng.h"
#include "engine/tensor/tensor.h"

namespace ringway::engine {

inline void FillRandomly(std::span<float> values, std::uint64_t seed, float scale = 1.0f) {
  Rng rng(seed, 5);
  for (float& v : values) v = scale * static_cast<float>(2.0 * rng.Uniform() - 1.0);
}

inline Tensor RandomTensor(const Shape& shape, std::uint64_t seed, float scale = 1.0f) {
  Tensor tensor(DType::kF32, shape);
  FillRandomly(tensor.As<float>(), seed, scale);
  return tensor;
}

inline double RelativeDistance(std::span<const float> a, std::span<const float> b) {
  RINGWAY_CHECK(a.size() == b.size());
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * static_cast<double>(a[i] - b[i]);
    size += b[i] * static_cast<double>(b[i]);
  }
  return std::sqrt(difference / (size + 1e-30));
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_RANDOM_TENSORS_H_
