// Fills a kernel table with the kernels of one vector type; each kernels_*.cc calls it once.
//
// A table is a value: making one costs a few stores, and a caller may replace single kernels in a copy of it,
// as the table with native bf16 does. Separate from the kernels so that attention_bf16.cc can use their parts
// without instantiating all of them. Internal linkage as explained in vector_scalar.h.
#ifndef RINGWAY_ENGINE_CPU_MAKE_TABLE_H_
#define RINGWAY_ENGINE_CPU_MAKE_TABLE_H_

#include "engine/cpu/attention_kernel.h"
#include "engine/cpu/product_int8_kernel.h"
#include "engine/cpu/product_kernel.h"
#include "engine/cpu/row_kernels.h"

namespace ringway::engine {
namespace {

template <typename V, typename T>
RowKernels<T> MakeRowKernels() {
  return {.channel_sums = ChannelSums<V, T>,
          .scale_shift = ScaleShift<V, T, T>,
          .layer_norm = LayerNorm<V, T, T>,
          .geglu = Geglu<V, T>,
          .activate = Activate<V, T>,
          .add = Add<V, T, T>,
          .blend = Blend<V, T, T>,
          .scale_row = ScaleRow<V, T, T>,
          .rotate_row = RotateRow<T>,
          .to_float = ToFloats<V, T>,
          .from_float = FromFloats<V, T>,
          .pack = Pack<V, T>,
          .attend = Attend<V, T>,
          .packed_token_bytes = PackedTokenBytes<V>};
}

// Int8: how the vectors are used for products in int8 (product_int8_kernel.h).
template <typename V, typename Int8>
KernelTable MakeTable() {
  return {MakeRowKernels<V, float>(),
          MakeRowKernels<V, BFloat16>(),
          MakeProductKernels<SingleChannels<V, float>>(),
          MakeProductKernels<SingleChannels<V, BFloat16>>(),
          MakeInt8Products<Int8>(),
          {.scale_shift = ScaleShift<V, float, BFloat16>,
           .layer_norm = LayerNorm<V, float, BFloat16>,
           .add = Add<V, float, BFloat16>,
           .blend = Blend<V, float, BFloat16>,
           .scale_row = ScaleRow<V, float, BFloat16>}};
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_MAKE_TABLE_H_
