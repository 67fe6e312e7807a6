// Products in int8 of every instruction set against whole numbers: rows are rounded to the same bytes as in
// plain C++, and a tile's sums are those of a loop, to the last bit, at the largest numbers too.
#include <cstring>

#include "tests/engine/kernel_tables.h"

namespace ringway::engine {
namespace {

class Int8Tiles : public KernelTables {};

struct Quantised {
  std::vector<std::uint8_t> bytes;
  float scale = 0;
};

template <typename T>
Quantised QuantisedBy(Isa isa, const std::vector<T>& row) {
  const auto& products = KernelsFor(isa).int8_products;
  Quantised q{std::vector<std::uint8_t>(row.size() + 16, 7)};
  const auto channels = static_cast<std::int64_t>(row.size());
  if constexpr (std::is_same_v<T, float>)
    q.scale = products.quantise_f32(row.data(), channels, q.bytes.data());
  else
    q.scale = products.quantise_bf16(row.data(), channels, q.bytes.data());
  EXPECT_TRUE(std::all_of(q.bytes.end() - 16, q.bytes.end(), [](std::uint8_t b) { return b == 7; }));
  return q;
}

template <typename T>
void ExpectRowsAlike(Isa isa) {
  for (const std::int64_t channels : {1, 3, 4, 8, 15, 16, 31, 64, 333}) {
    for (const float scale : {1.0f, 3e-31f, 1e30f}) {
      const std::vector<T> row = RandomNumbers<T>(channels, static_cast<std::uint64_t>(channels), scale);
      const Quantised fast = QuantisedBy(isa, row), plain = QuantisedBy(Isa::kScalar, row);
      EXPECT_EQ(fast.bytes, plain.bytes) << channels;
      EXPECT_EQ(fast.scale, plain.scale) << channels;
    }
  }
  std::vector<T> row = RandomNumbers<T>(40, 5);
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    row[17] = Narrowed(-wrong, T{});
    EXPECT_TRUE(std::isnan(QuantisedBy(isa, row).scale));
  }
  EXPECT_EQ(QuantisedBy(isa, std::vector<T>(40)).scale, 0);
}

TEST_P(Int8Tiles, RowsAreRoundedToTheSameBytes) {
  ExpectRowsAlike<float>(GetParam());
  ExpectRowsAlike<BFloat16>(GetParam());
}

// Rows of u8 and a panel of s8, as kernel_table.h lays it out, of numbers as large as they may be: all at the
// bound, with signs that never cancel, or drawn at random.
class TileFactors {
 public:
  TileFactors(std::int64_t rows, int columns, std::int64_t steps, bool largest)
      : columns_(columns), steps_(steps) {
    const std::int64_t channels = steps * kInt8StepChannels;
    Rng rng(static_cast<std::uint64_t>(rows * 1000 + columns), 3);
    const auto number = [&](bool up) {
      return largest ? (up ? kInt8Largest : -kInt8Largest) : static_cast<int>(rng.Below(255)) - kInt8Largest;
    };
    for (std::int64_t i = 0; i < rows * channels; ++i)
      x_.push_back(static_cast<std::uint8_t>(number(i / channels % 2 == 0) + kInt8Zero));
    for (std::int64_t i = 0; i < columns * channels; ++i)
      w_.push_back(static_cast<std::int8_t>(number(i / channels % 3 == 0)));
    x_.resize(static_cast<std::size_t>((rows + ProductTile::kRowsMax) * channels), 0);
    for (int c = 0; c < columns; ++c) {
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < channels; ++k) sum += weight(c, k);
      packed_.push_back(static_cast<std::uint32_t>(-kInt8Zero * sum));
    }
    for (int c = 0; c < columns; ++c) packed_.push_back(__builtin_bit_cast(std::uint32_t, 0.5f + c));
    for (std::int64_t step = 0; step < steps; ++step)
      for (int c = 0; c < columns; ++c) {
        std::uint32_t word;
        std::memcpy(&word, &w_[static_cast<std::size_t>(c * channels + step * kInt8StepChannels)],
                    sizeof(word));
        packed_.push_back(word);
      }
  }
  std::int32_t weight(int column, std::int64_t channel) const {
    return w_[static_cast<std::size_t>(column * steps_ * kInt8StepChannels + channel)];
  }
  float Expected(std::int64_t row, int column) const {
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < steps_ * kInt8StepChannels; ++k)
      sum += (x_[static_cast<std::size_t>(row * steps_ * kInt8StepChannels + k)] - kInt8Zero) *
             weight(column, k);
    return static_cast<float>(sum) * RowScale(row) * (0.5f + static_cast<float>(column));
  }
  static float RowScale(std::int64_t row) { return static_cast<float>(1 + row % 3); }

  Int8Tile TileFrom(std::int64_t row) const {
    Int8Tile tile;
    tile.x = x_.data() + row * steps_ * kInt8StepChannels;
    tile.pitch = steps_ * kInt8StepChannels;
    tile.steps = steps_;
    tile.panel = {packed_.data(), columns_};
    tile.end.scales = tile.panel.scales();
    return tile;
  }

 private:
  const int columns_;
  const std::int64_t steps_;
  std::vector<std::uint8_t> x_;
  std::vector<std::int8_t> w_;
  std::vector<std::uint32_t> packed_;
};

// `columns` of the panel count, the rest is padding.
void ExpectExact(Isa isa, std::int64_t rows, int columns, std::int64_t steps, bool largest) {
  SCOPED_TRACE(testing::Message() << rows << " rows, " << columns << " columns, " << steps << " steps");
  const int lanes = KernelsFor(isa).int8_products.lanes;
  const int vectors = (columns + lanes - 1) / lanes;
  const TileFactors given(rows, vectors * lanes, steps, largest);
  const std::vector<float> written =
      Written<float>(isa, rows * columns, [&](const KernelTable& table, float* out) {
        const auto& products = table.int8_products;
        alignas(64) float sums[ProductTile::kRowsMax * ProductTile::kColumnsMax];
        for (std::int64_t row = 0; row < rows; row += products.tile_rows(vectors)) {
          Int8Tile tile = given.TileFrom(row);
          std::vector<float> scales;
          for (std::int64_t r = row; r < row + ProductTile::kRowsMax; ++r)
            scales.push_back(TileFactors::RowScale(r));
          tile.row_scales = scales.data();
          tile.sums = sums;
          tile.end.rows = static_cast<int>(std::min<std::int64_t>(products.tile_rows(vectors), rows - row));
          tile.end.columns = columns;
          tile.end.out = out + row * columns;
          tile.end.row_stride = columns;
          products.multiply(tile);
        }
      });
  for (std::int64_t row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      ASSERT_EQ(written[static_cast<std::size_t>(row * columns + column)], given.Expected(row, column))
          << "row " << row << ", column " << column;
}

TEST_P(Int8Tiles, SumsAreExact) {
  const auto& products = KernelsFor(GetParam()).int8_products;
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 19})
    for (int columns = 1; columns <= products.vectors * products.lanes; columns += 1 + columns / 5)
      for (const bool largest : {false, true}) ExpectExact(GetParam(), rows, columns, 1 + rows * 3, largest);
  ExpectExact(GetParam(), 5, products.lanes, kInt8ChannelsMax / kInt8StepChannels, true);
}

INSTANTIATE_TEST_SUITE_P(All, Int8Tiles, EveryLevel(), LevelName);

}  // namespace
}  // namespace ringway::engine
