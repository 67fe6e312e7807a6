#include "engine/cpu/cpu_backend.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/cpu/cpu_kernels.h"
#include "engine/cpu/pack.h"
#include "engine/cpu/peak.h"

namespace ringway::engine {
namespace {

struct Maker {
  CpuContext context;
  Operands in;
  const Operand& out;

  KernelOr operator()(const ConvOp& op) const { return MakeConv(context, op, in, out); }
  KernelOr operator()(const LinearOp& op) const { return MakeLinear(context, op, in, out); }
  KernelOr operator()(const GroupNormOp& op) const { return MakeGroupNorm(context, op, in, out); }
  KernelOr operator()(const LayerNormOp& op) const { return MakeLayerNorm(context, op, in, out); }
  KernelOr operator()(const AttentionOp& op) const { return MakeAttention(context, op, in, out); }
  KernelOr operator()(const ActivateOp& op) const { return MakeActivate(context, op, in, out); }
  KernelOr operator()(const GegluOp&) const { return MakeGeglu(context, in, out); }
  KernelOr operator()(const AddOp&) const { return MakeAdd(context, in, out); }
  KernelOr operator()(const BlendOp&) const { return MakeBlend(context, in, out); }
  KernelOr operator()(const CastOp&) const { return MakeCast(context, in, out); }
  KernelOr operator()(const ConcatOp& op) const { return MakeConcat(context, op, in, out); }
  KernelOr operator()(const UpsampleOp&) const { return MakeUpsample(context, in, out); }
  KernelOr operator()(const ExpandOp& op) const { return MakeExpand(context, op, in, out); }
  KernelOr operator()(const TimeEmbeddingOp& op) const { return MakeTimeEmbedding(op, in, out); }
  KernelOr operator()(const LookupOp&) const { return MakeLookup(in, out); }
  KernelOr operator()(const ScaleOp& op) const { return MakeScale(context, op, in, out); }
  KernelOr operator()(const RotateOp&) const { return MakeRotate(context, in, out); }
  KernelOr operator()(const DepthToSpaceOp& op) const { return MakeDepthToSpace(context, op, in, out); }
  // Inputs, weights and views never become steps.
  KernelOr operator()(const InputOp&) const { return NoStep(); }
  KernelOr operator()(const ConstantOp&) const { return NoStep(); }
  KernelOr operator()(const WeightOp&) const { return NoStep(); }
  KernelOr operator()(const ReshapeOp&) const { return NoStep(); }
  KernelOr operator()(const SliceOp&) const { return NoStep(); }
  static KernelOr NoStep() { return absl::InternalError("is not an operation that runs"); }
};

}  // namespace

KernelOr CpuBackend::Prepare(const Op& op, Operands inputs, const Operand& output) const {
  for (const Operand& operand : inputs) {
    if (operand.present && !operand.dense() && !std::holds_alternative<AttentionOp>(op)) {
      const std::string_view name = OpName(op);
      return absl::UnimplementedError(absl::StrCat(absl::string_view(name.data(), name.size()),
                                                   ": cannot read a slice; only attention can"));
    }
  }
  return std::visit(Maker{{table_, options_.threads}, inputs, output}, op);
}

absl::StatusOr<Tensor> CpuBackend::Pack(const WeightForm& form, const WeightRows& rows) const {
  return PackWeight({table_, options_.threads}, form, rows);
}

std::string CpuBackend::Fingerprint() const {
  return absl::StrCat(PackingFingerprint(), " ", options_.threads);
}

std::string CpuBackend::PackingFingerprint() const {
  const std::string_view isa = IsaName(options_.isa);
  return absl::StrCat("cpu ", absl::string_view(isa.data(), isa.size()));
}

double CpuBackend::PeakFlops(DType type) const {
  const bool wide = options_.isa == Isa::kAvx512Bf16 && type != DType::kBF16;
  return engine::PeakFlops(wide ? Isa::kAvx512 : options_.isa, options_.threads);
}

}  // namespace ringway::engine
