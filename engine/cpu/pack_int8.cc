// Panels of weights in int8. Plain C++ without an instruction set of its own, so that its bytes are the same
// everywhere.
#include <bit>
#include <cmath>

#include "engine/cpu/pack.h"

namespace ringway::engine {
namespace {

constexpr float kSmallestQuantised = 0x1p-100f;  // below it 127 over it may be infinite

// To nearest even, for |x| < 2^22: the sum leaves no room for a fraction in its mantissa.
std::int32_t RoundedToNearest(float x) {
  constexpr float kShift = 0x1.8p23f;
  return std::bit_cast<std::int32_t>(x + kShift) - std::bit_cast<std::int32_t>(kShift);
}

struct RowScale {
  float scale = 0, inverse = 0;
  bool finite = true;
};

RowScale ScaleOf(const float* row, std::int64_t channels) {
  float largest = 0;
  bool finite = true;
  for (std::int64_t c = 0; c < channels; ++c) {
    finite = finite && std::isfinite(row[c]);
    largest = std::max(largest, std::abs(row[c]));
  }
  if (!finite || largest < kSmallestQuantised) return {0, 0, finite};
  return {largest / kInt8Largest, kInt8Largest / largest, true};
}

}  // namespace

bool PackInt8Panel(const PanelRows& rows, int lanes, std::uint32_t* packed) {
  const int columns = static_cast<int>(RoundedUp(rows.outputs, lanes));
  const std::int64_t words = RoundedUp(rows.channels, kInt8StepChannels) / kInt8StepChannels;
  bool finite = true;
  for (int column = 0; column < columns; ++column) {
    const float* row = rows.first + column * rows.channels;
    const RowScale of = column < rows.outputs ? ScaleOf(row, rows.channels) : RowScale{};
    finite = finite && of.finite;
    std::int32_t sum = 0;
    std::uint32_t* to = packed + Int8Panel::kColumnWords * columns + column;
    for (std::int64_t word = 0; word < words; ++word, to += columns) {
      std::uint32_t bytes = 0;
      for (std::int64_t i = 0; i < kInt8StepChannels && of.scale > 0; ++i) {
        const std::int64_t c = word * kInt8StepChannels + i;
        const std::int32_t q = c < rows.channels ? RoundedToNearest(row[c] * of.inverse) : 0;
        sum += q;
        bytes |= (static_cast<std::uint32_t>(q) & 0xffu) << (8 * i);
      }
      *to = bytes;
    }
    packed[column] = static_cast<std::uint32_t>(-kInt8Zero * sum);
    packed[columns + column] = std::bit_cast<std::uint32_t>(of.scale);
  }
  return finite;
}

}  // namespace ringway::engine
