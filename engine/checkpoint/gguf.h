// GGUF, the file format of ggml's programs: the tensors of a file, and quantised numbers as floats.
//
//   "GGUF", version u32 (2 or 3), counts of tensors and of pairs u64; pairs (name, type u32, value); of each
//   tensor its name, sizes (u64, the innermost first), type u32 and offset u64; from the next multiple of
//   "general.alignment" on (32 if not said), the numbers. Names are u64 and bytes. All little-endian.
//
// Read are f32, f16, bf16, q8_0 (32 numbers of 8 bits and a scale in f16) and q4_0 (32 of 4 bits: the low
// halves of 16 bytes, then the high ones, less 8; and a scale in f16). Nobody vouches for a file: counts,
// names and sizes are bounded, every tensor lies inside the file, none overlaps another, and the kinds that
// are not read are refused by name. Pairs are skipped but for the alignment. Layout as ggml's docs/gguf.md
// says.
//
// Safe on any bytes; pure; O(header). Bounds: 65536 pairs and tensors, a header of 64 MiB, 4 axes.
#ifndef RINGWAY_ENGINE_CHECKPOINT_GGUF_H_
#define RINGWAY_ENGINE_CHECKPOINT_GGUF_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/safetensors.h"

namespace ringway::engine {

struct GgufHeader {
  std::vector<StoredTensor> tensors;  // sorted by name; sizes as other formats have them, the outermost first
  std::size_t data_begin = 0;
};

bool IsGguf(std::span<const std::byte> file);
// `what` names the file in errors. InvalidArgument says which rule is broken.
absl::StatusOr<GgufHeader> ParseGguf(std::span<const std::byte> file, std::string_view what);

// Numbers of a tensor of q8_0 or q4_0, from the `first` on. `from` is where the tensor begins.
void ReadQ8(const std::byte* from, std::int64_t first, std::span<float> out);
void ReadQ4(const std::byte* from, std::int64_t first, std::span<float> out);
// Bytes of so many numbers, a multiple of 32.
std::size_t QuantisedBytes(FileDType dtype, std::int64_t elements);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_GGUF_H_
