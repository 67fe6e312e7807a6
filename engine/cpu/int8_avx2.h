// Products in int8 of eight columns: AVX2, without a dot product of bytes.
//
// u8 and s8 are widened to 16 bits, even and odd channels apart, and multiplied by VPMADDWD, whose sums of
// two products of 255 * 127 at most fit into its 32 bits: exact. Weights are widened once for all rows of a
// tile. Tiles have four rows, so that sums and both halves of the weights fit into 16 registers. Only
// included by kernels_avx2.cc.
#ifndef RINGWAY_ENGINE_CPU_INT8_AVX2_H_
#define RINGWAY_ENGINE_CPU_INT8_AVX2_H_

#include <cstring>

#include "engine/cpu/vector_avx2.h"

namespace ringway::engine {
namespace {

struct Avx2Int8 {
  using Vector = Avx2Vector;
  using Sum = __m256i;
  struct Factor {
    __m256i even, odd;
  };
  using Weight = Factor;
  static constexpr int kTileRowsMax = 4;

  static Sum LoadSum(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Weight Weights(const std::uint32_t* packed) {
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(packed));
    return {_mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8), _mm256_srai_epi16(w, 8)};
  }
  static Factor Spread(const std::uint8_t* x) {
    std::int32_t four;
    std::memcpy(&four, x, sizeof(four));
    const __m256i all = _mm256_set1_epi32(four);
    return {_mm256_and_si256(all, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(all, 8)};
  }
  static Sum MultiplyAdd(Sum sum, const Factor& x, const Weight& w) {
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x.even, w.even));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x.odd, w.odd));
  }
  static __m256 ToFloat(Sum sum) { return _mm256_cvtepi32_ps(sum); }
  static Sum LargerMagnitude(Sum bits, __m256 x) {
    return _mm256_max_epi32(bits, _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff)));
  }
  static std::int32_t Largest(Sum bits) {
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(1, 0, 3, 2)));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(m);
  }
  static void StoreQuantised(std::uint8_t* to, __m256 x) {
    const __m256i q = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(128));
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
  }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_INT8_AVX2_H_
