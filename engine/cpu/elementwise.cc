#include <algorithm>
#include <cmath>

#include "engine/cpu/cpu_kernels.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kElementsPerTask = 16 * 1024;

// Runs `work(first element, count)` over blocks of the result, for operations on equal shapes.
template <typename T, typename Work>
class BlockKernel : public Kernel {
 public:
  BlockKernel(int threads, std::int64_t count, std::int64_t unit, Work work)
      : threads_(threads),
        count_(count),
        block_(std::max<std::int64_t>(kElementsPerTask / unit, 1) * unit),
        work_(work) {}
  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte*) override {
    std::copy_n(in.begin(), std::min<std::size_t>(in.size(), 3), in_);
    out_ = out;
  }
  void Run() override {
    ParallelFor((count_ + block_ - 1) / block_, threads_, [this](std::int64_t task, int) {
      const std::int64_t first = task * block_;
      work_(in_, out_, first, std::min(block_, count_ - first));
    });
  }

 private:
  int threads_;
  std::int64_t count_, block_;
  Work work_;
  std::byte* in_[3] = {};
  std::byte* out_ = nullptr;
};

template <typename T, typename Work>
std::unique_ptr<Kernel> MakeBlocks(int threads, std::int64_t count, std::int64_t unit, Work work) {
  return std::make_unique<BlockKernel<T, Work>>(threads, count, unit, work);
}

template <typename T>
const T* In(std::byte* const* in, std::size_t i) {
  return reinterpret_cast<const T*>(in[i]);
}
template <typename T>
T* Out(std::byte* out) {
  return reinterpret_cast<T*>(out);
}

template <typename T>
KernelOr ActivateOf(const CpuContext& context, const ActivateOp& op, const Operand& output) {
  const auto& kernels = RowsOf<T>(context.table);
  return MakeBlocks<T>(context.threads, output.shape.elements(), 1,
                       [&kernels, op](std::byte* const* in, std::byte* out, std::int64_t at, std::int64_t n) {
                         kernels.activate(In<T>(in, 0) + at, Out<T>(out) + at, n, op.activation);
                       });
}

template <typename T>
KernelOr GegluOf(const CpuContext& context, const Operand& output) {
  const auto& kernels = RowsOf<T>(context.table);
  const std::int64_t channels = output.shape.dim(-1);
  return MakeBlocks<T>(
      context.threads, output.shape.elements(), channels,
      [&kernels, channels](std::byte* const* in, std::byte* out, std::int64_t at, std::int64_t n) {
        kernels.geglu(In<T>(in, 0) + 2 * at, Out<T>(out) + at, n / channels, channels);
      });
}

template <typename X, typename T>
KernelOr BlendOf(const CpuContext& context, Operands, const Operand& output) {
  const auto& kernels = KernelsOf<X, T>(context.table);
  return MakeBlocks<T>(context.threads, output.shape.elements(), 1,
                       [&kernels](std::byte* const* in, std::byte* out, std::int64_t at, std::int64_t n) {
                         kernels.blend(In<X>(in, 0) + at, In<X>(in, 1) + at, *In<float>(in, 2),
                                       Out<T>(out) + at, n);
                       });
}

// The row of y, whose axes are those of x or 1, that belongs to a row of x.
std::int64_t RowOf(const Shape& y, const Shape& x, std::int64_t row) {
  std::int64_t rest = row, y_row = 0, y_stride = 1;
  for (int axis = x.rank() - 2; axis >= 0; --axis) {
    if (y.dim(axis) != 1) y_row += rest % x.dim(axis) * y_stride;
    rest /= x.dim(axis);
    y_stride *= y.dim(axis);
  }
  return y_row;
}

