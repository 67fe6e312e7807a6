// Convolutions and linear layers: a linear layer is a convolution of one tap over a picture one pixel high.
//
// The result is cut into blocks of rows and panels of columns. A task is a block, so that threads write to
// lines of memory of their own; or one panel of a block, where there are few rows or the weights are what is
// large: then neighbouring tasks read the same weights. A task points at the rows under each tap, then a tile
// of a few rows at a time is summed over the taps and finished. Weights come packed (pack.cc). Padding reads
// a row of zeros.
#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "engine/cpu/cpu_kernels.h"
#include "engine/cpu/pack.h"
#include "engine/cpu/parallel.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kBlockRowsMax = 96;
constexpr std::int64_t kSegmentBytes = 512
                                       << 10;  // of a panel's weights at a time: half a second-level cache

// How a convolution walks over its pictures [n, height, width, channels]. Where it goes over frames, these
// are the n pictures, and beyond the first and the last one lie copies of them.
struct Window {
  std::int64_t height = 1, width = 1, out_height = 1, out_width = 1;
  std::int64_t taps_high = 1, taps_wide = 1;
  int stride = 1, top = 0, left = 0;
  std::int64_t taps_deep = 1, frames = 0, front = 0;  // no frames: pictures are apart
  std::int64_t taps() const { return taps_deep * taps_high * taps_wide; }
  std::int64_t Picture(std::int64_t picture, std::int64_t tap) const {
    if (frames == 0) return picture;
    return std::clamp<std::int64_t>(picture + tap / (taps_high * taps_wide) - front, 0, frames - 1);
  }
};

struct Factors {
  Window window;
  std::int64_t rows = 0, channels = 0, outputs = 0;
  Activation activation = Activation::kNone;
  bool gated = false;
};

template <typename T>
class ProductKernel : public Kernel {
 public:
  ProductKernel(const CpuContext& context, const Factors& f, Operands in, const Operand& out)
      : products_(ProductsOf<T>(context.table)), threads_(context.threads), f_(f), out_type_(out.dtype) {
    panel_columns_ = PanelColumns();
    panels_ = (f.outputs + panel_columns_ - 1) / panel_columns_;
    const std::int64_t tile_rows = products_.tile_rows(static_cast<int>(panel_columns_ / products_.lanes));
    blocks_ = RoundedUp((f.rows + kBlockRowsMax - 1) / kBlockRowsMax, threads_);
    block_rows_ = RoundedUp((f.rows + blocks_ - 1) / blocks_, tile_rows);
    blocks_ = (f.rows + block_rows_ - 1) / block_rows_;
    pitch_ = block_rows_ + ProductTile::kRowsMax;
    panel_words_ = panel_columns_ * f.window.taps() * products_.steps(f.channels);
    taps_at_once_ =
        std::clamp<std::int64_t>(kSegmentBytes * f.window.taps() / (panel_words_ * 4), 1, f.window.taps());
    zeros_.resize(static_cast<std::size_t>(f.channels));
    pointed_.resize(static_cast<std::size_t>(threads_));
    if (in.size() > 3 && in[3].present) residual_type_ = in[3].dtype;
    const std::int64_t packed_bytes =
        PackedWords(FormOfWeights(), f.outputs, f.window.taps(), f.channels) * 4;
    by_panels_ = blocks_ < threads_ || packed_bytes > in[0].shape.elements() * std::int64_t{sizeof(T)};
  }

  std::optional<WeightForm> FormOf(std::size_t input) const override {
    if (input == 1) return FormOfWeights();
    if (input != 2) return std::nullopt;
    if (!f_.gated) return WeightForm{};
    return WeightForm{.panel_columns = static_cast<int>(panel_columns_), .gated = true};
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(threads_ * (PointerBytes() + SumsBytes()));
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    x_ = reinterpret_cast<const T*>(in[0]);
    packed_ = reinterpret_cast<const std::uint32_t*>(in[1]);
    bias_ = in.size() > 2 ? reinterpret_cast<const float*>(in[2]) : nullptr;
    residual_ = in.size() > 3 ? in[3] : nullptr;
    out_ = out;
    workspace_ = workspace;
  }

