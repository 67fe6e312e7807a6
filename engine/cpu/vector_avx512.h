// Sixteen floats: AVX-512 (F, BW, DQ, VL). See vector_scalar.h for what a vector type offers and why it has
// internal linkage.
//
// bf16 is rounded to nearest even with integer arithmetic, so that a processor without the bf16 extension
// gives the same bits as one with it. Only included by kernels_avx512.cc and attention_bf16.cc.
#ifndef RINGWAY_ENGINE_CPU_VECTOR_AVX512_H_
#define RINGWAY_ENGINE_CPU_VECTOR_AVX512_H_

#include <immintrin.h>

#include "engine/tensor/dtype.h"

namespace ringway::engine {
namespace {

struct Avx512Vector {
  static constexpr int kLanes = 16;
  static constexpr int kRegisters = 32;
  using F = __m512;
  static F Set(float x) { return _mm512_set1_ps(x); }
  static F Load(const float* p) { return _mm512_loadu_ps(p); }
  static F Load(const BFloat16* p) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
  }
  static void Store(float* p, F x) { _mm512_storeu_ps(p, x); }
  static void Store(BFloat16* p, F x) {
    const __m512i u = _mm512_castps_si512(x);
    const __m512i last = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), last), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(rounded));
  }
  static F Add(F a, F b) { return _mm512_add_ps(a, b); }
  static F Sub(F a, F b) { return _mm512_sub_ps(a, b); }
  static F Mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F Div(F a, F b) { return _mm512_div_ps(a, b); }
  static F Fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F Max(F a, F b) { return _mm512_max_ps(a, b); }
  static F Min(F a, F b) { return _mm512_min_ps(a, b); }
  static F Abs(F a) { return _mm512_abs_ps(a); }
  static F WithSign(F a, F b) { return _mm512_or_ps(a, _mm512_and_ps(b, _mm512_set1_ps(-0.0f))); }
  static F Round(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static F Pow2(F n) { return _mm512_scalef_ps(_mm512_set1_ps(1.0f), n); }
  static float Sum(F a) { return _mm512_reduce_add_ps(a); }
  static float Largest(F a) { return _mm512_reduce_max_ps(a); }
};

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_VECTOR_AVX512_H_
