#include "engine/cpu/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <chrono>

#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr int kChains = 16;
constexpr int kTurns = 500'000;

struct Chains {
  float (*run)() = nullptr;
  double flops_a_turn = 0;
};

// Barriers keep the compiler from seeing that a chain has a closed form. Each chain is a variable of its own:
// those of an array are stored at every barrier, and the stores, not the products, would set the pace.
#define RINGWAY_TWELVE(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define RINGWAY_SIXTEEN(F) RINGWAY_TWELVE(F) F(12) F(13) F(14) F(15)
#define RINGWAY_START(i) auto s##i = zero;
#if defined(__x86_64__)
constexpr int kFew = 12;  // of the 16 registers that AVX2 has

__attribute__((target("avx512f,avx512bf16"))) float Bf16Chains() {
  const __m512bh x = (__m512bh)_mm512_set1_epi32(0x3c003c00);
  const __m512 zero = _mm512_setzero_ps();
  RINGWAY_SIXTEEN(RINGWAY_START)
#define RINGWAY_CHAIN(i)               \
  s##i = _mm512_dpbf16_ps(s##i, x, x); \
  asm volatile("" : "+v"(s##i));
  for (int turn = 0; turn < kTurns; ++turn) {
    RINGWAY_SIXTEEN(RINGWAY_CHAIN)
  }
#undef RINGWAY_CHAIN
  return _mm512_cvtss_f32(s0);
}

__attribute__((target("avx512f"))) float WideFloatChains() {
  const __m512 x = _mm512_set1_ps(0.01f);
  const __m512 zero = _mm512_setzero_ps();
  RINGWAY_SIXTEEN(RINGWAY_START)
#define RINGWAY_CHAIN(i)              \
  s##i = _mm512_fmadd_ps(x, x, s##i); \
  asm volatile("" : "+v"(s##i));
  for (int turn = 0; turn < kTurns; ++turn) {
    RINGWAY_SIXTEEN(RINGWAY_CHAIN)
  }
#undef RINGWAY_CHAIN
  return _mm512_cvtss_f32(s0);
}

__attribute__((target("avx2,fma"))) float FloatChains() {
  const __m256 x = _mm256_set1_ps(0.01f);
  const __m256 zero = _mm256_setzero_ps();
  RINGWAY_TWELVE(RINGWAY_START)
#define RINGWAY_CHAIN(i)              \
  s##i = _mm256_fmadd_ps(x, x, s##i); \
  asm volatile("" : "+x"(s##i));
  for (int turn = 0; turn < kTurns; ++turn) {
    RINGWAY_TWELVE(RINGWAY_CHAIN)
  }
#undef RINGWAY_CHAIN
  return _mm256_cvtss_f32(s0);
}

Chains ChainsOf(Isa isa) {
  if (isa == Isa::kAvx512Bf16) return {Bf16Chains, kChains * 64.0};
  if (isa >= Isa::kAvx512) return {WideFloatChains, kChains * 32.0};
  return {FloatChains, kFew * 16.0};
}
#elif defined(__aarch64__)
float FloatChains() {
  const float32x4_t x = vdupq_n_f32(0.01f);
  const float32x4_t zero = vdupq_n_f32(0);
  RINGWAY_SIXTEEN(RINGWAY_START)
#define RINGWAY_CHAIN(i)        \
  s##i = vfmaq_f32(s##i, x, x); \
  asm volatile("" : "+w"(s##i));
  for (int turn = 0; turn < kTurns; ++turn) {
    RINGWAY_SIXTEEN(RINGWAY_CHAIN)
  }
#undef RINGWAY_CHAIN
  return vgetq_lane_f32(s0, 0);
}

Chains ChainsOf(Isa) { return {FloatChains, kChains * 8.0}; }
#else
Chains ChainsOf(Isa) { return {}; }
#endif

}  // namespace

double PeakFlops(Isa isa, int threads) {
  const Chains chains = isa == Isa::kScalar ? Chains{} : ChainsOf(isa);
  if (chains.run == nullptr) return 0;
  volatile float sink = 0;
  double best = 1e9;
  for (int round = 0; round < 40; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    ParallelFor(threads, threads, [&](std::int64_t, int) { sink = chains.run(); });
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return threads * static_cast<double>(kTurns) * chains.flops_a_turn / best;
}

}  // namespace ringway::engine
