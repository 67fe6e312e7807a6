// How long one of the engine's own products takes by itself, as it runs within a plan: the fastest of some
// rounds.
//
// For the table against oneDNN, and for the test that compares it with the processor's peak.
#ifndef RINGWAY_BENCH_ENGINE_PRODUCT_TIME_H_
#define RINGWAY_BENCH_ENGINE_PRODUCT_TIME_H_

#include <cstdint>

#include "engine/cpu/cpu_backend.h"

namespace ringway::bench {

// A convolution [pictures, side, side, in] -> [.., out] of stride 1; a linear layer when kernel is 1.
struct ProductShape {
  std::int64_t pictures, side, in, out, kernel;
  double flops() const {
    return 2.0 * static_cast<double>(pictures * side * side * in * out * kernel * kernel);
  }
};

// bf16 where the backend has it, else f32.
double ProductSeconds(const ProductShape& shape, const engine::CpuBackend& backend, int rounds);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_PRODUCT_TIME_H_
