// Four floats: NEON of 64-bit Arm, which every such processor has. See vector_scalar.h for what a vector type
// offers and why it has internal linkage.
//
// bf16 is widened by a shift and rounded to nearest even with integer arithmetic, as in vector_avx2.h, so
// that the extension of Armv8.6 is not needed. Maximum and minimum are those of IEEE 754-2008, which give the
// number where one of the two is NaN: exp then clamps a NaN as it does on x86. Only included by
// kernels_neon.cc.
#ifndef RINGWAY_ENGINE_CPU_VECTOR_NEON_H_
#define RINGWAY_ENGINE_CPU_VECTOR_NEON_H_

#include <arm_neon.h>

#include "engine/tensor/dtype.h"

namespace ringway::engine {
namespace {

struct NeonVector {
  static constexpr int kLanes = 4;
  static constexpr int kRegisters = 32;
  using F = float32x4_t;
  static F Set(float x) { return vdupq_n_f32(x); }
  static F Load(const float* p) { return vld1q_f32(p); }
  static F Load(const BFloat16* p) {
    const uint16x4_t half = vld1_u16(reinterpret_cast<const std::uint16_t*>(p));
    return vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(half), 16));
  }
  static void Store(float* p, F x) { vst1q_f32(p, x); }
  static void Store(BFloat16* p, F x) {
    const uint32x4_t u = vreinterpretq_u32_f32(x);
    const uint32x4_t last = vandq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(1));
    const uint16x4_t rounded = vaddhn_u32(vaddq_u32(u, last), vdupq_n_u32(0x7fff));  // upper halves of sums
    vst1_u16(reinterpret_cast<std::uint16_t*>(p), rounded);
  }
  static F Add(F a, F b) { return vaddq_f32(a, b); }
  static F Sub(F a, F b) { return vsubq_f32(a, b); }
  static F Mul(F a, F b) { return vmulq_f32(a, b); }
  static F Div(F a, F b) { return vdivq_f32(a, b); }
  static F Fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
  static F Max(F a, F b) { return vmaxnmq_f32(a, b); }
  static F Min(F a, F b) { return vminnmq_f32(a, b); }
  static F Abs(F a) { return vabsq_f32(a); }
  static F WithSign(F a, F b) { return vbslq_f32(vdupq_n_u32(0x80000000u), b, a); }
  static F Round(F a) { return vrndnq_f32(a); }
  static F Pow2(F n) {
    const int32x4_t exponent = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
  }
  static float Sum(F a) { return vaddvq_f32(a); }
  static float Largest(F a) { return vmaxnmvq_f32(a); }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_VECTOR_NEON_H_
