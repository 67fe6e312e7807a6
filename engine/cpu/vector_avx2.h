// Eight floats: AVX2 with FMA. See vector_scalar.h for what a vector type offers and why it has internal
// linkage.
//
// bf16 is widened by a shift and narrowed by adding half a unit of the kept mantissa plus its last bit, which
// rounds to nearest even as the instruction of newer processors does. NaN never occurs in a network that was
// loaded whole; were there one, it would stay one or become infinity. Only included by kernels_avx2.cc.
#ifndef RINGWAY_ENGINE_CPU_VECTOR_AVX2_H_
#define RINGWAY_ENGINE_CPU_VECTOR_AVX2_H_

#include <immintrin.h>

#include "engine/tensor/dtype.h"

namespace ringway::engine {
namespace {

struct Avx2Vector {
  static constexpr int kLanes = 8;
  static constexpr int kRegisters = 16;
  using F = __m256;
  static F Set(float x) { return _mm256_set1_ps(x); }
  static F Load(const float* p) { return _mm256_loadu_ps(p); }
  static F Load(const BFloat16* p) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  }
  static void Store(float* p, F x) { _mm256_storeu_ps(p, x); }
  static void Store(BFloat16* p, F x) {
    const __m256i u = _mm256_castps_si256(x);
    const __m256i last = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), last), 16);
    const __m128i low = _mm256_castsi256_si128(rounded);
    const __m128i high = _mm256_extracti128_si256(rounded, 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_packus_epi32(low, high));
  }
  static F Add(F a, F b) { return _mm256_add_ps(a, b); }
  static F Sub(F a, F b) { return _mm256_sub_ps(a, b); }
  static F Mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F Div(F a, F b) { return _mm256_div_ps(a, b); }
  static F Fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F Max(F a, F b) { return _mm256_max_ps(a, b); }
  static F Min(F a, F b) { return _mm256_min_ps(a, b); }
  static F Abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static F WithSign(F a, F b) { return _mm256_or_ps(a, _mm256_and_ps(b, _mm256_set1_ps(-0.0f))); }
  static F Round(F a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static F Pow2(F n) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
  }
  static float Sum(F a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
  }
  static float Largest(F a) {
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
  }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_VECTOR_AVX2_H_
