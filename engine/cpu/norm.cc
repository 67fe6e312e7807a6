#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "engine/cpu/cpu_kernels.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kRowsPerTask = 256;  // small enough that float sums keep their precision

const float* FloatsAt(const std::byte* bytes) { return reinterpret_cast<const float*>(bytes); }

// Sums by channel over chunks of rows, then one scale and shift for each channel of each picture, then one
// pass to apply them. A shift t added to x beforehand changes the sums to s + n t and q + 2 t s + n t^2, so x
// + t is never formed.
template <typename X, typename T>
class GroupNormKernel : public Kernel {
 public:
  GroupNormKernel(const CpuContext& context, const GroupNormOp& op, Operands in)
      : channel_sums_(RowsOf<X>(context.table).channel_sums),
        scale_shift_(KernelsOf<X, T>(context.table).scale_shift),
        threads_(context.threads),
        op_(op),
        pictures_(in[0].shape.dim(0)),
        channels_(in[0].shape.dim(-1)),
        rows_each_(in[0].shape.elements() / std::max<std::int64_t>(pictures_ * channels_, 1)),
        chunks_((rows_each_ + kRowsPerTask - 1) / kRowsPerTask) {
    if (in.size() > 3 && in[3].present) {
      shift_pictures_ = in[3].shape.rows();
      shift_type_ = in[3].dtype;
    }
  }

  // [picture][chunk][sum, square][channel], then [picture][scale, shift][channel].
  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(pictures_ * (chunks_ + 1) * 2 * channels_) * sizeof(float);
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    x_ = reinterpret_cast<const X*>(in[0]);
    gamma_ = FloatsAt(in[1]);
    beta_ = FloatsAt(in[2]);
    shift_ = in.size() > 3 ? in[3] : nullptr;
    out_ = reinterpret_cast<T*>(out);
    sums_ = reinterpret_cast<float*>(workspace);
    affine_ = sums_ + pictures_ * chunks_ * 2 * channels_;
  }

  void Run() override {
    ParallelFor(pictures_ * chunks_, threads_, [this](std::int64_t task, int) { SumChunk(task); });
    ParallelFor(pictures_, threads_, [this](std::int64_t picture, int) { Reduce(picture); });
    ParallelFor(pictures_ * chunks_, threads_, [this](std::int64_t task, int) { ApplyChunk(task); });
  }

 private:
  std::int64_t FirstRow(std::int64_t task) const { return task % chunks_ * kRowsPerTask; }
  std::int64_t RowsOfChunk(std::int64_t task) const {
    return std::min(kRowsPerTask, rows_each_ - FirstRow(task));
  }
  std::int64_t Offset(std::int64_t task) const {
    return (task / chunks_ * rows_each_ + FirstRow(task)) * channels_;
  }

  void SumChunk(std::int64_t task) {
    float* sums = sums_ + task * 2 * channels_;
    std::fill_n(sums, 2 * channels_, 0.0f);
    channel_sums_(x_ + Offset(task), RowsOfChunk(task), channels_, sums);
  }

  void Reduce(std::int64_t picture) {
    const std::int64_t width = channels_ / op_.groups;
    for (std::int64_t first = 0; first < channels_; first += width) {
      double sum = 0, squares = 0;
      for (std::int64_t c = first; c < first + width; ++c) AddChannel(picture, c, sum, squares);
      const double count = static_cast<double>(rows_each_ * width);
      const double mean = sum / count;
      const double variance = std::max(squares / count - mean * mean, 0.0);
      const double inverse = 1.0 / std::sqrt(variance + op_.epsilon);
      float* scale = affine_ + picture * 2 * channels_;
      for (std::int64_t c = first; c < first + width; ++c) {
        const double s = inverse * gamma_[c];
        scale[c] = static_cast<float>(s);
        scale[channels_ + c] = static_cast<float>(beta_[c] + (ShiftAt(picture, c) - mean) * s);
      }
    }
  }
  void AddChannel(std::int64_t picture, std::int64_t c, double& sum, double& squares) const {
    double s = 0, q = 0;
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      const float* sums = sums_ + (picture * chunks_ + chunk) * 2 * channels_;
      s += sums[c];
      q += sums[channels_ + c];
    }
    const double t = ShiftAt(picture, c);
    const double n = static_cast<double>(rows_each_);
    sum += s + n * t;
    squares += q + 2 * t * s + n * t * t;
  }
  double ShiftAt(std::int64_t picture, std::int64_t c) const {
    if (shift_ == nullptr) return 0;
    const std::int64_t at = (shift_pictures_ == 1 ? 0 : picture) * channels_ + c;
    if (shift_type_ == DType::kF32) return FloatsAt(shift_)[at];
    return ToFloat(reinterpret_cast<const BFloat16*>(shift_)[at]);
  }

  void ApplyChunk(std::int64_t task) {
    const float* scale = affine_ + task / chunks_ * 2 * channels_;
    scale_shift_(x_ + Offset(task), out_ + Offset(task), RowsOfChunk(task), channels_, scale,
                 scale + channels_, op_.silu);
  }

  void (*channel_sums_)(const X*, std::int64_t, std::int64_t, float*);
  void (*scale_shift_)(const X*, T*, std::int64_t, std::int64_t, const float*, const float*, bool);
  int threads_;
  GroupNormOp op_;
  std::int64_t pictures_, channels_, rows_each_, chunks_;
  std::int64_t shift_pictures_ = 1;
  const X* x_ = nullptr;
  const std::byte* shift_ = nullptr;
  DType shift_type_ = DType::kF32;
  const float* gamma_ = nullptr;
  const float* beta_ = nullptr;
  T* out_ = nullptr;
  float* sums_ = nullptr;
  float* affine_ = nullptr;
};

