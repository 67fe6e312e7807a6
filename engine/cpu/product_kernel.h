// One tile of a matrix product whose first factor is addressed row by row, over any vector type.
//
// sums[r][c] = x[r] . w[c], with x[r] given as one pointer for each tap: for a linear layer a single tap, the
// row; for a convolution the pixels under its window ("The Indirect Convolution Algorithm", Dukhan,
// arXiv:1907.02129), so nothing is copied together first. A tile is a few rows by a few vectors of columns,
// as many sums as there are registers to hold them; the weights are packed in the order in which they are
// read. After the last tap the bias and the residual are added while the sums are in registers, and the
// result is rounded once. A policy P says what one step multiplies: one channel in float (SingleChannels), or
// two of bf16 in one instruction (product_bf16.cc). Sums are taken in one fixed order, so results do not
// depend on threads. Internal linkage as explained in vector_scalar.h.
#ifndef RINGWAY_ENGINE_CPU_PRODUCT_KERNEL_H_
#define RINGWAY_ENGINE_CPU_PRODUCT_KERNEL_H_

#include <utility>

#include "engine/cpu/row_kernels.h"

namespace ringway::engine {
namespace {

// One body that is called instead of inlined would have all sums of a tile in memory, at a third of the
// speed.
#define RINGWAY_INLINE __attribute__((always_inline))

constexpr int kSumsPitch = ProductTile::kColumnsMax;

// body(0), body(1), ... with constants: arrays that are indexed by them become registers, which GCC 12 does
// not manage where a loop is unrolled later.
template <int... kIndex, typename Body>
[[gnu::always_inline]] inline void EachOf(std::integer_sequence<int, kIndex...>, Body&& body) {
  (body(std::integral_constant<int, kIndex>()), ...);
}
template <int kCount, typename Body>
[[gnu::always_inline]] inline void Unrolled(Body&& body) {
  EachOf(std::make_integer_sequence<int, kCount>(), body);
}

template <typename V, typename T>
struct SingleChannels {
  using X = T;
  using Vector = V;
  using Factor = typename V::F;
  static constexpr int kChannels = 1;  // a step
  static constexpr int kVectors = V::kLanes == 8 ? 2 : 4;
  static std::uint32_t Word(const float* weight, std::int64_t, std::int64_t) {
    if constexpr (std::is_same_v<T, float>)
      return __builtin_bit_cast(std::uint32_t, *weight);
    else
      return static_cast<std::uint32_t>(ToBFloat16(*weight).bits) << 16;
  }
  // Of the lowest byte.
  static std::uint32_t Widened(std::uint32_t bytes) {
    return __builtin_bit_cast(std::uint32_t, static_cast<float>(static_cast<std::int8_t>(bytes)));
  }
  static Factor Weights(const std::uint32_t* packed) {
    return V::Load(reinterpret_cast<const float*>(packed));
  }
  static Factor Spread(const T* x) { return V::Set(ScalarVector::Load(x)); }
  static Factor SpreadLast(const T* x) { return Spread(x); }
  static typename V::F MultiplyAdd(Factor x, Factor w, typename V::F sum) { return V::Fma(x, w, sum); }
};

// Rows of a tile, so that its sums, the weights of a step and one factor fit into the registers.
template <typename P>
constexpr int TileRowsOf(int vectors) {
  return P::Vector::kRegisters == 32 && vectors < 4 ? 8 : 6;
}

template <typename P>
std::int64_t StepsOf(std::int64_t channels) {
  return (channels + P::kChannels - 1) / P::kChannels;
}

// The rows of one panel as [tap][step][column]. What pads columns to whole vectors, and the second half of a
// last odd channel, is zero. A few channels of all rows at a time: what is written together, of every tap,
// stays in the first cache until its lines are full.
template <typename P>
void PackPanel(const PanelRows& rows, std::uint32_t* packed) {
  constexpr std::int64_t kChannelsAtOnce = 32;
  constexpr int kLanes = P::Vector::kLanes;
  const int columns = (rows.outputs + kLanes - 1) / kLanes * kLanes;
  const std::int64_t tap_words = StepsOf<P>(rows.channels) * columns;
  const std::int64_t by_tap = rows.taps_last ? 1 : rows.channels, by_channel = rows.taps_last ? rows.taps : 1;
  for (std::int64_t begin = 0; begin < rows.channels; begin += kChannelsAtOnce) {
    const std::int64_t end =
        begin + kChannelsAtOnce < rows.channels ? begin + kChannelsAtOnce : rows.channels;
    for (int column = 0; column < columns; ++column) {
      const float* row = rows.first + column * rows.taps * rows.channels;
      for (std::int64_t tap = 0; tap < rows.taps; ++tap) {
        std::uint32_t* to = packed + tap * tap_words + begin / P::kChannels * columns + column;
        for (std::int64_t c = begin; c < end; c += P::kChannels, to += columns)
          *to = column < rows.outputs
                    ? P::Word(row + tap * by_tap + c * by_channel, by_channel, rows.channels - c)
                    : 0u;
      }
    }
  }
}

// kChannels is 1 or 2, so a step never needs bytes of two words.
template <typename P>
void WidenPanel(const std::uint32_t* weights, std::int64_t channels, int columns, std::uint32_t* widened) {
  const std::int64_t steps = StepsOf<P>(channels);
  for (std::int64_t step = 0; step < steps; ++step, widened += columns) {
    const std::int64_t channel = step * P::kChannels;
    const std::uint32_t* from = weights + channel / kInt8StepChannels * columns;
    const int shift = static_cast<int>(channel % kInt8StepChannels) * 8;
    for (int column = 0; column < columns; ++column) widened[column] = P::Widened(from[column] >> shift);
  }
}

// A sum of column c, or of as many as there are lanes, scaled and with the bias.
template <typename L>
[[gnu::always_inline]] inline typename L::F Scaled(typename L::F sum, const ProductEnd& end, std::int64_t c) {
  if (end.scales != nullptr) sum = L::Mul(sum, L::Load(end.scales + c));
  return end.bias == nullptr ? sum : L::Add(sum, L::Load(end.bias + c));
}

// Bias, gate or activation, and residual on sums that were stored, rounded once.
template <typename V, typename Residual, typename Out>
void FinishRows(const float* stored, const ProductEnd& end) {
  const int results = end.gated ? end.columns / 2 : end.columns;
  for (int r = 0; r < end.rows; ++r) {
    const float* sums = stored + r * kSumsPitch;
    const Residual* residual = static_cast<const Residual*>(end.residual) + r * end.row_stride;
    Out* out = static_cast<Out*>(end.out) + r * end.row_stride;
    ForLanes<V>(results, [&]<typename L>(std::int64_t c) {
      typename L::F v = Activated<L>(Scaled<L>(L::Load(sums + c), end, c), end.activation);
      if (end.gated) v = L::Mul(v, Gelu<L>(Scaled<L>(L::Load(sums + results + c), end, results + c)));
      if (end.residual != nullptr) v = L::Add(v, L::Load(residual + c));
      L::Store(out + c, v);
    });
  }
}
template <typename V>
void Finish(const float* sums, const ProductEnd& end) {
  const bool wide = end.residual_type == DType::kF32;
  if (end.out_type == DType::kF32)
    return wide ? FinishRows<V, float, float>(sums, end) : FinishRows<V, BFloat16, float>(sums, end);
  wide ? FinishRows<V, float, BFloat16>(sums, end) : FinishRows<V, BFloat16, BFloat16>(sums, end);
}

// What most tiles are: whole vectors, no activation, no gate. These are finished in registers.
inline bool IsPlain(const ProductEnd& end, int columns) {
  return end.columns == columns && end.activation == Activation::kNone && !end.gated;
}

// One vector of sums of such a tile, of row r and columns from c on.
template <typename V>
[[gnu::always_inline]] inline void FinishVector(typename V::F sum, const ProductEnd& end, int r, int c) {
  typename V::F v = Scaled<V>(sum, end, c);
  const std::int64_t at = r * end.row_stride + c;
  if (end.residual != nullptr)
    v = V::Add(v, end.residual_type == DType::kF32
                      ? V::Load(static_cast<const float*>(end.residual) + at)
                      : V::Load(static_cast<const BFloat16*>(end.residual) + at));
  if (end.out_type == DType::kF32)
    V::Store(static_cast<float*>(end.out) + at, v);
  else
    V::Store(static_cast<BFloat16*>(end.out) + at, v);
}

template <typename P, int kRows, int kVectors>
struct Tile {
  using V = typename P::Vector;
  typename V::F sum[kRows][kVectors];

