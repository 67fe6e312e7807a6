// The vector kernels as a table of functions: one table for each instruction set, same contracts in all.
//
// Rows are `channels` numbers next to each other; `T` tells float or bf16, and arithmetic is in float either
// way. The functions are for one thread; the callers (norm.cc, elementwise.cc, attention.cc) split the rows.
// Tables differ in the last bits of a result (fused multiply-add, order of sums), never in more.
#ifndef RINGWAY_ENGINE_CPU_KERNEL_TABLE_H_
#define RINGWAY_ENGINE_CPU_KERNEL_TABLE_H_

#include <cstdint>
#include <type_traits>

#include "engine/cpu/isa.h"
#include "engine/graph/op.h"

namespace ringway::engine {

// One block of queries against one head's packed keys and values.
struct AttentionBlock {
  static constexpr int kQueries = 32;   // read a block of keys while it is in the first cache
  static constexpr int kRows = 8;       // of them at a time, as many as there are registers for their sums
  static constexpr int kKeyGroup = 16;  // keys are padded to a multiple of this
  static constexpr int kKeysMax = 192;  // a block; whole turns of the three vectors that a row's sums take
  const void* q[kQueries];              // head's first channel of each query
  void* out[kQueries];
  std::int64_t limit[kQueries];  // keys that this query may see, at least 1
  int queries = 0;
  const void* keys = nullptr;    // packed, see PackKeys
  const void* values = nullptr;  // packed
  std::int64_t key_count = 0;    // without padding
  // Added to a query's scores before they are scaled, a number for each key, readable up to the padding;
  // null: nothing.
  const float* bias[kQueries] = {};
  int head_dim = 0;
  float scale = 1.0f;
  float* scratch = nullptr;  // ScratchFloats(head_dim)

  // Sums and totals of all queries, in float, and the queries narrowed to pairs; scores and weights of kRows.
  static constexpr std::int64_t ScratchFloats(int head_dim) {
    const std::int64_t padded = (head_dim + 31) / 32 * 32;
    return kQueries * (padded + kKeyGroup + padded / 2) + kRows * (kKeysMax + kKeysMax / 2);
  }
};

template <typename T>
struct RowKernels {
  // sums[0..c) += x, sums[c..2c) += x^2, over the rows; at most 1024 rows, for precision.
  void (*channel_sums)(const T* x, std::int64_t rows, std::int64_t channels, float* sums);
  // out = x * scale + shift for each channel, then silu if asked.
  void (*scale_shift)(const T* x, T* out, std::int64_t rows, std::int64_t channels, const float* scale,
                      const float* shift, bool silu);
  void (*layer_norm)(const T* x, T* out, std::int64_t rows, std::int64_t channels, const float* gamma,
                     const float* beta, float epsilon, bool centred);
  // x has 2 * channels a row.
  void (*geglu)(const T* x, T* out, std::int64_t rows, std::int64_t channels);
  void (*activate)(const T* x, T* out, std::int64_t count, Activation activation);
  void (*add)(const T* x, const T* y, T* out, std::int64_t count);
  void (*blend)(const T* x, const T* y, float amount, T* out, std::int64_t count);
  // x * (by + one) + shift, which may be null.
  void (*scale_row)(const T* x, const T* by, const T* shift, float one, T* out, std::int64_t count);
  void (*rotate_row)(const T* x, const float* turns, T* out, std::int64_t channels);
  void (*to_float)(const T* x, float* out, std::int64_t count);
  void (*from_float)(const float* x, T* out, std::int64_t count);
  // Keys and values of one head: `count` tokens `stride` elements apart, into PackedBytes() bytes.
  void (*pack)(const T* keys, const T* values, std::int64_t stride, std::int64_t count, int head_dim,
               void* packed_keys, void* packed_values);
  void (*attend)(const AttentionBlock& block);
  // Bytes of one packed token, keys and values alike.
  int (*packed_token_bytes)(int head_dim);
};

// What follows once all taps of a tile are summed. `out` and `residual` point at the tile's first element.
struct ProductEnd {
  int rows = 0, columns = 0;      // of the tile, without padding
  const float* scales = nullptr;  // of the columns, or null: a sum times its scale, before the bias
  const float* bias = nullptr;    // or null
  Activation activation = Activation::kNone;
  const void* residual = nullptr;  // or null; added after the activation
  DType residual_type = DType::kF32;
  void* out = nullptr;
  DType out_type = DType::kF32;
  std::int64_t row_stride = 0;  // elements, of `out` and `residual` alike
  bool gated = false;           // the second half of the columns gates the first (Geglu), which is the result
};

// A few rows of a product with one panel of its columns (product_kernel.h).
struct ProductTile {
  static constexpr int kRowsMax = 8;
  static constexpr int kColumnsMax = 64;
  const void* const* x = nullptr;       // [tap][row]: first channels; kRowsMax of each tap must be readable
  std::int64_t tap_pitch = 0;           // pointers from one tap to the next
  std::int64_t taps = 1, channels = 0;  // at least one of each
  const std::uint32_t* weights = nullptr;  // packed, from the first of these taps on
  float* sums = nullptr;                   // [kRowsMax][kColumnsMax], for sums of earlier and for later taps
  bool add = false;                        // to what `sums` holds
  bool ends = true;                        // no taps follow: `end` is done
  ProductEnd end;
};

// The outputs of a panel before they are packed: f32, a row for each, channels and taps in either order.
struct PanelRows {
  const float* first = nullptr;
  int outputs = 0;
  std::int64_t taps = 1, channels = 0;
  bool taps_last = false;  // [channels][taps] instead of [taps][channels]
};

// Products whose factors are T. A panel has up to `vectors` vectors of columns, tile_rows(vectors) says how
// many rows are taken at a time. Packed weights are 32-bit words: steps(channels) for each tap and column.
template <typename T>
struct ProductKernels {
  int lanes = 0, vectors = 0;
  int (*tile_rows)(int vectors) = nullptr;
  std::int64_t (*steps)(std::int64_t channels) = nullptr;
  int step_channels = 0;  // in one word
  void (*pack_panel)(const PanelRows& rows, std::uint32_t* packed) = nullptr;
  void (*multiply)(const ProductTile& tile) = nullptr;
  // Weights of an Int8Panel of `columns` (with padding) as `multiply` reads them, without their scales:
  // exact, for both types hold every whole number up to 127.
  void (*widen_panel)(const std::uint32_t* weights, std::int64_t channels, int columns,
                      std::uint32_t* widened) = nullptr;
};

inline constexpr int kInt8StepChannels = 4;                // in one word
inline constexpr std::int64_t kInt8ChannelsMax = 1 << 16;  // 255 * 127 * channels must fit into 31 bits
inline constexpr int kInt8Largest = 127;                   // symmetric: -128 is not used
inline constexpr int kInt8Zero = 128;                      // what is added to numbers of a row of u8

// A panel of weights of 8 bits: for every column what its sums begin with, and its scale; then words of four
// channels, [step][column]. One layout for all instruction sets with equally many lanes.
struct Int8Panel {
  static constexpr int kColumnWords = 2;  // beside the weights
  const std::uint32_t* packed = nullptr;
  int columns = 0;  // with padding

