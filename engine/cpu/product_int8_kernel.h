// One tile of a product of quantised rows (u8) with a panel of weights of 8 bits, over any vector type.
//
// Rows are symmetric: a row is whole numbers from -127 to 127 times one scale, and 128 is added so that they
// are the u8 which VPDPBUSD multiplies by s8. A zero point of its own for each row would use its range better
// where all numbers have one sign; but what linear layers read here was normalised, or is a product of a
// value and its gate, so that it would gain little, and it would cost a multiplication by the sum of each
// column's weights. As it is, that sum times 128 is known when weights are packed, and sums begin with it.
//
// A policy P says how four channels of all columns are multiplied and added. Sums are exact int32 on every
// one of them (VPMADDUBSW is not used, for it saturates), rows are rounded alike, and nothing is fused after
// it: only an activation may differ in its last bit, as in all kernels. Internal linkage as explained in
// vector_scalar.h.
#ifndef RINGWAY_ENGINE_CPU_PRODUCT_INT8_KERNEL_H_
#define RINGWAY_ENGINE_CPU_PRODUCT_INT8_KERNEL_H_

#include "engine/cpu/product_kernel.h"

namespace ringway::engine {
namespace {

// The plain C++ policy, and the end of a row for the wide ones.
struct ScalarInt8 {
  using Vector = ScalarVector;
  using Sum = std::int32_t;
  using Factor = std::uint32_t;  // four channels
  using Weight = std::uint32_t;
  static constexpr int kTileRowsMax = 8;

  static Sum LoadSum(const std::int32_t* p) { return *p; }
  static Weight Weights(const std::uint32_t* packed) { return *packed; }
  static Factor Spread(const std::uint8_t* x) {
    Factor word;
    __builtin_memcpy(&word, x, sizeof(word));
    return word;
  }
  static Sum MultiplyAdd(Sum sum, Factor x, Weight w) {
    for (int i = 0; i < 32; i += 8)
      sum += static_cast<std::int32_t>(x >> i & 0xffu) * static_cast<std::int8_t>(w >> i);
    return sum;
  }
  static float ToFloat(Sum sum) { return static_cast<float>(sum); }
  // The larger of a magnitude's bits and those of x: their order is that of the numbers, then infinity, then
  // NaN.
  static Sum LargerMagnitude(Sum bits, float x) {
    const std::int32_t of = __builtin_bit_cast(std::int32_t, x) & 0x7fffffff;
    return bits > of ? bits : of;
  }
  static std::int32_t Largest(Sum bits) { return bits; }
  // x is at most 127, but for rounding.
  static void StoreQuantised(std::uint8_t* to, float x) {
    *to = static_cast<std::uint8_t>(static_cast<int>(__builtin_nearbyintf(x)) + kInt8Zero);
  }
};

template <typename P, typename T>
float QuantiseRow(const T* x, std::int64_t channels, std::uint8_t* out) {
  using V = typename P::Vector;
  constexpr std::int32_t kInfinityBits = 0x7f800000;
  constexpr std::int32_t kSmallestBits = 0x0d800000;  // 2^-100: 127 over less may be infinite
  const std::int64_t whole = channels / V::kLanes * V::kLanes;
  const std::int32_t none[16] = {};
  typename P::Sum bits = P::LoadSum(none);
  for (std::int64_t c = 0; c < whole; c += V::kLanes) bits = P::LargerMagnitude(bits, V::Load(x + c));
  std::int32_t largest = P::Largest(bits);
  for (std::int64_t c = whole; c < channels; ++c)
    largest = ScalarInt8::LargerMagnitude(largest, ScalarVector::Load(x + c));
  if (largest >= kInfinityBits || largest < kSmallestBits) {
    for (std::int64_t c = 0; c < channels; ++c) out[c] = kInt8Zero;
    return largest >= kInfinityBits ? __builtin_nanf("") : 0.0f;
  }
  const float magnitude = __builtin_bit_cast(float, largest);
  const float inverse = kInt8Largest / magnitude;
  for (std::int64_t c = 0; c < whole; c += V::kLanes)
    P::StoreQuantised(out + c, V::Mul(V::Load(x + c), V::Set(inverse)));
  for (std::int64_t c = whole; c < channels; ++c)
    ScalarInt8::StoreQuantised(out + c, ScalarVector::Load(x + c) * inverse);
  return magnitude / kInt8Largest;
}

#define RINGWAY_INLINE __attribute__((always_inline))

template <typename P, int kRows, int kVectors>
void MultiplyInt8Tile(const Int8Tile& tile) {
  using V = typename P::Vector;
  typename P::Sum sum[kRows][kVectors];
  const std::uint8_t* x[kRows];
  Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
    x[r] = tile.x + r * tile.pitch;
    Unrolled<kVectors>([&](auto j)
                           RINGWAY_INLINE { sum[r][j] = P::LoadSum(tile.panel.offsets() + j * V::kLanes); });
  });
  const std::uint32_t* w = tile.panel.weights();
  const std::int64_t bytes = tile.steps * kInt8StepChannels;
  for (std::int64_t c = 0; c < bytes; c += kInt8StepChannels, w += kVectors * V::kLanes) {
    typename P::Weight weights[kVectors];
    Unrolled<kVectors>([&](auto j) RINGWAY_INLINE { weights[j] = P::Weights(w + j * V::kLanes); });
    Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
      const typename P::Factor factor = P::Spread(x[r] + c);
      Unrolled<kVectors>([&](auto j)
                             RINGWAY_INLINE { sum[r][j] = P::MultiplyAdd(sum[r][j], factor, weights[j]); });
    });
  }
  const ProductEnd end = tile.end;
  const bool plain = IsPlain(end, kVectors * V::kLanes);
  Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
    if (r >= end.rows) return;
    const typename V::F scale = V::Set(tile.row_scales[r]);
    Unrolled<kVectors>([&](auto j) RINGWAY_INLINE {
      const typename V::F v = V::Mul(P::ToFloat(sum[r][j]), scale);
      if (plain)
        FinishVector<V>(v, end, r, j * V::kLanes);
      else
        V::Store(tile.sums + r * kSumsPitch + j * V::kLanes, v);
    });
  });
  if (!plain) Finish<V>(tile.sums, end);
}

