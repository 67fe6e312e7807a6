// Convolutions and linear layers by oneDNN 2.6, created once with everything fused that it can fuse, executed
// with arguments that were put together when the plan was bound.
#include <algorithm>
#include <dnnl.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/cpu/cpu_kernels.h"
#include "engine/cpu/parallel.h"

namespace ringway::engine {
namespace {

using dnnl::memory;

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory::data_type TypeOf(DType dtype) {
  return dtype == DType::kBF16 ? memory::data_type::bf16 : memory::data_type::f32;
}

// What lies where the primitive writes: f32 when something will be added.
memory::data_type ResultType(const Operand& out, bool has_residual) {
  return has_residual ? memory::data_type::f32 : TypeOf(out.dtype);
}

struct Wanted {
  memory::desc x, weight, bias, result;
  memory::desc given_weight;  // as it lies in the constant
  Activation activation = Activation::kNone;
  bool has_bias = false, has_residual = false;
};

dnnl::primitive_attr AttributesOf(const Wanted& wanted) {
  dnnl::post_ops after;
  if (wanted.activation == Activation::kSilu)
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_swish, 1.0f, 0.0f);
  if (wanted.activation == Activation::kQuickGelu)
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_swish, 1.702f, 0.0f);
  if (wanted.activation == Activation::kGelu)
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// Any primitive with x, packed weight, bias, residual and a result.
template <typename Primitive>
class PackedKernel : public Kernel {
 public:
  PackedKernel(const CpuContext& context, const typename Primitive::primitive_desc& description,
               const Wanted& wanted, Operands in)
      : context_(context),
        type_(in[0].dtype),
        description_(description),
        primitive_(description),
        wanted_(wanted),
        stream_(CpuEngine()),
        weight_(description.weights_desc(), CpuEngine()) {
    memory given(wanted.given_weight, CpuEngine(), const_cast<std::byte*>(in[1].constant->bytes()));
    dnnl::reorder(given, weight_).execute(stream_, given, weight_);
    stream_.wait();
    if (wanted.has_bias) bias_ = *in[2].constant;
  }

  std::size_t workspace_bytes() const override {
    return scratch_bytes() + (IsWide() ? wanted_.result.get_size() : 0);
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    arguments_.clear();
    memories_.clear();
    Argue(DNNL_ARG_SRC, memory(wanted_.x, CpuEngine(), in[0]));
    Argue(DNNL_ARG_WEIGHTS, weight_);
    if (wanted_.has_bias) Argue(DNNL_ARG_BIAS, memory(wanted_.bias, CpuEngine(), bias_.bytes()));
    product_ = IsWide() ? workspace + scratch_bytes() : out;
    Argue(DNNL_ARG_DST, memory(wanted_.result, CpuEngine(), product_));
    Argue(DNNL_ARG_SCRATCHPAD, memory(description_.scratchpad_desc(), CpuEngine(), workspace));
    residual_ = wanted_.has_residual ? in[3] : nullptr;
    result_ = out;
  }

  void Run() override {
    const dnnl_status_t status = dnnl_primitive_execute(
        primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()), arguments_.data());
    RINGWAY_CHECK(status == dnnl_success);
    if (residual_ != nullptr) AddResidual();
  }

 private:
  // In bf16 the product stays f32 until the residual is added, so that the sum is rounded once.
  bool IsWide() const { return wanted_.has_residual && type_ == DType::kBF16; }
  std::size_t scratch_bytes() const {
    return (description_.scratchpad_desc().get_size() + kAlignment - 1) / kAlignment * kAlignment;
  }
  // oneDNN would add it too, as a post-operation, but leaves its fast kernels for that.
  void AddResidual() {
    constexpr std::int64_t kPerTask = 32 * 1024;
    const auto count = static_cast<std::int64_t>(wanted_.result.get_size() / sizeof(float));
    ParallelFor((count + kPerTask - 1) / kPerTask, context_.threads,
                [this, count, size = kPerTask](std::int64_t task, int) {
                  const std::int64_t at = task * size, n = std::min(size, count - at);
                  if (IsWide())
                    AddTo<BFloat16>(at, n);
                  else
                    AddTo<float>(at, n);
                });
  }
  template <typename T>
  void AddTo(std::int64_t at, std::int64_t count) {
    RowsOf<T>(context_.table)
        .add_wide(reinterpret_cast<const float*>(product_) + at, reinterpret_cast<const T*>(residual_) + at,
                  reinterpret_cast<T*>(result_) + at, count);
  }
  void Argue(int name, const memory& value) {
    memories_.push_back(value);
    arguments_.push_back({name, value.get()});
  }

