#include "engine/adapters/low_rank.h"

#include <cmath>
#include <limits>

namespace ringway::engine {
namespace {

std::size_t Index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void AddProduct(const LowRank& adapter, std::int64_t first, float strength, std::span<float> rows) {
  const std::size_t row = Index(adapter.row), rank = Index(adapter.rank);
  for (std::size_t r = 0; r < rows.size() / row; ++r) {
    float* out = rows.data() + r * row;
    const float* up = adapter.up.data() + (Index(first) + r) * rank;
    for (std::size_t a = 0; a < rank; ++a) {
      const float factor = strength * up[a];
      const float* down = adapter.down.data() + a * row;
      for (std::size_t i = 0; i < row; ++i) out[i] += factor * down[i];
    }
  }
}

void AddSquaresByInput(const LowRank& adapter, std::int64_t first, std::span<float> rows,
                       std::span<double> squares) {
  AddProduct(adapter, first, 1.0f, rows);
  const std::size_t row = Index(adapter.row), taps = Index(adapter.taps);
  for (std::size_t i = 0; i < rows.size(); ++i)
    squares[i % row / taps] += static_cast<double>(rows[i]) * static_cast<double>(rows[i]);
}

void AddAdapted(const LowRank& adapter, std::int64_t first, float strength, std::span<const float> base,
                std::span<const float> norms, std::span<float> rows) {
  if (adapter.lengths == Lengths::kNone) return AddProduct(adapter, first, strength, rows);
  const std::size_t row = Index(adapter.row), taps = Index(adapter.taps);
  std::vector<float> made(base.begin(), base.end());
  AddProduct(adapter, first, 1.0f, made);
  for (std::size_t r = 0; r < made.size() / row; ++r) {
    float length = 1;
    if (adapter.lengths == Lengths::kOfRows) {
      double squares = 0;
      for (std::size_t i = 0; i < row; ++i) {
        const double v = static_cast<double>(made[r * row + i]);
        squares += v * v;
      }
      length = adapter.magnitude[Index(first) + r] /
               (static_cast<float>(std::sqrt(squares)) + std::numeric_limits<float>::epsilon());
    }
    for (std::size_t i = 0; i < row; ++i) {
      if (adapter.lengths == Lengths::kOfInputs) length = adapter.magnitude[i / taps] / norms[i / taps];
      rows[r * row + i] += strength * (made[r * row + i] * length - base[r * row + i]);
    }
  }
}

}  // namespace ringway::engine
