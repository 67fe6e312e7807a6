#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/cpu/cpu_kernels.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

// A list of copies of `bytes` each: task i goes from source(i) to target(i).
template <typename Move>
class CopyKernel : public Kernel {
 public:
  CopyKernel(int threads, std::int64_t tasks, Move move) : threads_(threads), tasks_(tasks), move_(move) {}
  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte*) override {
    for (std::size_t i = 0; i < in.size() && i < 2; ++i) in_[i] = in[i];
    out_ = out;
  }
  void Run() override {
    ParallelFor(tasks_, threads_, [this](std::int64_t task, int) { move_(in_, out_, task); });
  }

 private:
  int threads_;
  std::int64_t tasks_;
  Move move_;
  const std::byte* in_[2] = {};
  std::byte* out_ = nullptr;
};

template <typename Move>
std::unique_ptr<Kernel> MakeCopies(int threads, std::int64_t tasks, Move move) {
  return std::make_unique<CopyKernel<Move>>(threads, tasks, move);
}

// Elements of all axes after (or before) one.
std::int64_t Inner(const Shape& shape, int axis) {
  std::int64_t n = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) n *= shape.dim(i);
  return n;
}
std::int64_t Outer(const Shape& shape, int axis) {
  std::int64_t n = 1;
  for (int i = 0; i < axis; ++i) n *= shape.dim(i);
  return n;
}

}  // namespace

KernelOr MakeConcat(const CpuContext& context, const ConcatOp& op, Operands in, const Operand& out) {
  const int axis = op.axis < 0 ? op.axis + out.shape.rank() : op.axis;
  const auto size = static_cast<std::int64_t>(SizeOf(out.dtype));
  const std::int64_t first = in[0].shape.dim(axis) * Inner(in[0].shape, axis) * size;
  const std::int64_t second = in[1].shape.dim(axis) * Inner(in[1].shape, axis) * size;
  const std::int64_t rows = Outer(out.shape, axis);
  const std::int64_t rows_per_task =
      std::max<std::int64_t>(1, 32 * 1024 / std::max<std::int64_t>(first + second, 1));
  return MakeCopies(
      context.threads, (rows + rows_per_task - 1) / rows_per_task,
      [=](const std::byte* const* from, std::byte* to, std::int64_t task) {
        for (std::int64_t r = task * rows_per_task; r < std::min(rows, (task + 1) * rows_per_task); ++r) {
          std::memcpy(to + r * (first + second), from[0] + r * first, static_cast<std::size_t>(first));
          std::memcpy(to + r * (first + second) + first, from[1] + r * second,
                      static_cast<std::size_t>(second));
        }
      });
}

KernelOr MakeUpsample(const CpuContext& context, Operands in, const Operand& out) {
  const std::int64_t height = in[0].shape.dim(1), width = in[0].shape.dim(2);
  const std::int64_t out_height = out.shape.dim(1), out_width = out.shape.dim(2);
  const auto pixel = static_cast<std::size_t>(in[0].shape.dim(3)) * SizeOf(out.dtype);
  const std::size_t out_row = static_cast<std::size_t>(out_width) * pixel;
  return MakeCopies(context.threads, in[0].shape.dim(0) * height,
                    [=](const std::byte* const* from, std::byte* to, std::int64_t row) {
                      const std::byte* source = from[0] + static_cast<std::size_t>(row * width) * pixel;
                      const std::int64_t first = 2 * (row % height);  // of the rows that this one becomes
                      std::byte* target =
                          to + static_cast<std::size_t>(row / height * out_height + first) * out_row;
                      for (std::int64_t x = 0; x < out_width; ++x)
                        std::memcpy(target + static_cast<std::size_t>(x) * pixel,
                                    source + static_cast<std::size_t>(x / 2) * pixel, pixel);
                      if (first + 1 < out_height) std::memcpy(target + out_row, target, out_row);
                    });
}

KernelOr MakeExpand(const CpuContext& context, const ExpandOp& op, Operands in, const Operand& out) {
  const auto bytes = static_cast<std::size_t>(Inner(in[0].shape, op.axis)) * SizeOf(out.dtype);
  const std::int64_t slices = Outer(in[0].shape, op.axis) * in[0].shape.dim(op.axis);
  return MakeCopies(context.threads, slices,
                    [=, times = op.times](const std::byte* const* from, std::byte* to, std::int64_t slice) {
                      for (std::int64_t t = 0; t < times; ++t)
                        std::memcpy(to + static_cast<std::size_t>(slice * times + t) * bytes,
                                    from[0] + static_cast<std::size_t>(slice) * bytes, bytes);
                    });
}

// One line of the result is a task. Its pixels come from lines of the same place, each from a channel of its
// own; `step` is from one of a pixel's channels to the next.
KernelOr MakeDepthToSpace(const CpuContext& context, const DepthToSpaceOp& op, Operands in,
                          const Operand& out) {
  const Shape x = in[0].shape, y = out.shape;
  const auto size = SizeOf(out.dtype);
  const std::int64_t step = std::int64_t{op.frames} * op.height * op.width, channels = y.dim(3);
  return MakeCopies(
      context.threads, y.dim(0) * y.dim(1),
      [=](const std::byte* const* from, std::byte* to, std::int64_t task) {
        const std::int64_t frame = task / y.dim(1) + op.skipped, line = task % y.dim(1);
        const std::int64_t source = (frame / op.frames * x.dim(1) + line / op.height) * x.dim(2);
        const std::int64_t deep = frame % op.frames, high = line % op.height;
        for (std::int64_t column = 0; column < y.dim(2); ++column) {
          const std::int64_t wide = column % op.width;
          const std::int64_t within = op.width_first ? (deep * op.width + wide) * op.height + high
                                                     : (deep * op.height + high) * op.width + wide;
          const std::byte* pixel =
              from[0] + static_cast<std::size_t>((source + column / op.width) * x.dim(3) + within) * size;
          std::byte* target = to + static_cast<std::size_t>((task * y.dim(2) + column) * channels) * size;
          for (std::int64_t c = 0; c < channels; ++c)
            std::memcpy(target + static_cast<std::size_t>(c) * size,
                        pixel + static_cast<std::size_t>(c * step) * size, size);
        }
      });
}

KernelOr MakeLookup(Operands in, const Operand& out) {
  if (in[1].dtype != DType::kI32) return absl::InvalidArgumentError("ids must be integers");
  const std::int64_t rows = in[0].shape.dim(0);
  const auto bytes = static_cast<std::size_t>(out.shape.dim(-1)) * SizeOf(out.dtype);
  return MakeCopies(
      1, in[1].shape.elements(), [=](const std::byte* const* from, std::byte* to, std::int64_t i) {
        std::int32_t id = 0;
        std::memcpy(&id, from[1] + static_cast<std::size_t>(i) * sizeof(id), sizeof(id));
        const std::int64_t row = id < 0       ? 0
                                 : id >= rows ? rows - 1
                                              : id;  // the tokenizer keeps ids inside; never outside
        std::memcpy(to + static_cast<std::size_t>(i) * bytes, from[0] + static_cast<std::size_t>(row) * bytes,
                    bytes);
      });
}

}  // namespace ringway::engine
