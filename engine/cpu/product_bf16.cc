// Products with VDPBF16PS: a step takes two channels, multiplies both and adds their sum to a float, in 16
// lanes.
#include "engine/cpu/product_kernel.h"
#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {
namespace {

// As Avx512Vector, with the instruction that rounds to bf16.
struct Bf16Vector : Avx512Vector {
  using Avx512Vector::Store;
  static void Store(BFloat16* p, F x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), (__m256i)_mm512_cvtneps_pbh(x));
  }
};

struct ChannelPairs {
  using X = BFloat16;
  using Vector = Bf16Vector;
  using Factor = __m512bh;
  static constexpr int kChannels = 2;
  static constexpr int kVectors = 4;
  // The second of the last pair may not exist.
  static std::uint32_t Word(const float* weights, std::int64_t stride, std::int64_t left) {
    const std::uint32_t second = left > 1 ? ToBFloat16(weights[stride]).bits : 0;
    return ToBFloat16(weights[0]).bits | second << 16;
  }
  // Upper halves of floats, exact for whole numbers of 8 bits.
  static std::uint32_t Widened(std::uint32_t bytes) {
    const auto widened = [](std::uint32_t byte) {
      return __builtin_bit_cast(std::uint32_t, static_cast<float>(static_cast<std::int8_t>(byte)));
    };
    return widened(bytes) >> 16 | widened(bytes >> 8);
  }
  static Factor Weights(const std::uint32_t* packed) { return (__m512bh)_mm512_loadu_si512(packed); }
  static Factor Spread(const BFloat16* x) {
    std::int32_t pair;
    __builtin_memcpy(&pair, x, sizeof(pair));
    return (__m512bh)_mm512_set1_epi32(pair);
  }
  static Factor SpreadLast(const BFloat16* x) { return (__m512bh)_mm512_set1_epi32(x->bits); }
  static __m512 MultiplyAdd(Factor x, Factor w, __m512 sum) { return _mm512_dpbf16_ps(sum, x, w); }
};

}  // namespace

void InstallBf16Products(KernelTable& table) { table.bf16_products = MakeProductKernels<ChannelPairs>(); }

}  // namespace ringway::engine