  void Run() override {
    std::fill(pointed_.begin(), pointed_.end(), -1);
    ParallelFor(by_panels_ ? blocks_ * panels_ : blocks_, threads_, [this](std::int64_t task, int thread) {
      if (by_panels_)
        RunPanel(task % blocks_, task / blocks_, thread);
      else
        for (std::int64_t panel = 0; panel < panels_; ++panel) RunPanel(task, panel, thread);
    });
  }

 private:
  // As wide as the kernels go, or three vectors where that leaves no rest.
  std::int64_t PanelColumns() const {
    const std::int64_t wide = products_.vectors * products_.lanes, narrow = 3 * products_.lanes;
    return products_.vectors > 3 && !f_.gated && f_.outputs % wide != 0 && f_.outputs % narrow == 0 ? narrow
                                                                                                    : wide;
  }
  bool InTurns() const { return taps_at_once_ < f_.window.taps(); }
  std::int64_t PointerBytes() const {
    return RoundedUp(f_.window.taps() * pitch_ * static_cast<std::int64_t>(sizeof(void*)), 64);
  }
  // Sums outlive a tile only where taps are taken in turns.
  std::int64_t SumsBytes() const {
    const std::int64_t rows = InTurns() ? pitch_ : ProductTile::kRowsMax;
    return rows * ProductTile::kColumnsMax * static_cast<std::int64_t>(sizeof(float));
  }

  WeightForm FormOfWeights() const {
    return {DTypeOf<T>::value, static_cast<int>(panel_columns_), products_.lanes, products_.step_channels,
            f_.gated};
  }
  int ColumnsOf(std::int64_t panel) const {
    return static_cast<int>(std::min<std::int64_t>(panel_columns_, f_.outputs - panel * panel_columns_));
  }

  void RunPanel(std::int64_t block, std::int64_t panel, int thread) {
    std::byte* space = workspace_ + thread * (PointerBytes() + SumsBytes());
    auto* pointers = reinterpret_cast<const T**>(space);
    const std::int64_t first = block * block_rows_, rows = std::min(block_rows_, f_.rows - first);
    if (pointed_[static_cast<std::size_t>(thread)] != block) PointAtRows(first, rows, pointers);
    pointed_[static_cast<std::size_t>(thread)] = block;

    ProductTile tile = TileOf(panel);
    const int vectors = (tile.end.columns + products_.lanes - 1) / products_.lanes;
    const std::int64_t tile_rows = products_.tile_rows(vectors);
    const std::int64_t tap_words = products_.steps(f_.channels) * vectors * products_.lanes;
    auto* sums = reinterpret_cast<float*>(space + PointerBytes());
    for (std::int64_t tap = 0; tap < f_.window.taps(); tap += taps_at_once_) {
      tile.taps = std::min(taps_at_once_, f_.window.taps() - tap);
      tile.weights = packed_ + panel * panel_words_ + tap * tap_words;
      tile.add = tap > 0;
      tile.ends = tap + tile.taps == f_.window.taps();
      for (std::int64_t row = 0; row < rows; row += tile_rows) {
        tile.x = reinterpret_cast<const void* const*>(pointers + tap * pitch_ + row);
        tile.sums = InTurns() ? sums + row * ProductTile::kColumnsMax : sums;
        tile.end.rows = static_cast<int>(std::min(tile_rows, rows - row));
        Place(tile.end, first + row, panel);
        products_.multiply(tile);
      }
    }
  }

  // What all tiles of a panel have in common.
  ProductTile TileOf(std::int64_t panel) const {
    ProductTile tile;
    tile.tap_pitch = pitch_;
    tile.channels = f_.channels;
    tile.end.columns = ColumnsOf(panel);
    if (bias_ != nullptr) tile.end.bias = bias_ + panel * panel_columns_;
    tile.end.activation = f_.activation;
    tile.end.residual_type = residual_type_;
    tile.end.out_type = out_type_;
    tile.end.row_stride = f_.outputs / (f_.gated ? 2 : 1);
    tile.end.gated = f_.gated;
    return tile;
  }
  void Place(ProductEnd& end, std::int64_t row, std::int64_t panel) const {
    const std::int64_t column = panel * panel_columns_ / (f_.gated ? 2 : 1);
    const auto at = static_cast<std::size_t>(row * end.row_stride + column);
    if (residual_ != nullptr) end.residual = residual_ + at * SizeOf(residual_type_);
    end.out = out_ + at * SizeOf(out_type_);
  }

