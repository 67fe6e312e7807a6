// One float as a "vector": the plain C++ member of the vector types, and the tail of the wide ones.
//
// A vector type gives kLanes, kRegisters that hold vectors, Load and Store for float and bf16, arithmetic,
// comparison and the two pieces of exp that hardware does best (rounding and scaling by a power of two).
// Everything here has internal linkage on purpose: this header is compiled for several instruction sets, and
// a shared inline function could be linked from the wrong one and crash an older processor.
#ifndef RINGWAY_ENGINE_CPU_VECTOR_SCALAR_H_
#define RINGWAY_ENGINE_CPU_VECTOR_SCALAR_H_

#include <cstdint>
#include <cstring>

#include "engine/tensor/dtype.h"

namespace ringway::engine {
namespace {

struct ScalarVector {
  static constexpr int kLanes = 1;
  static constexpr int kRegisters = 16;  // at least
  using F = float;
  static F Set(float x) { return x; }
  static F Load(const float* p) { return *p; }
  static F Load(const BFloat16* p) {
    const std::uint32_t u = static_cast<std::uint32_t>(p->bits) << 16;
    float x;
    std::memcpy(&x, &u, 4);
    return x;
  }
  static void Store(float* p, F x) { *p = x; }
  static void Store(BFloat16* p, F x) {
    std::uint32_t u;
    std::memcpy(&u, &x, 4);
    const bool nan = (u & 0x7fffffffu) > 0x7f800000u;
    p->bits = static_cast<std::uint16_t>(nan ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  static F Add(F a, F b) { return a + b; }
  static F Sub(F a, F b) { return a - b; }
  static F Mul(F a, F b) { return a * b; }
  static F Div(F a, F b) { return a / b; }
  static F Fma(F a, F b, F c) { return a * b + c; }
  static F Max(F a, F b) { return a > b ? a : b; }
  static F Min(F a, F b) { return a < b ? a : b; }
  static F Abs(F a) { return a < 0 ? -a : a; }
  // The sign of b on the (positive) a.
  static F WithSign(F a, F b) { return b < 0 ? -a : a; }
  static F Round(F a) { return __builtin_nearbyintf(a); }
  // 2^n for a whole n in [-126, 127].
  static F Pow2(F n) {
    const std::uint32_t u = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
    float x;
    std::memcpy(&x, &u, 4);
    return x;
  }
  static float Sum(F a) { return a; }
  static float Largest(F a) { return a; }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_VECTOR_SCALAR_H_
