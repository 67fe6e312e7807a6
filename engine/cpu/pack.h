// The weights of products in the order in which they are multiplied, made from rows that are read as needed.
//
// A panel of outputs at a time: its rows are read as f32 into a buffer of the thread and written as
// [tap][step][column] words (product_kernel.h), so packing a tensor of gigabytes takes the memory of its
// result and one panel for each thread. Gated: each panel holds as many gates as values, so that a tile has
// both; the bias is in that order too. The bytes depend on the form and the numbers alone, not on threads; in
// i8 not on the instruction set either. A row of i8 (kernel_table.h, Int8Panel) is rounded to nearest even by
// its own scale, the largest magnitude over 127, so no weight is off by more than half a scale; a row of
// zeros has scale 0.
#ifndef RINGWAY_ENGINE_CPU_PACK_H_
#define RINGWAY_ENGINE_CPU_PACK_H_

#include "engine/cpu/cpu_kernels.h"

namespace ringway::engine {

constexpr std::int64_t RoundedUp(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

// 32-bit words of a packed weight with `outputs` rows of taps * channels.
std::int64_t PackedWords(const WeightForm& form, std::int64_t outputs, std::int64_t taps,
                         std::int64_t channels);

// Into PackedWords of that many rows of one tap; columns are padded to a multiple of `lanes`. False where a
// number is not finite: then nothing is said about what was written.
bool PackInt8Panel(const PanelRows& rows, int lanes, std::uint32_t* packed);

// `form` is one that a product kernel asked for. Errors are those of the rows; the first row's wins.
// OutOfRange: a number that is not finite has no place in i8.
absl::StatusOr<Tensor> PackWeight(const CpuContext& context, const WeightForm& form, const WeightRows& rows);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_PACK_H_