  // -kInt8Zero times the sum of a column's weights: so sums of u8 end as sums of the signed numbers.
  const std::int32_t* offsets() const { return reinterpret_cast<const std::int32_t*>(packed); }
  const float* scales() const { return reinterpret_cast<const float*>(packed + columns); }
  const std::uint32_t* weights() const { return packed + kColumnWords * columns; }
};

// A few quantised rows of a product with one panel: sums in whole numbers, the same on every instruction set.
struct Int8Tile {
  const std::uint8_t* x = nullptr;  // rows, `pitch` apart; ProductTile::kRowsMax of them must be readable
  std::int64_t pitch = 0;           // a multiple of kInt8StepChannels
  std::int64_t steps = 0;           // at least one
  const float* row_scales = nullptr;
  Int8Panel panel;
  float* sums = nullptr;  // [kRowsMax][kColumnsMax] of ProductTile
  ProductEnd end;         // its scales are the panel's
};

struct Int8Products {
  int lanes = 0, vectors = 0;
  int (*tile_rows)(int vectors) = nullptr;
  // Writes a row as u8, kInt8Zero for zero, and gives the scale: the largest magnitude over 127. A row of
  // zeros, or of nothing above 2^-100, has scale 0; one with a number that is not finite has NaN.
  float (*quantise_f32)(const float* x, std::int64_t channels, std::uint8_t* out) = nullptr;
  float (*quantise_bf16)(const BFloat16* x, std::int64_t channels, std::uint8_t* out) = nullptr;
  void (*multiply)(const Int8Tile& tile) = nullptr;
};

// As those of RowKernels, from float to bf16.
struct NarrowingKernels {
  void (*scale_shift)(const float* x, BFloat16* out, std::int64_t rows, std::int64_t channels,
                      const float* scale, const float* shift, bool silu) = nullptr;
  void (*layer_norm)(const float* x, BFloat16* out, std::int64_t rows, std::int64_t channels,
                     const float* gamma, const float* beta, float epsilon, bool centred) = nullptr;
  void (*add)(const float* x, const float* y, BFloat16* out, std::int64_t count) = nullptr;
  void (*blend)(const float* x, const float* y, float amount, BFloat16* out, std::int64_t count) = nullptr;
  void (*scale_row)(const float* x, const float* by, const float* shift, float one, BFloat16* out,
                    std::int64_t count) = nullptr;
};

struct KernelTable {
  RowKernels<float> f32;
  RowKernels<BFloat16> bf16;
  ProductKernels<float> f32_products;
  ProductKernels<BFloat16> bf16_products;
  Int8Products int8_products;
  NarrowingKernels narrowing;
};

// The table for an instruction set that this processor has (HasIsa).
const KernelTable& KernelsFor(Isa isa);

// The compiled tables, those of the architecture and the plain one; KernelsFor chooses.
const KernelTable& ScalarKernels();
const KernelTable& NeonKernels();
const KernelTable& Avx2Kernels();
const KernelTable& Avx512Kernels();
// Replaces the attention of bf16 by one that multiplies bf16 natively.
void InstallBf16Attention(RowKernels<BFloat16>& kernels);
void InstallBf16Products(KernelTable& table);
// Those whose sums are made by VPDPBUSD.
void InstallVnniProducts(KernelTable& table);

template <typename T>
const RowKernels<T>& RowsOf(const KernelTable& table);
template <>
inline const RowKernels<float>& RowsOf<float>(const KernelTable& table) {
  return table.f32;
}
template <>
inline const RowKernels<BFloat16>& RowsOf<BFloat16>(const KernelTable& table) {
  return table.bf16;
}
// Those that read X and write T: float to float, bf16 to bf16, or float to bf16.
template <typename X, typename T>
const auto& KernelsOf(const KernelTable& table) {
  if constexpr (std::is_same_v<X, T>)
    return RowsOf<T>(table);
  else
    return table.narrowing;
}
template <typename T>
const ProductKernels<T>& ProductsOf(const KernelTable& table);
template <>
inline const ProductKernels<float>& ProductsOf<float>(const KernelTable& table) {
  return table.f32_products;
}
template <>
inline const ProductKernels<BFloat16>& ProductsOf<BFloat16>(const KernelTable& table) {
  return table.bf16_products;
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_KERNEL_TABLE_H_
