// Products in int8 of sixteen columns: AVX-512 (F, BW), without a dot product of bytes.
//
// As int8_avx2.h: even and odd channels are widened to 16 bits and multiplied by VPMADDWD, exactly. Tiles
// have four rows, whose sums and both halves of the weights fit into 32 registers. product_vnni.cc multiplies
// four channels in one instruction. Only included by kernels_avx512.cc and product_vnni.cc.
#ifndef RINGWAY_ENGINE_CPU_INT8_AVX512_H_
#define RINGWAY_ENGINE_CPU_INT8_AVX512_H_

#include <cstring>

#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {
namespace {

struct Avx512Int8 {
  using Vector = Avx512Vector;
  using Sum = __m512i;
  struct Factor {
    __m512i even, odd;
  };
  using Weight = Factor;
  static constexpr int kTileRowsMax = 4;

  static Sum LoadSum(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static Weight Weights(const std::uint32_t* packed) {
    const __m512i w = _mm512_loadu_si512(packed);
    return {_mm512_srai_epi16(_mm512_slli_epi16(w, 8), 8), _mm512_srai_epi16(w, 8)};
  }
  static __m512i Four(const std::uint8_t* x) {
    std::int32_t four;
    std::memcpy(&four, x, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static Factor Spread(const std::uint8_t* x) {
    const __m512i all = Four(x);
    return {_mm512_and_si512(all, _mm512_set1_epi16(0xff)), _mm512_srli_epi16(all, 8)};
  }
  static Sum MultiplyAdd(Sum sum, const Factor& x, const Weight& w) {
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(x.even, w.even));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x.odd, w.odd));
  }
  static __m512 ToFloat(Sum sum) { return _mm512_cvtepi32_ps(sum); }
  static Sum LargerMagnitude(Sum bits, __m512 x) {
    return _mm512_max_epi32(bits, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
  }
  static std::int32_t Largest(Sum bits) { return _mm512_reduce_max_epi32(bits); }
  static void StoreQuantised(std::uint8_t* to, __m512 x) {
    const __m512i q = _mm512_add_epi32(_mm512_cvtps_epi32(x), _mm512_set1_epi32(128));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(q));
  }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_INT8_AVX512_H_
