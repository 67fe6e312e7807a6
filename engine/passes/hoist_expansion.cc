#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

// Operations that treat every row alike, so that doing them before or after copying rows is the same.
bool IsRowwise(const Node& node) {
  if (std::holds_alternative<LinearOp>(node.op)) return node.input(3) == kAbsent;
  return std::holds_alternative<LayerNormOp>(node.op) || std::holds_alternative<ActivateOp>(node.op) ||
         std::holds_alternative<GegluOp>(node.op);
}

const ExpandOp* ExpandOf(const Graph& graph, ValueId id) {
  if (id == kAbsent) return nullptr;
  const auto* expand = graph.node(id).As<ExpandOp>();
  // Along the channels it would not be a copy of rows.
  return expand != nullptr && expand->axis < graph.node(id).shape.rank() - 1 ? expand : nullptr;
}

// What attention reads as shared keys: batches repeated in a row, or one position for all.
ValueId WithoutSharing(const Graph& graph, ValueId id) {
  while (const ExpandOp* expand = ExpandOf(graph, id)) {
    const ValueId source = graph.node(id).input(0);
    const bool shareable = expand->axis == 0 || (expand->axis == 2 && graph.shape(source).dim(2) == 1);
    if (!shareable) break;
    id = source;
  }
  return id;
}

}  // namespace

absl::StatusOr<Graph> HoistExpansion(const Graph& graph) {
  Rewriter rewriter(graph);
  Graph& to = rewriter.to();
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    std::vector<ValueId> inputs = rewriter.NewInputs(node);
    if (IsRowwise(node) && ExpandOf(to, inputs[0]) != nullptr) {
      // Several expansions on top of each other move one after the other, innermost last.
      std::vector<ExpandOp> moved;
      while (const ExpandOp* expand = ExpandOf(to, inputs[0])) {
        moved.push_back(*expand);
        inputs[0] = to.node(inputs[0]).input(0);
      }
      ValueId value = to.Add(node.op, inputs, node.label);
      for (auto expand = moved.rbegin(); expand != moved.rend(); ++expand)
        value = to.Add(*expand, {value}, node.label);
      rewriter.Replace(id, value);
    } else if (std::holds_alternative<AttentionOp>(node.op)) {
      const ValueId k = WithoutSharing(to, inputs[1]);
      const ValueId v = WithoutSharing(to, inputs[2]);
      if (to.shape(k) == to.shape(v)) {
        inputs[1] = k;
        inputs[2] = v;
      }
      rewriter.Replace(id, to.Add(node.op, inputs, node.label));
    } else {
      rewriter.Copy(id);
    }
  }
  return rewriter.Finish();
}

}  // namespace ringway::engine