// y may be one row for many: rows of the last axis are added, each to the row of y that its other axes
// choose.
template <typename X, typename T>
KernelOr AddOf(const CpuContext& context, Operands in, const Operand& output) {
  const auto& kernels = KernelsOf<X, T>(context.table);
  const Shape x = output.shape, y = in[1].shape;
  if (x == y) {
    return MakeBlocks<T>(context.threads, x.elements(), 1,
                         [&kernels](std::byte* const* from, std::byte* out, std::int64_t at, std::int64_t n) {
                           kernels.add(In<X>(from, 0) + at, In<X>(from, 1) + at, Out<T>(out) + at, n);
                         });
  }
  if (y.dim(-1) != x.dim(-1)) return absl::UnimplementedError("adds whole rows only");
  const std::int64_t channels = x.dim(-1);
  return MakeBlocks<T>(
      context.threads, x.elements(), channels,
      [&kernels, x, y, channels](std::byte* const* from, std::byte* out, std::int64_t at, std::int64_t n) {
        for (std::int64_t row = at / channels; row < (at + n) / channels; ++row) {
          kernels.add(In<X>(from, 0) + row * channels, In<X>(from, 1) + RowOf(y, x, row) * channels,
                      Out<T>(out) + row * channels, channels);
        }
      });
}

// As an addition reads its rows, for a scale and perhaps a shift.
template <typename X, typename T>
KernelOr ScaleOf(const CpuContext& context, const ScaleOp& op, Operands in, const Operand& output) {
  const auto& kernels = KernelsOf<X, T>(context.table);
  const bool shifted = in.size() > 2 && in[2].present;
  const Shape x = output.shape, by = in[1].shape, shift = shifted ? in[2].shape : by;
  if (by.dim(-1) != x.dim(-1) || shift.dim(-1) != x.dim(-1))
    return absl::UnimplementedError("scales whole rows only");
  const std::int64_t channels = x.dim(-1);
  const float one = op.plus_one ? 1.0f : 0.0f;
  return MakeBlocks<T>(context.threads, x.elements(), channels,
                       [&kernels, x, by, shift, shifted, channels, one](
                           std::byte* const* from, std::byte* out, std::int64_t at, std::int64_t n) {
                         for (std::int64_t row = at / channels; row < (at + n) / channels; ++row)
                           kernels.scale_row(
                               In<X>(from, 0) + row * channels, In<X>(from, 1) + RowOf(by, x, row) * channels,
                               shifted ? In<X>(from, 2) + RowOf(shift, x, row) * channels : nullptr, one,
                               Out<T>(out) + row * channels, channels);
                       });
}

template <typename T>
KernelOr RotateOf(const CpuContext& context, Operands in, const Operand& output) {
  const auto& kernels = RowsOf<T>(context.table);
  const std::int64_t channels = output.shape.dim(-1), turns = in[1].shape.dim(0);
  return MakeBlocks<T>(
      context.threads, output.shape.elements(), channels,
      [&kernels, channels, turns](std::byte* const* from, std::byte* out, std::int64_t at, std::int64_t n) {
        for (std::int64_t row = at / channels; row < (at + n) / channels; ++row)
          kernels.rotate_row(In<T>(from, 0) + row * channels, In<float>(from, 1) + row % turns * channels,
                             Out<T>(out) + row * channels, channels);
      });
}

class TimeEmbeddingKernel : public Kernel {
 public:
  TimeEmbeddingKernel(const TimeEmbeddingOp& op, std::int64_t count) : op_(op), count_(count) {}
  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte*) override {
    times_ = reinterpret_cast<const float*>(in[0]);
    out_ = reinterpret_cast<float*>(out);
  }
  void Run() override {
    const std::int64_t half = op_.channels / 2;
    for (std::int64_t n = 0; n < count_; ++n) {
      for (std::int64_t i = 0; i < half; ++i) {
        constexpr double kPeriodMax = 10000.0;
        const double frequency =
            std::exp(-std::log(kPeriodMax) * static_cast<double>(i) / static_cast<double>(half));
        const double angle = times_[n] * static_cast<double>(static_cast<float>(frequency));
        out_[n * op_.channels + i + (op_.sine_first ? 0 : half)] = static_cast<float>(std::sin(angle));
        out_[n * op_.channels + i + (op_.sine_first ? half : 0)] = static_cast<float>(std::cos(angle));
      }
    }
  }

 private:
  TimeEmbeddingOp op_;
  std::int64_t count_;
  const float* times_ = nullptr;
  float* out_ = nullptr;
};

}  // namespace

