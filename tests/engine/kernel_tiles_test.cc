// The products of every instruction set against those in plain C++: panels packed and multiplied tile by
// tile, with all that may follow a sum. Whole numbers are used where nothing but sums follows, so that
// results must be equal to the last bit.
#include "tests/engine/kernel_tables.h"

namespace ringway::engine {
namespace {

class KernelTiles : public KernelTables {};

struct Product {
  std::int64_t rows, outputs, taps, channels;
  Activation activation = Activation::kNone;
  bool bias = true, gated = false;
  bool residual = false, wide_residual = false;
  bool in_turns = false;  // a tap at a time, with sums in memory
  bool taps_last = false;
  std::int64_t results() const { return gated ? outputs / 2 : outputs; }
};

template <typename X, typename Out>
struct Factors {
  std::vector<X> x;            // [row + tap][channel]: taps overlap
  std::vector<float> weights;  // a row for each output
  std::vector<float> bias;
  std::vector<float> wide_residual;
  std::vector<Out> residual;
};

template <typename T>
std::vector<T> WholeNumbers(std::int64_t count, std::uint64_t seed, int largest) {
  std::vector<float> values(static_cast<std::size_t>(count));
  Rng rng(seed, 9);
  for (float& v : values)
    v = static_cast<float>(static_cast<int>(rng.Below(2 * static_cast<std::uint64_t>(largest) + 1)) -
                           largest);
  return TypedNumbers<T>(values);
}

template <typename X, typename Out>
Factors<X, Out> MakeFactors(const Product& p) {
  Factors<X, Out> f{WholeNumbers<X>((p.rows + p.taps) * p.channels, 1, 3),
                    WholeNumbers<float>(p.outputs * p.taps * p.channels, 2, 1),
                    WholeNumbers<float>(p.outputs, 3, 3), WholeNumbers<float>(p.rows * p.results(), 4, 3),
                    WholeNumbers<Out>(p.rows * p.results(), 4, 3)};
  // Results of bf16 must be exact too, below 256: few terms are not zero.
  Rng rng(5, 9);
  const auto terms = static_cast<std::uint64_t>(p.taps * p.channels);
  for (float& w : f.weights)
    if (rng.Below(terms) >= 24) w = 0;
  return f;
}

// One panel: `columns` are its outputs.
template <typename X, typename Out>
class PanelProduct {
 public:
  PanelProduct(const ProductKernels<X>& kernels, const Product& p, const Factors<X, Out>& f)
      : kernels_(kernels), p_(p), f_(f), zeros_(static_cast<std::size_t>(p.channels)) {
    for (std::int64_t tap = 0; tap < p.taps; ++tap)
      for (std::int64_t row = 0; row < pitch(); ++row)
        x_.push_back(row < p.rows ? f.x.data() + (row + tap) * p.channels : zeros_.data());
  }

  void Run(const std::vector<std::int64_t>& columns, std::int64_t first_result, Out* out) {
    const int count = static_cast<int>(columns.size());
    const int vectors = (count + kernels_.lanes - 1) / kernels_.lanes;
    const std::int64_t size = p_.taps * p_.channels;
    std::vector<float> rows, bias;
    for (const std::int64_t column : columns) {
      rows.insert(rows.end(), f_.weights.begin() + column * size, f_.weights.begin() + (column + 1) * size);
      bias.push_back(f_.bias[static_cast<std::size_t>(column)]);
    }
    tap_words_ = kernels_.steps(p_.channels) * vectors * kernels_.lanes;
    std::vector<std::uint32_t> packed(static_cast<std::size_t>(p_.taps * tap_words_));
    kernels_.pack_panel({rows.data(), count, p_.taps, p_.channels, p_.taps_last}, packed.data());
    const std::int64_t tile_rows = kernels_.tile_rows(vectors);
    for (std::int64_t row = 0; row < p_.rows; row += tile_rows) {
      ProductEnd end = EndAt(row, first_result, out);
      end.rows = static_cast<int>(std::min(tile_rows, p_.rows - row));
      end.columns = count;
      if (p_.bias) end.bias = bias.data();
      MultiplyTile(row, packed.data(), end);
    }
  }

 private:
  std::int64_t pitch() const { return p_.rows + ProductTile::kRowsMax; }

  ProductEnd EndAt(std::int64_t row, std::int64_t first_result, Out* out) const {
    const std::int64_t at = row * p_.results() + first_result;
    ProductEnd end;
    end.activation = p_.activation;
    end.gated = p_.gated;
    if (p_.residual)
      end.residual = p_.wide_residual ? static_cast<const void*>(f_.wide_residual.data() + at)
                                      : static_cast<const void*>(f_.residual.data() + at);
    end.residual_type = p_.wide_residual ? DType::kF32 : DTypeOf<Out>::value;
    end.out = out + at;
    end.out_type = DTypeOf<Out>::value;
    end.row_stride = p_.results();
    return end;
  }

