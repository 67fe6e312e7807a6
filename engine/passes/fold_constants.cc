#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

bool DependsOnConstantsOnly(const Graph& graph, const Node& node) {
  if (node.inputs.empty()) return false;
  for (const ValueId id : node.inputs)
    if (id != kAbsent && graph.ConstantOf(id) == nullptr) return false;
  // An expansion of a constant is cheaper to share than to store.
  return !std::holds_alternative<ExpandOp>(node.op);
}

Operand OperandOf(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return {true, shape, tensor.dtype(), shape.rank() == 0 ? 1 : shape.dim(-1), &tensor};
}

absl::StatusOr<Tensor> Evaluate(const Graph& graph, const Node& node, const Backend& backend) {
  if (const auto* reshape = node.As<ReshapeOp>())
    return graph.ConstantOf(node.input(0))->Reshaped(reshape->shape);
  std::vector<Operand> operands;
  std::vector<std::byte*> addresses;
  for (const ValueId id : node.inputs) {
    const Tensor* tensor = graph.ConstantOf(id);
    operands.push_back(tensor == nullptr ? Operand{} : OperandOf(*tensor));
    addresses.push_back(tensor == nullptr ? nullptr : const_cast<std::byte*>(tensor->bytes()));
  }
  Tensor result(node.dtype, node.shape);
  Operand output = OperandOf(result);
  output.constant = nullptr;
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = backend.Prepare(node.op, operands, output);
  if (!kernel.ok()) return kernel.status();
  Tensor workspace(DType::kF32, {static_cast<std::int64_t>((*kernel)->workspace_bytes() / 4 + 1)});
  (*kernel)->Bind(addresses, result.bytes(), workspace.bytes());
  backend.Enter();
  (*kernel)->Run();
  return result;
}

}  // namespace

absl::StatusOr<Graph> FoldConstants(const Graph& graph, const Backend& backend) {
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    rewriter.Copy(id);
    if (rewriter.New(id) == kAbsent) break;
    const Node node = rewriter.to().node(rewriter.New(id));
    if (!DependsOnConstantsOnly(rewriter.to(), node)) continue;
    absl::StatusOr<Tensor> value = Evaluate(rewriter.to(), node, backend);
    if (!value.ok()) return value.status();
    rewriter.Replace(id, rewriter.to().Constant(*std::move(value), node.label));
  }
  return rewriter.Finish();
}

}  // namespace ringway::engine
