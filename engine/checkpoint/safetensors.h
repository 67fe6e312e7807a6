// One safetensors file: eight bytes of header length, a JSON header, raw little-endian tensors.
//
// Format: https://github.com/huggingface/safetensors. The reader trusts nothing. It refuses a header longer
// than the file or 16 MiB, an unknown element type, a shape whose product overflows or does not match the
// bytes it claims, tensors that overlap, leave a hole or do not end where the file ends (the format's own
// rule, which closes the door to smuggled data), and names that occur twice. After Parse every entry's range
// is inside the file. Reading converts to float and never modifies the file. The writer makes the same
// layout, entries in the order given, which is what the tests and the tools need.
#ifndef RINGWAY_ENGINE_CHECKPOINT_SAFETENSORS_H_
#define RINGWAY_ENGINE_CHECKPOINT_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/tensor/tensor.h"

namespace ringway::engine {

enum class FileDType : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kI64,
  kU64,
  kF64,
  // In blocks of 32, of GGUF files (gguf.h).
  kQ8,
  kQ4
};
std::string_view FileDTypeName(FileDType dtype);

struct StoredTensor {
  std::string name;
  FileDType dtype = FileDType::kF32;
  std::vector<std::int64_t> dims;  // may be empty: a scalar
  std::size_t begin = 0;           // in bytes from the start of the file
  std::size_t end = 0;

  std::int64_t elements() const;
  std::string ShapeText() const;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;                          // sorted by name
  std::vector<std::pair<std::string, std::string>> metadata;  // "__metadata__", in file order
};

// `file` is the whole file; `what` names it in errors. InvalidArgument says which rule is broken.
absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::span<const std::byte> file, std::string_view what);

// Whether the numbers can be read as floats (F32, F16, BF16, F64); InvalidArgument for integers.
absl::Status CheckFloats(const StoredTensor& tensor);
// Converts stored numbers to float, from the `first` on as many as fill `out`.
absl::Status ReadFloats(std::span<const std::byte> file, const StoredTensor& tensor, std::int64_t first,
                        std::span<float> out);

// Writes f32 and bf16 tensors; replaces the file by renaming, so a reader never sees half of it.
absl::Status WriteSafetensors(const std::filesystem::path& path,
                              std::span<const std::pair<std::string, Tensor>> tensors,
                              std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_SAFETENSORS_H_
