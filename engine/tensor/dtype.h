// The element types that the engine computes in, and conversion between float and bfloat16.
//
// Activations and weights are f32, or bf16 where the processor multiplies it natively; i32 carries token ids;
// i8 is a form of packed weights alone (plan/weight_form.h), no value of a network has it.
// bf16 is the upper half of an IEEE float: same exponent, 8 bits of mantissa. Narrowing rounds to nearest,
// ties to even, and keeps a NaN a NaN, as the hardware instruction VCVTNEPS2BF16 does, so that scalar code
// and vector code agree to the bit. Half precision (f16) occurs only in files and is widened when loaded.
#ifndef RINGWAY_ENGINE_TENSOR_DTYPE_H_
#define RINGWAY_ENGINE_TENSOR_DTYPE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringway::engine {

enum class DType : std::uint8_t { kF32, kBF16, kI32, kI8 };

constexpr std::size_t SizeOf(DType dtype) { return dtype == DType::kI8 ? 1 : dtype == DType::kBF16 ? 2 : 4; }

constexpr std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "f32";
    case DType::kBF16:
      return "bf16";
    case DType::kI32:
      return "i32";
    case DType::kI8:
      return "i8";
  }
  return "?";
}

// The storage of one bf16 number; arithmetic happens in float.
struct BFloat16 {
  std::uint16_t bits = 0;
};

inline float ToFloat(float x) { return x; }
inline float ToFloat(BFloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }

inline BFloat16 ToBFloat16(float x) {
  const auto u = std::bit_cast<std::uint32_t>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((u >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}

// IEEE half to float; files only, so not vectorised. Subnormals, infinities and NaN keep their meaning.
inline float HalfToFloat(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  const std::uint32_t mantissa = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float tiny = static_cast<float>(mantissa) * 0x1.0p-24f;
    return sign != 0 ? -tiny : tiny;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TENSOR_DTYPE_H_
