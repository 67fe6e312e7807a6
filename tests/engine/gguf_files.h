// GGUF files for tests, written as the format says (engine/checkpoint/gguf.h).
//
// Tensors are given with the outermost size first, as safetensors have them. Quantising is ggml's: of 32
// numbers the largest magnitude becomes 127 (q8_0), or that with its sign -8 (q4_0). Wrong files are made by
// changing the parts.
#ifndef RINGWAY_TESTS_ENGINE_GGUF_FILES_H_
#define RINGWAY_TESTS_ENGINE_GGUF_FILES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/tensor/dtype.h"

namespace ringway::engine {

template <typename T>
void Put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
inline void PutText(std::string& to, const std::string& text) {
  Put<std::uint64_t>(to, text.size());
  to += text;
}

// Of numbers that f16 can hold, by search: files of tests are small.
inline std::uint16_t ToHalf(float x) {
  const std::uint16_t sign = x < 0 ? 0x8000 : 0;
  std::uint16_t low = 0, high = 0x7bff;
  while (low < high) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    if (HalfToFloat(middle) < std::abs(x))
      low = static_cast<std::uint16_t>(middle + 1);
    else
      high = middle;
  }
  if (low > 0 &&
      std::abs(x) - HalfToFloat(static_cast<std::uint16_t>(low - 1)) < HalfToFloat(low) - std::abs(x))
    --low;
  return static_cast<std::uint16_t>(sign | low);
}

enum class GgufType : std::uint32_t { kF32 = 0, kF16 = 1, kQ4 = 2, kQ8 = 8, kBF16 = 30 };

inline std::string GgufNumbers(const std::vector<float>& values, GgufType type) {
  std::string bytes;
  if (type == GgufType::kF32)
    for (const float x : values) Put(bytes, x);
  if (type == GgufType::kF16)
    for (const float x : values) Put(bytes, ToHalf(x));
  if (type == GgufType::kBF16)
    for (const float x : values) Put(bytes, ToBFloat16(x).bits);
  for (std::size_t block = 0; type != GgufType::kF32 && block + 32 <= values.size(); block += 32) {
    const float* x = values.data() + block;
    float most = 0;
    for (int i = 0; i < 32; ++i)
      if (std::abs(x[i]) > std::abs(most)) most = x[i];
    if (type == GgufType::kQ8) {
      const std::uint16_t scale = ToHalf(std::abs(most) / 127);
      Put(bytes, scale);
      const float step = std::max(HalfToFloat(scale), 1e-12f);
      for (int i = 0; i < 32; ++i)
        Put(bytes, static_cast<std::int8_t>(std::clamp(std::lround(x[i] / step), -127L, 127L)));
    }
    if (type == GgufType::kQ4) {
      const std::uint16_t scale = ToHalf(most / -8);
      Put(bytes, scale);
      const float step = HalfToFloat(scale);
      const auto number = [&](int i) {
        return step == 0 ? 8 : static_cast<int>(std::clamp(std::lround(x[i] / step) + 8, 0L, 15L));
      };
      for (int i = 0; i < 16; ++i) Put(bytes, static_cast<std::uint8_t>(number(i) | number(i + 16) << 4));
    }
  }
  return bytes;
}

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  GgufType type = GgufType::kF32;
  std::vector<float> values = {};
};

inline std::string GgufFile(const std::vector<GgufTensor>& tensors, std::uint32_t alignment = 32) {
  std::string header = "GGUF";
  Put<std::uint32_t>(header, 3);
  Put<std::uint64_t>(header, tensors.size());
  Put<std::uint64_t>(header, 3);
  PutText(header, "general.architecture");
  Put<std::uint32_t>(header, 8);
  PutText(header, "sd");
  PutText(header, "general.alignment");
  Put<std::uint32_t>(header, 4);
  Put<std::uint32_t>(header, alignment);
  PutText(header, "notes");
  Put<std::uint32_t>(header, 9);
  Put<std::uint32_t>(header, 8);
  Put<std::uint64_t>(header, 2);
  PutText(header, "one");
  PutText(header, "two");
  std::string data;
  for (const GgufTensor& tensor : tensors) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    PutText(header, tensor.name);
    Put<std::uint32_t>(header, static_cast<std::uint32_t>(tensor.dims.size()));
    for (auto dim = tensor.dims.rbegin(); dim != tensor.dims.rend(); ++dim)
      Put<std::uint64_t>(header, static_cast<std::uint64_t>(*dim));
    Put(header, static_cast<std::uint32_t>(tensor.type));
    Put<std::uint64_t>(header, data.size());
    data += GgufNumbers(tensor.values, tensor.type);
  }
  header.resize((header.size() + alignment - 1) / alignment * alignment);
  return header + data;
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_GGUF_FILES_H_
