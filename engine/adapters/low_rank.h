// What an adapter adds to one weight of a model: a product of two thin matrices (LoRA; Hu et al.,
// arXiv:2106.09685), and perhaps a length for each row or column (DoRA; Liu et al., arXiv:2402.09353).
//
// With W the model's weight, as rows of its first axis, and D = up * down: LoRA gives W + D; DoRA gives
// V = W + D with every row, or every input's column, scaled to the length that was learnt, V * m / |V|. An
// adapter at strength s contributes s times what it makes of W less W, each of several on the model's own W,
// so their order does not count. Rows are independent but for lengths by input, whose |V| is found once
// (ColumnNorms). Sums are in f32, in an order that depends on the row alone: the same bytes however many rows
// are asked for at once. Immutable; any thread. O(rank) a number.
#ifndef RINGWAY_ENGINE_ADAPTERS_LOW_RANK_H_
#define RINGWAY_ENGINE_ADAPTERS_LOW_RANK_H_

#include <cstdint>
#include <span>
#include <vector>

namespace ringway::engine {

enum class Lengths : std::uint8_t { kNone, kOfRows, kOfInputs };

struct LowRank {
  std::int64_t rows = 0, row = 0;  // of the weight; `row` numbers in a row
  std::int64_t rank = 0;
  std::int64_t taps = 1;    // of a kernel; a row is [inputs][taps]
  std::vector<float> up;    // [rows][rank], with alpha / rank in it
  std::vector<float> down;  // [rank][row]
  Lengths lengths = Lengths::kNone;
  std::vector<float> magnitude;  // as many as there are rows or inputs

  std::size_t bytes() const { return (up.size() + down.size() + magnitude.size()) * sizeof(float); }
};

// Adds `strength` times D of these rows, from `first` on, to `rows`.
void AddProduct(const LowRank& adapter, std::int64_t first, float strength, std::span<float> rows);

// Adds each row's squares of W + D, by input, to `squares`; `rows` holds W and is used up.
void AddSquaresByInput(const LowRank& adapter, std::int64_t first, std::span<float> rows,
                       std::span<double> squares);

// Adds what the adapter changes of `base` to `rows`, at this strength. `norms`: |V| by input, for lengths of
// inputs.
void AddAdapted(const LowRank& adapter, std::int64_t first, float strength, std::span<const float> base,
                std::span<const float> norms, std::span<float> rows);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ADAPTERS_LOW_RANK_H_