  CpuContext context_;
  DType type_;
  typename Primitive::primitive_desc description_;
  Primitive primitive_;
  Wanted wanted_;
  dnnl::stream stream_;
  memory weight_;
  Tensor bias_;
  const std::byte* residual_ = nullptr;
  std::byte* result_ = nullptr;
  std::byte* product_ = nullptr;  // the result, or where it is until the residual is added
  std::vector<memory> memories_;  // keeps what arguments_ points to
  std::vector<dnnl_exec_arg_t> arguments_;
};

absl::Status CheckWeights(Operands in) {
  if (in[1].constant == nullptr || (in.size() > 2 && in[2].present && in[2].constant == nullptr))
    return absl::UnimplementedError("weights must be constants");
  return absl::OkStatus();
}

bool Present(Operands in, std::size_t i) { return i < in.size() && in[i].present; }

// oneDNN throws; here that stops.
template <typename Make>
KernelOr Caught(Make make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    return absl::InternalError(absl::StrCat("oneDNN refuses: ", error.message));
  }
}

}  // namespace

KernelOr MakeConv(const CpuContext& context, const ConvOp& op, Operands in, const Operand& out) {
  if (absl::Status status = CheckWeights(in); !status.ok()) return status;
  return Caught([&]() -> KernelOr {
    const Shape& x = in[0].shape;
    const Shape& w = in[1].shape;
    const Shape& y = out.shape;
    using tag = memory::format_tag;
    const memory::dims w_dims{w.dim(0), w.dim(3), w.dim(1), w.dim(2)};
    Wanted wanted;
    wanted.x = {{x.dim(0), x.dim(3), x.dim(1), x.dim(2)}, TypeOf(in[0].dtype), tag::nhwc};
    wanted.weight = {w_dims, TypeOf(in[0].dtype), tag::any};
    wanted.given_weight = {w_dims, TypeOf(in[1].dtype), tag::ohwi};
    wanted.bias = {{w.dim(0)}, memory::data_type::f32, tag::x};
    wanted.has_residual = Present(in, 3);
    wanted.result = {
        {y.dim(0), y.dim(3), y.dim(1), y.dim(2)}, ResultType(out, wanted.has_residual), tag::nhwc};
    wanted.activation = op.activation;
    wanted.has_bias = Present(in, 2);
    const memory::dims strides{op.stride, op.stride};
    const memory::dims before{op.padding.top, op.padding.left}, after{op.padding.bottom, op.padding.right};
    using Conv = dnnl::convolution_forward;
    const auto kind = dnnl::prop_kind::forward_inference;
    const auto how = dnnl::algorithm::convolution_direct;
    const Conv::desc description =
        wanted.has_bias
            ? Conv::desc(kind, how, wanted.x, wanted.weight, wanted.bias, wanted.result, strides, before,
                         after)
            : Conv::desc(kind, how, wanted.x, wanted.weight, wanted.result, strides, before, after);
    const Conv::primitive_desc chosen(description, AttributesOf(wanted), CpuEngine());
    return std::make_unique<PackedKernel<Conv>>(context, chosen, wanted, in);
  });
}

KernelOr MakeLinear(const CpuContext& context, const LinearOp& op, Operands in, const Operand& out) {
  if (absl::Status status = CheckWeights(in); !status.ok()) return status;
  return Caught([&]() -> KernelOr {
    const memory::dim rows = in[0].shape.rows();
    const memory::dim from = in[1].shape.dim(1), to = in[1].shape.dim(0);
    using tag = memory::format_tag;
    Wanted wanted;
    wanted.x = {{rows, from}, TypeOf(in[0].dtype), tag::ab};
    wanted.weight = {{from, to}, TypeOf(in[0].dtype), tag::any};
    wanted.given_weight = {{from, to}, TypeOf(in[1].dtype), tag::ba};
    wanted.bias = {{1, to}, memory::data_type::f32, tag::ab};
    wanted.has_residual = Present(in, 3);
    wanted.result = {{rows, to}, ResultType(out, wanted.has_residual), tag::ab};
    wanted.activation = op.activation;
    wanted.has_bias = Present(in, 2);
    using MatMul = dnnl::matmul;
    const MatMul::desc description = wanted.has_bias
                                         ? MatMul::desc(wanted.x, wanted.weight, wanted.bias, wanted.result)
                                         : MatMul::desc(wanted.x, wanted.weight, wanted.result);
    const MatMul::primitive_desc chosen(description, AttributesOf(wanted), CpuEngine());
    return std::make_unique<PackedKernel<MatMul>>(context, chosen, wanted, in);
  });
}

}  // namespace ringway::engine