  // All rows by one step of channels.
  template <bool kLast>
  [[gnu::always_inline]] void Step(const typename P::X* const* x, std::int64_t c, const std::uint32_t* w) {
    typename P::Factor weights[kVectors];
    Unrolled<kVectors>([&](auto j) RINGWAY_INLINE { weights[j] = P::Weights(w + j * V::kLanes); });
    Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
      const typename P::Factor factor = kLast ? P::SpreadLast(x[r] + c) : P::Spread(x[r] + c);
      Unrolled<kVectors>([&](auto j)
                             RINGWAY_INLINE { sum[r][j] = P::MultiplyAdd(factor, weights[j], sum[r][j]); });
    });
  }

  // Adds all taps. kRest: the channels do not fill the last step.
  template <bool kRest>
  [[gnu::always_inline]] void AddTaps(const ProductTile& tile) {
    const std::uint32_t* w = tile.weights;
    const std::int64_t whole = tile.channels - (kRest ? tile.channels % P::kChannels : 0);
    std::int64_t tap = 0;
    do {
      const typename P::X* x[kRows];
      Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
        x[r] = static_cast<const typename P::X*>(tile.x[tap * tile.tap_pitch + r]);
      });
      for (std::int64_t c = 0; c < whole; c += P::kChannels, w += kVectors * V::kLanes) Step<false>(x, c, w);
      if constexpr (kRest) {
        Step<true>(x, whole, w);
        w += kVectors * V::kLanes;
      }
    } while (++tap < tile.taps);
  }

  [[gnu::always_inline]] void Finish(const ProductEnd end) {
    Unrolled<kRows>([&](auto r) RINGWAY_INLINE {
      if (r >= end.rows) return;
      Unrolled<kVectors>([&](auto j) RINGWAY_INLINE { FinishVector<V>(sum[r][j], end, r, j * V::kLanes); });
    });
  }

  template <typename Body>
  [[gnu::always_inline]] void Each(Body&& body) {
    Unrolled<kRows>([&](auto r)
                        RINGWAY_INLINE { Unrolled<kVectors>([&](auto j) RINGWAY_INLINE { body(r, j); }); });
  }
};

