// Products in int8 of four columns: NEON of 64-bit Arm, without the dot product of Armv8.2.
//
// SMULL multiplies s8 by s8, so rows lose the 128 that they were stored with: what sums would begin with to
// make up for it (product_int8_kernel.h) is left out, and they are the same whole numbers. Two products of
// 127
// * 127 fit into the 16 bits in which neighbours are added, and SADALP adds these pairs to the sums: exact.
// Only included by kernels_neon.cc.
#ifndef RINGWAY_ENGINE_CPU_INT8_NEON_H_
#define RINGWAY_ENGINE_CPU_INT8_NEON_H_

#include <arm_neon.h>

#include <cstring>

#include "engine/cpu/vector_neon.h"

namespace ringway::engine {
namespace {

struct NeonInt8 {
  using Vector = NeonVector;
  using Sum = int32x4_t;
  using Factor = int8x8_t;  // four channels, twice
  using Weight = int8x16_t;
  static constexpr int kTileRowsMax = 4;

  static Sum LoadSum(const std::int32_t*) { return vdupq_n_s32(0); }
  static Weight Weights(const std::uint32_t* packed) { return vreinterpretq_s8_u32(vld1q_u32(packed)); }
  static Factor Spread(const std::uint8_t* x) {
    std::uint32_t four;
    std::memcpy(&four, x, sizeof(four));
    return vreinterpret_s8_u32(vdup_n_u32(four ^ 0x80808080u));
  }
  static Sum MultiplyAdd(Sum sum, Factor x, Weight w) {
    const int16x8_t first = vmull_s8(vget_low_s8(w), x), second = vmull_s8(vget_high_s8(w), x);
    return vpadalq_s16(sum, vpaddq_s16(first, second));
  }
  static float32x4_t ToFloat(Sum sum) { return vcvtq_f32_s32(sum); }
  static Sum LargerMagnitude(Sum bits, float32x4_t x) {
    return vmaxq_s32(bits, vandq_s32(vreinterpretq_s32_f32(x), vdupq_n_s32(0x7fffffff)));
  }
  static std::int32_t Largest(Sum bits) { return vmaxvq_s32(bits); }
  static void StoreQuantised(std::uint8_t* to, float32x4_t x) {
    const int16x4_t words = vmovn_s32(vaddq_s32(vcvtnq_s32_f32(x), vdupq_n_s32(128)));
    const uint8x8_t bytes = vqmovun_s16(vcombine_s16(words, words));
    vst1_lane_u32(reinterpret_cast<std::uint32_t*>(to), vreinterpret_u32_u8(bytes), 0);
  }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_INT8_NEON_H_