  void MultiplyTile(std::int64_t row, const std::uint32_t* packed, const ProductEnd& end) {
    alignas(64) float sums[ProductTile::kRowsMax * ProductTile::kColumnsMax];
    const std::int64_t at_once = p_.in_turns ? 1 : p_.taps;
    for (std::int64_t tap = 0; tap < p_.taps; tap += at_once) {
      ProductTile tile;
      tile.x = x_.data() + tap * pitch() + row;
      tile.tap_pitch = pitch();
      tile.taps = at_once;
      tile.channels = p_.channels;
      tile.weights = packed + tap * tap_words_;
      tile.sums = sums;
      tile.add = tap > 0;
      tile.ends = tap + at_once == p_.taps;
      tile.end = end;
      kernels_.multiply(tile);
    }
  }

  const ProductKernels<X>& kernels_;
  const Product& p_;
  const Factors<X, Out>& f_;
  std::vector<X> zeros_;
  std::vector<const void*> x_;
  std::int64_t tap_words_ = 0;
};

template <typename X, typename Out>
std::vector<float> Multiplied(Isa isa, const Product& p) {
  const Factors<X, Out> factors = MakeFactors<X, Out>(p);
  return Written<Out>(isa, p.rows * p.results(), [&](const KernelTable& table, Out* out) {
    const ProductKernels<X>& kernels = ProductsOf<X>(table);
    PanelProduct<X, Out> panel(kernels, p, factors);
    const std::int64_t wide = kernels.vectors * kernels.lanes / (p.gated ? 2 : 1);
    for (std::int64_t first = 0; first < p.results(); first += wide) {
      std::vector<std::int64_t> columns;
      for (const std::int64_t half : {std::int64_t{0}, p.results()})
        for (std::int64_t c = first; c < std::min(first + wide, p.results()) && (half == 0 || p.gated); ++c)
          columns.push_back(half + c);
      panel.Run(columns, first, out);
    }
  });
}

template <typename X, typename Out>
void ExpectEqual(Isa isa, const Product& p) {
  SCOPED_TRACE(testing::Message() << p.rows << " rows, " << p.outputs << " outputs, " << p.taps << " taps of "
                                  << p.channels << " channels");
  const std::vector<float> plain = Multiplied<X, Out>(Isa::kScalar, p), fast = Multiplied<X, Out>(isa, p);
  if (p.activation == Activation::kNone && !p.gated)
    EXPECT_EQ(fast, plain);
  else
    EXPECT_LT(RelativeDistance(fast, plain), kDistanceMax<Out>);
}

void ExpectEqual(Isa isa, const Product& p) {
  ExpectEqual<float, float>(isa, p);
  ExpectEqual<float, BFloat16>(isa, p);
  ExpectEqual<BFloat16, float>(isa, p);
  ExpectEqual<BFloat16, BFloat16>(isa, p);
}

// Every number of rows of a tile, and of the vectors of a panel, with columns that do not fill the last.
TEST_P(KernelTiles, SumsAreExact) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 19})
    for (const std::int64_t outputs : {1, 4, 7, 12, 16, 18, 33, 48, 65}) {
      ExpectEqual(GetParam(), {.rows = rows, .outputs = outputs, .taps = 1, .channels = rows + outputs % 5});
      ExpectEqual(GetParam(), {.rows = rows,
                               .outputs = outputs,
                               .taps = 3,
                               .channels = 5,
                               .bias = outputs % 2 == 0,
                               .residual = true,
                               .wide_residual = rows % 2 == 0,
                               .in_turns = rows % 3 == 0,
                               .taps_last = rows % 4 == 1});
    }
  ExpectEqual(GetParam(), {.rows = 13, .outputs = 34, .taps = 9, .channels = 333, .in_turns = true});
}

TEST_P(KernelTiles, WhatFollowsASum) {
  for (const Activation activation : {Activation::kSilu, Activation::kGelu, Activation::kRelu})
    for (const std::int64_t outputs : {8, 22, 64, 70})
      ExpectEqual(GetParam(),
                  {.rows = 7, .outputs = outputs, .taps = 1, .channels = 20, .activation = activation});
  for (const std::int64_t outputs : {2, 8, 22, 64, 70})
    for (const bool residual : {false, true})
      ExpectEqual(
          GetParam(),
          {.rows = 9, .outputs = outputs, .taps = 1, .channels = 20, .gated = true, .residual = residual});
}

INSTANTIATE_TEST_SUITE_P(All, KernelTiles, EveryLevel(), LevelName);

}  // namespace
}  // namespace ringway::engine
