// Convolutions and linear layers: a linear layer is a convolution of one tap over a picture one pixel high.
//
// A task (product.h) points at the rows under each tap, then a tile of a few rows at a time is summed over
// the taps and finished. Weights come packed (pack.cc). Padding reads a row of zeros. Weights of 8 bits, of
// one tap, are widened to the type of x, a panel at a time, into memory of the thread: a widened panel serves
// all rows of a block, so widening costs a few percent of multiplying, and only the 8 bits are kept.
#include "engine/cpu/product.h"

#include <vector>

#include "absl/status/status.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

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

template <typename T>
class ProductKernel : public Kernel {
 public:
  ProductKernel(const CpuContext& context, const Window& window, const ProductFactors& f, Operands in,
                const Operand& out)
      : products_(ProductsOf<T>(context.table)),
        threads_(context.threads),
        window_(window),
        f_(f),
        cut_(CutProduct(f, products_, context.threads, HeavyWeights(f, in))),
        result_(f, cut_, in, out) {
    pitch_ = cut_.block_rows + ProductTile::kRowsMax;
    multiplied_words_ = cut_.panel_columns * window.taps() * products_.steps(f.channels);
    panel_words_ = PackedWords(FormOfWeights(), cut_.panel_columns, window.taps(), f.channels);
    taps_at_once_ =
        std::clamp<std::int64_t>(kSegmentBytes * window.taps() / (multiplied_words_ * 4), 1, window.taps());
    zeros_.resize(static_cast<std::size_t>(f.channels));
    pointed_.resize(static_cast<std::size_t>(threads_));
    widened_.resize(static_cast<std::size_t>(threads_));
  }

  std::optional<WeightForm> FormOf(std::size_t input) const override {
    return FormOfProduct(input, FormOfWeights());
  }

