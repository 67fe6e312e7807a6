// Linear layers in whole numbers: rows are quantised as they come, then multiplied by weights of 8 bits.
//
// A run has two passes: all rows to u8 with a scale each; then tiles, as in product.cc.
// The rows are kept for the run in the kernel's workspace, a quarter or half of x. The first pass reads x
// once and is a few percent of the second, which has tens of columns for every number of a row.
#include <vector>

#include "engine/cpu/product.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

template <typename T>
class DynamicInt8Kernel : public Kernel {
 public:
  DynamicInt8Kernel(const CpuContext& context, const ProductFactors& f, Operands in, const Operand& out)
      : products_(context.table.int8_products),
        threads_(context.threads),
        f_(f),
        cut_(CutProduct(f, products_, context.threads, f.outputs > f.rows)),
        result_(f, cut_, in, out),
        form_{DType::kI8, static_cast<int>(cut_.panel_columns), products_.lanes, kInt8StepChannels, f.gated},
        pitch_(RoundedUp(f.channels, kInt8StepChannels)),
        panel_words_(PackedWords(form_, cut_.panel_columns, 1, f.channels)) {}

  std::optional<WeightForm> FormOf(std::size_t input) const override { return FormOfProduct(input, form_); }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(RowsBytes() + ScalesBytes() + threads_ * kSumsBytes);
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    x_ = reinterpret_cast<const T*>(in[0]);
    packed_ = reinterpret_cast<const std::uint32_t*>(in[1]);
    result_.Bind(in, out);
    rows_ = reinterpret_cast<std::uint8_t*>(workspace);
    scales_ = reinterpret_cast<float*>(workspace + RowsBytes());
    sums_ = workspace + RowsBytes() + ScalesBytes();
  }

  void Run() override {
    ParallelFor((f_.rows + kRowsAtOnce - 1) / kRowsAtOnce, threads_,
                [this](std::int64_t part, int) { QuantiseRows(part * kRowsAtOnce); });
    ParallelFor(cut_.tasks(), threads_, [this](std::int64_t task, int thread) {
      cut_.ForTask(task, [&](std::int64_t block, std::int64_t panel) { RunPanel(block, panel, thread); });
    });
  }

 private:
  static constexpr std::int64_t kRowsAtOnce = 32;
  static constexpr std::int64_t kSumsBytes = std::int64_t{ProductTile::kRowsMax} * ProductTile::kColumnsMax *
                                             static_cast<std::int64_t>(sizeof(float));
  // A tile may read beyond the last row.
  std::int64_t RowsBytes() const { return RoundedUp((f_.rows + ProductTile::kRowsMax) * pitch_, 64); }
  std::int64_t ScalesBytes() const {
    return RoundedUp(f_.rows * static_cast<std::int64_t>(sizeof(float)), 64);
  }

  void QuantiseRows(std::int64_t first) {
    for (std::int64_t row = first; row < std::min(first + kRowsAtOnce, f_.rows); ++row) {
      std::uint8_t* to = rows_ + row * pitch_;
      const T* x = x_ + row * f_.channels;
      if constexpr (std::is_same_v<T, float>)
        scales_[row] = products_.quantise_f32(x, f_.channels, to);
      else
        scales_[row] = products_.quantise_bf16(x, f_.channels, to);
      // Their weights are zero.
      std::fill(to + f_.channels, to + pitch_, static_cast<std::uint8_t>(kInt8Zero));
    }
  }

  void RunPanel(std::int64_t block, std::int64_t panel, int thread) {
    const std::int64_t first = block * cut_.block_rows, rows = std::min(cut_.block_rows, f_.rows - first);
    Int8Tile tile;
    tile.pitch = pitch_;
    tile.steps = pitch_ / kInt8StepChannels;
    tile.sums = reinterpret_cast<float*>(sums_ + thread * kSumsBytes);
    tile.end = result_.EndOf(panel);
    tile.panel = {packed_ + panel * panel_words_,
                  static_cast<int>(RoundedUp(tile.end.columns, products_.lanes))};
    tile.end.scales = tile.panel.scales();
    const std::int64_t tile_rows = products_.tile_rows(tile.panel.columns / products_.lanes);
    for (std::int64_t row = 0; row < rows; row += tile_rows) {
      tile.x = rows_ + (first + row) * pitch_;
      tile.row_scales = scales_ + first + row;
      tile.end.rows = static_cast<int>(std::min(tile_rows, rows - row));
      result_.Place(tile.end, first + row, panel);
      products_.multiply(tile);
    }
  }

  const Int8Products& products_;
  int threads_;
  ProductFactors f_;
  ProductCut cut_;
  ProductResult result_;
  WeightForm form_;
  std::int64_t pitch_ = 0, panel_words_ = 0;
  const std::uint32_t* packed_ = nullptr;  // panel by panel
  const T* x_ = nullptr;
  // In the workspace: rows of u8, `pitch_` apart, their scales, and a tile's sums for each thread.
  std::uint8_t* rows_ = nullptr;
  float* scales_ = nullptr;
  std::byte* sums_ = nullptr;
};

}  // namespace

KernelOr MakeDynamicInt8Product(const CpuContext& context, const ProductFactors& factors, Operands in,
                                const Operand& out) {
  if (in[0].dtype == DType::kBF16)
    return std::make_unique<DynamicInt8Kernel<BFloat16>>(context, factors, in, out);
  return std::make_unique<DynamicInt8Kernel<float>>(context, factors, in, out);
}

}  // namespace ringway::engine
