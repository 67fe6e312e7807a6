#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

// y of an addition is one row of channels for each batch (or one for all): x [n,...,c], y [n,1,...,1,c].
bool IsRowOfChannels(const Shape& x, const Shape& y) {
  if (x.rank() < 3 || y.dim(-1) != x.dim(-1)) return false;
  for (int i = 1; i < x.rank() - 1; ++i)
    if (y.dim(i) != 1) return false;
  return true;
}

// The addition that a group norm could swallow, or null: it must have no other reader.
const Node* ShiftBefore(const Rewriter& rewriter, const Node& norm) {
  const Graph& graph = rewriter.from();
  const ValueId x = norm.input(0);
  const Node& producer = graph.node(x);
  if (norm.input(3) != kAbsent || !std::holds_alternative<AddOp>(producer.op) || rewriter.Uses(x) != 1)
    return nullptr;
  const Shape& whole = graph.shape(producer.input(0));
  const Shape& row = graph.shape(producer.input(1));
  return IsRowOfChannels(whole, row) && !(whole == row) ? &producer : nullptr;
}

// [n,1,..,1,c] as [n,c]; where it was made from just that, the original, which keeps its precision.
ValueId AsRows(Graph& to, ValueId row) {
  const Shape shape = to.shape(row);
  const Shape rows = {shape.dim(0), shape.dim(-1)};
  if (std::holds_alternative<ReshapeOp>(to.node(row).op) && to.shape(to.node(row).input(0)) == rows)
    return to.node(row).input(0);
  return to.Add(ReshapeOp{rows}, {row});
}

bool IsGated(const Node& node) {
  const auto* linear = node.As<LinearOp>();
  return linear != nullptr && linear->gated;
}

bool IsFusable(const Graph& graph, ValueId id) {
  const Node& node = graph.node(id);
  return (std::holds_alternative<ConvOp>(node.op) || std::holds_alternative<LinearOp>(node.op)) &&
         node.input(3) == kAbsent && !IsGated(node);
}

Activation& ActivationOf(Op& op) {
  if (auto* conv = std::get_if<ConvOp>(&op)) return conv->activation;
  return std::get<LinearOp>(op).activation;
}

// The linear layer whose halves only a Geglu reads.
bool CanBeGated(const Rewriter& rewriter, ValueId id) {
  const Node& node = rewriter.from().node(id);
  const auto* linear = node.As<LinearOp>();
  return linear != nullptr && rewriter.Uses(id) == 1 && linear->activation == Activation::kNone &&
         node.input(3) == kAbsent;
}

// Adds the producer again with one more thing to do; the first copy is dead.
ValueId AddFused(Rewriter& rewriter, ValueId producer, Activation activation, ValueId residual) {
  const Node& node = rewriter.from().node(producer);
  Op op = node.op;
  if (activation != Activation::kNone) ActivationOf(op) = activation;
  std::vector<ValueId> inputs = rewriter.NewInputs(node);
  inputs.resize(4, kAbsent);
  inputs[3] = residual;
  return rewriter.to().Add(std::move(op), std::move(inputs), node.label);
}

}  // namespace

absl::StatusOr<Graph> FuseNorms(const Graph& graph) {
  Rewriter rewriter(graph);
  Graph& to = rewriter.to();
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    const auto* activate = node.As<ActivateOp>();
    if (const auto* norm = node.As<GroupNormOp>()) {
      std::vector<ValueId> inputs = rewriter.NewInputs(node);
      if (const Node* shift = ShiftBefore(rewriter, node)) {
        inputs.resize(4, kAbsent);
        inputs[0] = rewriter.New(shift->input(0));
        inputs[3] = AsRows(to, rewriter.New(shift->input(1)));
      }
      rewriter.Replace(id, to.Add(*norm, std::move(inputs), node.label));
    } else if (activate != nullptr && activate->activation == Activation::kSilu &&
               rewriter.Uses(node.input(0)) == 1 &&
               std::holds_alternative<GroupNormOp>(graph.node(node.input(0)).op)) {
      const Node& norm = to.node(rewriter.New(node.input(0)));
      GroupNormOp fused = std::get<GroupNormOp>(norm.op);
      fused.silu = true;
      std::vector<ValueId> inputs = norm.inputs;
      std::string label = norm.label;
      rewriter.Replace(id, to.Add(fused, std::move(inputs), label));
    } else {
      rewriter.Copy(id);
    }
  }
  return rewriter.Finish();
}

absl::StatusOr<Graph> FuseResiduals(const Graph& graph) {
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    const auto* activate = node.As<ActivateOp>();
    const auto can_take = [&](ValueId producer) {
      return rewriter.Uses(producer) == 1 && IsFusable(graph, producer);
    };
    if (activate != nullptr && can_take(node.input(0)) && activate->activation != Activation::kSigmoid) {
      Op op = graph.node(node.input(0)).op;
      if (ActivationOf(op) == Activation::kNone) {
        rewriter.Replace(id, AddFused(rewriter, node.input(0), activate->activation, kAbsent));
        continue;
      }
    }
    if (std::holds_alternative<GegluOp>(node.op) && CanBeGated(rewriter, node.input(0))) {
      const Node& linear = graph.node(node.input(0));
      rewriter.Replace(id,
                       rewriter.to().Add(LinearOp{.gated = true}, rewriter.NewInputs(linear), linear.label));
      continue;
    }
    const bool addition =
        std::holds_alternative<AddOp>(node.op) && graph.shape(node.input(0)) == graph.shape(node.input(1));
    if (addition && can_take(node.input(0))) {
      rewriter.Replace(id, AddFused(rewriter, node.input(0), Activation::kNone, rewriter.New(node.input(1))));
    } else if (addition && can_take(node.input(1))) {
      rewriter.Replace(id, AddFused(rewriter, node.input(1), Activation::kNone, rewriter.New(node.input(0))));
    } else {
      rewriter.Copy(id);
    }
  }
  return rewriter.Finish();
}

}  // namespace ringway::engine