  std::size_t workspace_bytes() const override { return static_cast<std::size_t>(threads_ * SpaceBytes()); }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    x_ = reinterpret_cast<const T*>(in[0]);
    packed_ = reinterpret_cast<const std::uint32_t*>(in[1]);
    result_.Bind(in, out);
    workspace_ = workspace;
  }

  void Run() override {
    std::fill(pointed_.begin(), pointed_.end(), -1);
    std::fill(widened_.begin(), widened_.end(), -1);
    ParallelFor(cut_.tasks(), threads_, [this](std::int64_t task, int thread) {
      cut_.ForTask(task, [&](std::int64_t block, std::int64_t panel) { RunPanel(block, panel, thread); });
    });
  }

 private:
  static bool HeavyWeights(const ProductFactors& f, Operands in) {
    const std::int64_t size = f.quantisation == Quantisation::kNone ? sizeof(T) : 1;
    return in[1].shape.elements() * size > in[0].shape.elements() * std::int64_t{sizeof(T)};
  }
  bool Widens() const { return f_.quantisation != Quantisation::kNone; }
  bool InTurns() const { return taps_at_once_ < window_.taps(); }
  // A thread's memory: pointers, sums, and a widened panel.
  std::int64_t PointerBytes() const {
    return RoundedUp(window_.taps() * pitch_ * static_cast<std::int64_t>(sizeof(void*)), 64);
  }
  // Sums outlive a tile only where taps are taken in turns.
  std::int64_t SumsBytes() const {
    const std::int64_t rows = InTurns() ? pitch_ : ProductTile::kRowsMax;
    return rows * ProductTile::kColumnsMax * static_cast<std::int64_t>(sizeof(float));
  }
  std::int64_t SpaceBytes() const {
    return PointerBytes() + SumsBytes() + (Widens() ? RoundedUp(multiplied_words_ * 4, 64) : 0);
  }

  WeightForm FormOfWeights() const {
    const int columns = static_cast<int>(cut_.panel_columns);
    if (Widens()) return {DType::kI8, columns, products_.lanes, kInt8StepChannels, f_.gated};
    return {DTypeOf<T>::value, columns, products_.lanes, products_.step_channels, f_.gated};
  }

  // The weights of a panel as they are multiplied; sets the scales of `end` where they are of 8 bits.
  const std::uint32_t* WeightsOf(std::int64_t panel, std::byte* space, int thread, ProductEnd& end) {
    const std::uint32_t* packed = packed_ + panel * panel_words_;
    if (!Widens()) return packed;
    const int columns = static_cast<int>(RoundedUp(end.columns, products_.lanes));
    const Int8Panel quantised{packed, columns};
    end.scales = quantised.scales();
    auto* words = reinterpret_cast<std::uint32_t*>(space + PointerBytes() + SumsBytes());
    if (widened_[static_cast<std::size_t>(thread)] != panel)
      products_.widen_panel(quantised.weights(), f_.channels, columns, words);
    widened_[static_cast<std::size_t>(thread)] = panel;
    return words;
  }

  void RunPanel(std::int64_t block, std::int64_t panel, int thread) {
    std::byte* space = workspace_ + thread * SpaceBytes();
    auto* pointers = reinterpret_cast<const T**>(space);
    const std::int64_t first = block * cut_.block_rows, rows = std::min(cut_.block_rows, f_.rows - first);
    if (pointed_[static_cast<std::size_t>(thread)] != block) PointAtRows(first, rows, pointers);
    pointed_[static_cast<std::size_t>(thread)] = block;

    ProductTile tile;
    tile.tap_pitch = pitch_;
    tile.channels = f_.channels;
    tile.end = result_.EndOf(panel);
    const std::uint32_t* weights = WeightsOf(panel, space, thread, tile.end);
    const int vectors = (tile.end.columns + products_.lanes - 1) / products_.lanes;
    const std::int64_t tile_rows = products_.tile_rows(vectors);
    const std::int64_t tap_words = products_.steps(f_.channels) * vectors * products_.lanes;
    auto* sums = reinterpret_cast<float*>(space + PointerBytes());
    for (std::int64_t tap = 0; tap < window_.taps(); tap += taps_at_once_) {
      tile.taps = std::min(taps_at_once_, window_.taps() - tap);
      tile.weights = weights + tap * tap_words;
      tile.add = tap > 0;
      tile.ends = tap + tile.taps == window_.taps();
      for (std::int64_t row = 0; row < rows; row += tile_rows) {
        tile.x = reinterpret_cast<const void* const*>(pointers + tap * pitch_ + row);
        tile.sums = InTurns() ? sums + row * ProductTile::kColumnsMax : sums;
        tile.end.rows = static_cast<int>(std::min(tile_rows, rows - row));
        result_.Place(tile.end, first + row, panel);
        products_.multiply(tile);
      }
    }
  }

  // pointers[tap][i] is the first channel under the tap of result row first + i.
  void PointAtRows(std::int64_t first, std::int64_t rows, const T** pointers) const {
    const Window& w = window_;
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
    const Window& w = window_;
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
  Window window_;
  ProductFactors f_;
  ProductCut cut_;
  ProductResult result_;
  std::int64_t panel_words_ = 0;       // as packed
  std::int64_t multiplied_words_ = 0;  // of a panel as it is multiplied
  std::int64_t taps_at_once_ = 1;
  std::int64_t pitch_ = 0;  // pointers of one tap: a block's rows and as many as a tile may read beyond
  std::vector<T> zeros_;
  std::vector<std::int64_t> pointed_;      // by thread: the block that its pointers are of
  std::vector<std::int64_t> widened_;      // by thread: the panel that it has widened
  const std::uint32_t* packed_ = nullptr;  // panel by panel
  const T* x_ = nullptr;
  std::byte* workspace_ = nullptr;
};

KernelOr MakeProduct(const CpuContext& context, const Window& window, const ProductFactors& factors,
                     Operands in, const Operand& out) {
  if (!in[1].fixed || (in.size() > 2 && in[2].present && !in[2].fixed))
    return absl::UnimplementedError("weights must not depend on inputs");
  const bool quantised = factors.quantisation != Quantisation::kNone;
  if (quantised && (window.taps() != 1 || window.stride != 1 || factors.channels > kInt8ChannelsMax))
    return absl::UnimplementedError("multiplies in int8 by one tap only, of at most 65536 channels");
  if (!quantised && in[0].dtype != in[1].dtype)
    return absl::UnimplementedError("multiplies equal types only");
  if (factors.quantisation == Quantisation::kDynamic)
    return MakeDynamicInt8Product(context, factors, in, out);
  if (in[0].dtype == DType::kBF16)
    return std::make_unique<ProductKernel<BFloat16>>(context, window, factors, in, out);
  return std::make_unique<ProductKernel<float>>(context, window, factors, in, out);
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
  const ProductFactors factors{y.rows(), w.dim(-1), w.dim(0), op.activation, false, op.quantisation};
  return MakeProduct(context, window, factors, in, out);
}

KernelOr MakeLinear(const CpuContext& context, const LinearOp& op, Operands in, const Operand& out) {
  const std::int64_t rows = in[0].shape.rows();
  Window window;
  window.width = window.out_width = rows;
  const ProductFactors factors{rows,          in[1].shape.dim(1), in[1].shape.dim(0),
                               op.activation, op.gated,           op.quantisation};
  return MakeProduct(context, window, factors, in, out);
}

}  // namespace ringway::engine