// What a tile's end reads and writes of floats, asked for before the tile is multiplied: neighbouring rows
// are too far apart for the processor to foresee them.
inline void FetchEnd(const ProductEnd& end) {
  constexpr std::int64_t kLine = 64 / sizeof(float);
  for (std::int64_t r = 0; r < end.rows; ++r)
    for (std::int64_t c = r * end.row_stride; c < r * end.row_stride + end.columns; c += kLine) {
      if (end.residual != nullptr && end.residual_type == DType::kF32)
        __builtin_prefetch(static_cast<const float*>(end.residual) + c);
      __builtin_prefetch(static_cast<float*>(end.out) + c, 1);
    }
}

template <typename P, int kRows, int kVectors, bool kRest>
void MultiplyTile(const ProductTile& given) {
  using V = typename P::Vector;
  if (given.ends && !given.end.gated && given.end.out_type == DType::kF32) FetchEnd(given.end);
  Tile<P, kRows, kVectors> tile;
  tile.Each([&](auto r, auto j) RINGWAY_INLINE { tile.sum[r][j] = V::Set(0.0f); });
  tile.template AddTaps<kRest>(given);
  float* const sums = given.sums;
  if (given.add)
    tile.Each([&](auto r, auto j) RINGWAY_INLINE {
      tile.sum[r][j] = V::Add(tile.sum[r][j], V::Load(sums + r * kSumsPitch + j * V::kLanes));
    });
  if (given.ends && IsPlain(given.end, kVectors * V::kLanes)) {
    tile.Finish(given.end);
    return;
  }
  tile.Each([&](auto r, auto j)
                RINGWAY_INLINE { V::Store(sums + r * kSumsPitch + j * V::kLanes, tile.sum[r][j]); });
  if (given.ends) Finish<V>(sums, given.end);
}

// Pointers beyond the tile's rows are readable, so few rows may be taken as if they were more.
template <typename P, bool kRest, int kVectors>
void MultiplyRows(const ProductTile& tile) {
  if (tile.end.rows > 4) return MultiplyTile<P, TileRowsOf<P>(kVectors), kVectors, kRest>(tile);
  if (tile.end.rows > 2) return MultiplyTile<P, 4, kVectors, kRest>(tile);
  if (tile.end.rows > 1) return MultiplyTile<P, 2, kVectors, kRest>(tile);
  MultiplyTile<P, 1, kVectors, kRest>(tile);
}

template <typename P, bool kRest>
void MultiplyVectors(const ProductTile& tile) {
  const int vectors = (tile.end.columns + P::Vector::kLanes - 1) / P::Vector::kLanes;
  if (vectors == 1) return MultiplyRows<P, kRest, 1>(tile);
  if (vectors == 2) return MultiplyRows<P, kRest, 2>(tile);
  if constexpr (P::kVectors > 2) {
    if (vectors == 3) return MultiplyRows<P, kRest, 3>(tile);
    MultiplyRows<P, kRest, 4>(tile);
  }
}

template <typename P>
void Multiply(const ProductTile& tile) {
  if constexpr (P::kChannels > 1)
    if (tile.channels % P::kChannels != 0) return MultiplyVectors<P, true>(tile);
  MultiplyVectors<P, false>(tile);
}

template <typename P>
constexpr ProductKernels<typename P::X> MakeProductKernels() {
  static_assert(P::kVectors * P::Vector::kLanes <= kSumsPitch);
  return {P::Vector::kLanes, P::kVectors,  TileRowsOf<P>, StepsOf<P>,
          P::kChannels,      PackPanel<P>, Multiply<P>,   WidenPanel<P>};
}

}  // namespace
}  // namespace ringway::engine

#undef RINGWAY_INLINE

#endif  // RINGWAY_ENGINE_CPU_PRODUCT_KERNEL_H_