KernelOr MakeActivate(const CpuContext& context, const ActivateOp& op, Operands, const Operand& out) {
  return out.dtype == DType::kBF16 ? ActivateOf<BFloat16>(context, op, out)
                                   : ActivateOf<float>(context, op, out);
}
KernelOr MakeGeglu(const CpuContext& context, Operands, const Operand& out) {
  return out.dtype == DType::kBF16 ? GegluOf<BFloat16>(context, out) : GegluOf<float>(context, out);
}
KernelOr MakeAdd(const CpuContext& context, Operands in, const Operand& out) {
  if (in[0].dtype != in[1].dtype) return absl::UnimplementedError("adds equal types only");
  if (in[0].dtype == DType::kBF16) return AddOf<BFloat16, BFloat16>(context, in, out);
  return out.dtype == DType::kBF16 ? AddOf<float, BFloat16>(context, in, out)
                                   : AddOf<float, float>(context, in, out);
}
KernelOr MakeScale(const CpuContext& context, const ScaleOp& op, Operands in, const Operand& out) {
  for (const Operand& operand : in)
    if (operand.present && operand.dtype != in[0].dtype)
      return absl::UnimplementedError("scales and shifts by numbers of equal type only");
  if (in[0].dtype == DType::kBF16) return ScaleOf<BFloat16, BFloat16>(context, op, in, out);
  return out.dtype == DType::kBF16 ? ScaleOf<float, BFloat16>(context, op, in, out)
                                   : ScaleOf<float, float>(context, op, in, out);
}
KernelOr MakeRotate(const CpuContext& context, Operands in, const Operand& out) {
  if (in[1].dtype != DType::kF32) return absl::UnimplementedError("turns by f32 only");
  return out.dtype == DType::kBF16 ? RotateOf<BFloat16>(context, in, out) : RotateOf<float>(context, in, out);
}
KernelOr MakeBlend(const CpuContext& context, Operands in, const Operand& out) {
  if (in[0].dtype != in[1].dtype) return absl::UnimplementedError("blends equal types only");
  if (in[0].dtype == DType::kBF16) return BlendOf<BFloat16, BFloat16>(context, in, out);
  return out.dtype == DType::kBF16 ? BlendOf<float, BFloat16>(context, in, out)
                                   : BlendOf<float, float>(context, in, out);
}

KernelOr MakeCast(const CpuContext& context, Operands in, const Operand& out) {
  const std::int64_t count = out.shape.elements();
  if (in[0].dtype == DType::kF32 && out.dtype == DType::kBF16) {
    const auto convert = context.table.bf16.from_float;
    return MakeBlocks<float>(
        context.threads, count, 1,
        [convert](std::byte* const* from, std::byte* to, std::int64_t at, std::int64_t n) {
          convert(In<float>(from, 0) + at, Out<BFloat16>(to) + at, n);
        });
  }
  const auto convert = in[0].dtype == DType::kBF16 ? context.table.bf16.to_float : nullptr;
  return MakeBlocks<float>(context.threads, count, 1,
                           [convert](std::byte* const* from, std::byte* to, std::int64_t at, std::int64_t n) {
                             if (convert != nullptr)
                               convert(In<BFloat16>(from, 0) + at, Out<float>(to) + at, n);
                             else
                               std::copy_n(In<float>(from, 0) + at, n, Out<float>(to) + at);
                           });
}

KernelOr MakeTimeEmbedding(const TimeEmbeddingOp& op, Operands in, const Operand&) {
  return std::make_unique<TimeEmbeddingKernel>(op, in[0].shape.dim(0));
}

}  // namespace ringway::engine