  // pointers[tap][i] is the first channel under the tap of result row first + i.
  void PointAtRows(std::int64_t first, std::int64_t rows, const T** pointers) const {
    const Window& w = f_.window;
    for (std::int64_t i = 0; i < rows;) {
      const std::int64_t row = first + i, x = row % w.out_width;
      const std::int64_t line = row / w.out_width, run = std::min(w.out_width - x, rows - i);
      for (std::int64_t tap = 0; tap < w.taps(); ++tap)
        PointAtLine(line / w.out_height, line % w.out_height, x, run, tap, pointers + tap * pitch_ + i);
      i += run;
    }
    for (std::int64_t tap = 0; tap < w.taps(); ++tap)
      std::fill(pointers + tap * pitch_ + rows, pointers + (tap + 1) * pitch_, zeros_.data());
  }
  void PointAtLine(std::int64_t picture, std::int64_t y, std::int64_t x, std::int64_t run, std::int64_t tap,
                   const T** to) const {
    const Window& w = f_.window;
    const std::int64_t from_y = y * w.stride + tap / w.taps_wide % w.taps_high - w.top;
    const std::int64_t from_x = x * w.stride + tap % w.taps_wide - w.left;
    const bool inside = from_y >= 0 && from_y < w.height;
    const T* line = x_ + (w.Picture(picture, tap) * w.height + from_y) * w.width * f_.channels;
    for (std::int64_t k = 0; k < run; ++k) {
      const std::int64_t at = from_x + k * w.stride;
      to[k] = inside && at >= 0 && at < w.width ? line + at * f_.channels : zeros_.data();
    }
  }

  const ProductKernels<T>& products_;
  int threads_;
  Factors f_;
  DType out_type_, residual_type_ = DType::kF32;
  std::int64_t panel_columns_ = 0, panels_ = 0, panel_words_ = 0, taps_at_once_ = 1;
  std::int64_t blocks_ = 0, block_rows_ = 0;
  std::int64_t pitch_ = 0;  // pointers of one tap: a block's rows and as many as a tile may read beyond
  bool by_panels_ = false;
  std::vector<T> zeros_;
  std::vector<std::int64_t> pointed_;      // by thread: the block that its pointers are of
  const std::uint32_t* packed_ = nullptr;  // panel by panel
  const float* bias_ = nullptr;            // in the order of the panels
  const T* x_ = nullptr;
  const std::byte* residual_ = nullptr;
  std::byte* out_ = nullptr;
  std::byte* workspace_ = nullptr;
};

KernelOr MakeProduct(const CpuContext& context, const Factors& factors, Operands in, const Operand& out) {
  if (!in[1].fixed || (in.size() > 2 && in[2].present && !in[2].fixed))
    return absl::UnimplementedError("weights must not depend on inputs");
  if (in[0].dtype != in[1].dtype) return absl::UnimplementedError("multiplies equal types only");
  if (in[0].dtype == DType::kBF16)
    return std::make_unique<ProductKernel<BFloat16>>(context, factors, in, out);
  return std::make_unique<ProductKernel<float>>(context, factors, in, out);
}

}  // namespace

KernelOr MakeConv(const CpuContext& context, const ConvOp& op, Operands in, const Operand& out) {
  const Shape &x = in[0].shape, &w = in[1].shape, &y = out.shape;
  Window window{x.dim(1),  x.dim(2),  y.dim(1),       y.dim(2),       w.dim(-3),
                w.dim(-2), op.stride, op.padding.top, op.padding.left};
  if (w.rank() == 5) {
    window.taps_deep = w.dim(1);
    window.frames = x.dim(0);
    window.front = op.front;
  }
  return MakeProduct(context, {window, y.rows(), w.dim(-1), w.dim(0), op.activation}, in, out);
}

KernelOr MakeLinear(const CpuContext& context, const LinearOp& op, Operands in, const Operand& out) {
  const std::int64_t rows = in[0].shape.rows();
  Window window;
  window.width = window.out_width = rows;
  return MakeProduct(context, {window, rows, in[1].shape.dim(1), in[1].shape.dim(0), op.activation, op.gated},
                     in, out);
}

}  // namespace ringway::engine