#undef RINGWAY_INLINE

template <typename P>
constexpr int Int8TileRows(int vectors) {
  const int rows = P::Vector::kLanes == 16 && vectors < 4 ? 8 : 6;
  return rows < P::kTileRowsMax ? rows : P::kTileRowsMax;
}

// Rows beyond the tile's are readable, so few rows may be taken as if they were more.
template <typename P, int kVectors>
void MultiplyInt8Rows(const Int8Tile& tile) {
  if constexpr (Int8TileRows<P>(kVectors) > 4)
    if (tile.end.rows > 4) return MultiplyInt8Tile<P, Int8TileRows<P>(kVectors), kVectors>(tile);
  if (tile.end.rows > 2) return MultiplyInt8Tile<P, 4, kVectors>(tile);
  if (tile.end.rows > 1) return MultiplyInt8Tile<P, 2, kVectors>(tile);
  MultiplyInt8Tile<P, 1, kVectors>(tile);
}

template <typename P>
constexpr int Int8Vectors() {
  return P::Vector::kLanes == 8 ? 2 : 4;
}

template <typename P>
void MultiplyInt8(const Int8Tile& tile) {
  const int vectors = tile.panel.columns / P::Vector::kLanes;
  if (vectors == 1) return MultiplyInt8Rows<P, 1>(tile);
  if (vectors == 2) return MultiplyInt8Rows<P, 2>(tile);
  if constexpr (Int8Vectors<P>() > 2) {
    if (vectors == 3) return MultiplyInt8Rows<P, 3>(tile);
    MultiplyInt8Rows<P, 4>(tile);
  }
}

template <typename P>
constexpr Int8Products MakeInt8Products() {
  return {P::Vector::kLanes,     Int8Vectors<P>(),         Int8TileRows<P>,
          QuantiseRow<P, float>, QuantiseRow<P, BFloat16>, MultiplyInt8<P>};
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_PRODUCT_INT8_KERNEL_H_
