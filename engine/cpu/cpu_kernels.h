// The kernels of the CPU backend, each made from an operation and its operands; cpu_backend.cc chooses among
// them.
//
// Every function checks nothing that shape inference has already settled. Operands must be dense except for
// those of attention, which may be slices of a merged projection.
#ifndef RINGWAY_ENGINE_CPU_CPU_KERNELS_H_
#define RINGWAY_ENGINE_CPU_CPU_KERNELS_H_

#include <memory>
#include <span>

#include "engine/cpu/kernel_table.h"
#include "engine/plan/backend.h"

namespace ringway::engine {

struct CpuContext {
  const KernelTable& table;
  int threads = 1;
};

using KernelOr = absl::StatusOr<std::unique_ptr<Kernel>>;
using Operands = std::span<const Operand>;

// product.cc. The weight (and bias) must be fixed.
KernelOr MakeConv(const CpuContext& context, const ConvOp& op, Operands inputs, const Operand& output);
KernelOr MakeLinear(const CpuContext& context, const LinearOp& op, Operands inputs, const Operand& output);
// norm.cc
KernelOr MakeGroupNorm(const CpuContext& context, const GroupNormOp& op, Operands inputs,
                       const Operand& output);
KernelOr MakeLayerNorm(const CpuContext& context, const LayerNormOp& op, Operands inputs,
                       const Operand& output);
// attention.cc
KernelOr MakeAttention(const CpuContext& context, const AttentionOp& op, Operands inputs,
                       const Operand& output);
// elementwise.cc
KernelOr MakeActivate(const CpuContext& context, const ActivateOp& op, Operands inputs,
                      const Operand& output);
KernelOr MakeGeglu(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeAdd(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeScale(const CpuContext& context, const ScaleOp& op, Operands inputs, const Operand& output);
KernelOr MakeRotate(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeBlend(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeCast(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeTimeEmbedding(const TimeEmbeddingOp& op, Operands inputs, const Operand& output);
// copies.cc: whole rows are moved, whatever their type
KernelOr MakeConcat(const CpuContext& context, const ConcatOp& op, Operands inputs, const Operand& output);
KernelOr MakeUpsample(const CpuContext& context, Operands inputs, const Operand& output);
KernelOr MakeExpand(const CpuContext& context, const ExpandOp& op, Operands inputs, const Operand& output);
KernelOr MakeDepthToSpace(const CpuContext& context, const DepthToSpaceOp& op, Operands inputs,
                          const Operand& output);
KernelOr MakeLookup(Operands inputs, const Operand& output);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_CPU_KERNELS_H_
