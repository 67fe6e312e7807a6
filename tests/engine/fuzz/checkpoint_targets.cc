#include <vector>

#include "core/check.h"
#include "core/json_reader.h"
#include "engine/checkpoint/gguf.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/engine/fuzz/targets.h"

namespace ringway::engine {

bool FuzzJson(std::string_view bytes) { return Json::Parse(bytes, "fuzz").ok(); }

bool FuzzSafetensors(std::string_view bytes) {
  const auto file = std::as_bytes(std::span(bytes.data(), bytes.size()));
  const absl::StatusOr<SafetensorsHeader> header = ParseSafetensors(file, "fuzz");
  if (!header.ok()) return false;
  for (const StoredTensor& tensor : header->tensors) {
    RINGWAY_CHECK(tensor.begin <= tensor.end && tensor.end <= file.size());
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    (void)ReadFloats(file, tensor, 0, values);  // integers are refused, everything else must be readable
  }
  return true;
}

bool FuzzGguf(std::string_view bytes) {
  const auto file = std::as_bytes(std::span(bytes.data(), bytes.size()));
  const absl::StatusOr<GgufHeader> header = ParseGguf(file, "fuzz");
  if (!header.ok()) return false;
  for (const StoredTensor& tensor : header->tensors) {
    RINGWAY_CHECK(tensor.begin <= tensor.end && tensor.end <= file.size());
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    RINGWAY_CHECK(ReadFloats(file, tensor, 0, values).ok());
  }
  return true;
}

}  // namespace ringway::engine
