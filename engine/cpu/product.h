// What all kernels of products have in common: their factors, how the work is cut into tasks, and where the
// results go.
//
// A product is [rows, channels] times the transpose of [outputs, channels]. The result is cut into blocks of
// rows and panels of columns. A task is a block, so that threads write to lines of memory of their own; or
// one panel of a block, where there are few rows or the weights are what is large: then neighbouring tasks
// read the same weights. A kernel adds how it reaches its rows and which table entry multiplies a tile
// (kernel_table.h): product.cc for f32 and bf16, product_int8.cc for rows that are quantised as they come.
// Everything here is decided when a plan is frozen; EndOf and Place are called from any thread of a run.
#ifndef RINGWAY_ENGINE_CPU_PRODUCT_H_
#define RINGWAY_ENGINE_CPU_PRODUCT_H_

#include <algorithm>

#include "engine/cpu/cpu_kernels.h"
#include "engine/cpu/pack.h"

namespace ringway::engine {

struct ProductFactors {
  std::int64_t rows = 0, channels = 0, outputs = 0;
  Activation activation = Activation::kNone;
  bool gated = false;
  Quantisation quantisation = Quantisation::kNone;
};

struct ProductCut {
  std::int64_t panel_columns = 0, panels = 0, block_rows = 0, blocks = 0;
  bool by_panels = false;

  std::int64_t tasks() const { return by_panels ? blocks * panels : blocks; }
  // body(block, panel) for all that is of a task.
  template <typename Body>
  void ForTask(std::int64_t task, Body&& body) const {
    if (by_panels) return body(task % blocks, task / blocks);
    for (std::int64_t panel = 0; panel < panels; ++panel) body(task, panel);
  }
};

// `kernels` says lanes, vectors and rows of a tile; `heavy`: the weights are larger than x. Where tasks are
// panels, a block has as many rows as leave every thread some tasks: the weights of a panel, which come from
// memory or the last cache, are read once a block.
template <typename Kernels>
ProductCut CutProduct(const ProductFactors& f, const Kernels& kernels, int threads, bool heavy) {
  constexpr std::int64_t kBlockRowsMax = 96, kPanelRowsMax = 384, kTasksOfThread = 8;
  const auto parts = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
  ProductCut cut;
  // As wide as the kernels go, or three vectors where that leaves no rest.
  const std::int64_t wide = kernels.vectors * kernels.lanes, narrow = 3 * kernels.lanes;
  const bool three = kernels.vectors > 3 && !f.gated && f.outputs % wide != 0 && f.outputs % narrow == 0;
  cut.panel_columns = three ? narrow : wide;
  cut.panels = parts(f.outputs, cut.panel_columns);
  const std::int64_t tile_rows = kernels.tile_rows(static_cast<int>(cut.panel_columns / kernels.lanes));
  const auto cut_rows = [&](std::int64_t blocks) {
    cut.block_rows = RoundedUp(parts(f.rows, blocks), tile_rows);
    cut.blocks = parts(f.rows, cut.block_rows);
  };
  const std::int64_t most = RoundedUp(parts(f.rows, kBlockRowsMax), threads);
  cut_rows(most);
  cut.by_panels = heavy || cut.blocks < threads;
  if (cut.by_panels)
    cut_rows(
        std::min(most, std::max(parts(f.rows, kPanelRowsMax), parts(kTasksOfThread * threads, cut.panels))));
  return cut;
}

// The result with its bias and residual: inputs 2 and 3 of a product, where there are any.
class ProductResult {
 public:
  ProductResult(const ProductFactors& f, const ProductCut& cut, Operands in, const Operand& out)
      : f_(f), panel_columns_(cut.panel_columns), out_type_(out.dtype) {
    if (in.size() > 3 && in[3].present) residual_type_ = in[3].dtype;
  }
  void Bind(std::span<std::byte* const> in, std::byte* out) {
    bias_ = in.size() > 2 ? reinterpret_cast<const float*>(in[2]) : nullptr;
    residual_ = in.size() > 3 ? in[3] : nullptr;
    out_ = out;
  }
  // What all tiles of a panel have in common.
  ProductEnd EndOf(std::int64_t panel) const {
    ProductEnd end;
    end.columns = static_cast<int>(std::min(panel_columns_, f_.outputs - panel * panel_columns_));
    if (bias_ != nullptr) end.bias = bias_ + panel * panel_columns_;
    end.activation = f_.activation;
    end.residual_type = residual_type_;
    end.out_type = out_type_;
    end.row_stride = f_.outputs / (f_.gated ? 2 : 1);
    end.gated = f_.gated;
    return end;
  }
  // Points the end of a tile at its first row.
  void Place(ProductEnd& end, std::int64_t row, std::int64_t panel) const {
    const std::int64_t column = panel * panel_columns_ / (f_.gated ? 2 : 1);
    const auto at = static_cast<std::size_t>(row * end.row_stride + column);
    if (residual_ != nullptr) end.residual = residual_ + at * SizeOf(residual_type_);
    end.out = out_ + at * SizeOf(out_type_);
  }

 private:
  ProductFactors f_;
  std::int64_t panel_columns_;
  DType out_type_, residual_type_ = DType::kF32;
  const float* bias_ = nullptr;  // in the order of the panels
  const std::byte* residual_ = nullptr;
  std::byte* out_ = nullptr;
};

// In which form bias and weights of a product are read; nothing for other inputs.
inline std::optional<WeightForm> FormOfProduct(std::size_t input, const WeightForm& weights) {
  if (input == 1) return weights;
  if (input != 2) return std::nullopt;
  if (!weights.gated) return WeightForm{};
  return WeightForm{.panel_columns = weights.panel_columns, .gated = true};
}

// product_int8.cc. x is f32 or bf16; one tap, stride 1.
KernelOr MakeDynamicInt8Product(const CpuContext& context, const ProductFactors& factors, Operands in,
                                const Operand& out);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_PRODUCT_H_
