#include "engine/cpu/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <chrono>

#include "engine/cpu/parallel.h"

namespace ringway::engine {
namespace {

constexpr int kChains = 16;
constexpr int kTurns = 500'000;

struct Chains {
  float (*run)() = nullptr;
  double flops_a_turn = 0;
};

// Barriers keep the compiler from seeing that a chain has a closed form.
#if defined(__x86_64__)
constexpr int kFew = 12;  // of the 16 registers that AVX2 has

__attribute__((target("avx512f,avx512bf16"))) float Bf16Chains() {
  __m512 sum[kChains];
  for (auto& s : sum) s = _mm512_setzero_ps();
  const __m512bh x = (__m512bh)_mm512_set1_epi32(0x3c003c00);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& s : sum) {
      s = _mm512_dpbf16_ps(s, x, x);
      asm volatile("" : "+v"(s));
    }
  }
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx512f"))) float WideFloatChains() {
  __m512 sum[kChains];
  for (auto& s : sum) s = _mm512_setzero_ps();
  const __m512 x = _mm512_set1_ps(0.01f);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& s : sum) {
      s = _mm512_fmadd_ps(x, x, s);
      asm volatile("" : "+v"(s));
    }
  }
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx2,fma"))) float FloatChains() {
  __m256 sum[kFew];
  for (auto& s : sum) s = _mm256_setzero_ps();
  const __m256 x = _mm256_set1_ps(0.01f);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& s : sum) {
      s = _mm256_fmadd_ps(x, x, s);
      asm volatile("" : "+x"(s));
    }
  }
  return _mm256_cvtss_f32(sum[0]);
}

Chains ChainsOf(Isa isa) {
  if (isa == Isa::kAvx512Bf16) return {Bf16Chains, kChains * 64.0};
  if (isa == Isa::kAvx512) return {WideFloatChains, kChains * 32.0};
  return {FloatChains, kFew * 16.0};
}
#elif defined(__aarch64__)
float FloatChains() {
  float32x4_t sum[kChains];
  for (auto& s : sum) s = vdupq_n_f32(0);
  const float32x4_t x = vdupq_n_f32(0.01f);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& s : sum) {
      s = vfmaq_f32(s, x, x);
      asm volatile("" : "+w"(s));
    }
  }
  return vgetq_lane_f32(sum[0], 0);
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