template <typename X, typename T>
class LayerNormKernel : public Kernel {
 public:
  LayerNormKernel(const CpuContext& context, const LayerNormOp& op, Operands in)
      : layer_norm_(KernelsOf<X, T>(context.table).layer_norm),
        threads_(context.threads),
        epsilon_(op.epsilon),
        centred_(op.centred),
        rows_(in[0].shape.rows()),
        channels_(in[0].shape.dim(-1)) {
    const auto given = [&](std::size_t i) { return in.size() > i && in[i].present; };
    if (!given(1)) ones_.assign(static_cast<std::size_t>(channels_), 1.0f);
    if (!given(2)) zeros_.assign(static_cast<std::size_t>(channels_), 0.0f);
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte*) override {
    x_ = reinterpret_cast<const X*>(in[0]);
    gamma_ = ones_.empty() ? FloatsAt(in[1]) : ones_.data();
    beta_ = zeros_.empty() ? FloatsAt(in[2]) : zeros_.data();
    out_ = reinterpret_cast<T*>(out);
  }
  void Run() override {
    ParallelFor((rows_ + kRowsPerTask - 1) / kRowsPerTask, threads_, [this](std::int64_t task, int) {
      const std::int64_t first = task * kRowsPerTask;
      layer_norm_(x_ + first * channels_, out_ + first * channels_, std::min(kRowsPerTask, rows_ - first),
                  channels_, gamma_, beta_, epsilon_, centred_);
    });
  }

 private:
  void (*layer_norm_)(const X*, T*, std::int64_t, std::int64_t, const float*, const float*, float, bool);
  int threads_;
  float epsilon_;
  bool centred_;
  std::int64_t rows_, channels_;
  std::vector<float> ones_, zeros_;  // where no gamma or beta is given
  const X* x_ = nullptr;
  const float* gamma_ = nullptr;
  const float* beta_ = nullptr;
  T* out_ = nullptr;
};

template <template <typename, typename> class NormKernel, typename NormOp>
KernelOr MakeNorm(const CpuContext& context, const NormOp& op, Operands in, const Operand& out) {
  if (in[0].dtype == DType::kBF16 && out.dtype == DType::kBF16)
    return std::make_unique<NormKernel<BFloat16, BFloat16>>(context, op, in);
  if (in[0].dtype != DType::kF32) return absl::UnimplementedError("does not widen what it normalises");
  if (out.dtype == DType::kBF16) return std::make_unique<NormKernel<float, BFloat16>>(context, op, in);
  return std::make_unique<NormKernel<float, float>>(context, op, in);
}

}  // namespace

KernelOr MakeGroupNorm(const CpuContext& context, const GroupNormOp& op, Operands in, const Operand& out) {
  return MakeNorm<GroupNormKernel>(context, op, in, out);
}

KernelOr MakeLayerNorm(const CpuContext& context, const LayerNormOp& op, Operands in, const Operand& out) {
  return MakeNorm<LayerNormKernel>(context, op, in, out);
}

}  // namespace ringway::engine
