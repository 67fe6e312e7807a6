#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {

absl::StatusOr<Graph> Prune(const Graph& graph) {
  std::vector<bool> needed(graph.nodes().size());
  for (const GraphOutput& output : graph.outputs()) needed[static_cast<std::size_t>(output.value)] = true;
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    if (std::holds_alternative<InputOp>(node.op)) needed[i] = true;  // a plan keeps all its inputs
    if (!needed[i]) continue;
    for (const ValueId id : node.inputs)
      if (id != kAbsent) needed[static_cast<std::size_t>(id)] = true;
  }
  Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i)
    if (needed[i]) rewriter.Copy(static_cast<ValueId>(i));
  return rewriter.Finish();
}

namespace {

// A weight matrix is multiplied in the type of what it multiplies; a table is looked up in the wanted type.
bool IsMatrix(const Node& node, std::size_t input) {
  if (std::holds_alternative<LookupOp>(node.op)) return input == 0;
  const bool multiplies =
      std::holds_alternative<LinearOp>(node.op) || std::holds_alternative<ConvOp>(node.op);
  return multiplies && input == 1;
}

ValueId WithType(Graph& to, ValueId id, DType dtype) {
  if (id == kAbsent || to.node(id).dtype == dtype) return id;
  const std::string label = to.node(id).label;
  if (const Tensor* tensor = to.ConstantOf(id)) return to.Constant(tensor->To(dtype), label);
  return to.Add(CastOp{dtype}, {id}, label);
}

}  // namespace

// Vectors and rows (rank 2: time embeddings) stay f32: they are small, and their error would enter every
// block.
absl::StatusOr<Graph> SetPrecision(const Graph& graph, DType precision) {
  if (precision == DType::kF32) return graph;
  Rewriter rewriter(graph);
  Graph& to = rewriter.to();
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    const Node& node = graph.node(id);
    std::vector<ValueId> inputs = rewriter.NewInputs(node);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (IsMatrix(node, i))
        inputs[i] = WithType(to, inputs[i], i == 0 ? precision : to.node(inputs[0]).dtype);
    ValueId made = to.Add(node.op, std::move(inputs), node.label);
    if (made == kAbsent) break;
    if (to.node(made).dtype == DType::kF32 && node.shape.rank() > 2) made = WithType(to, made, precision);
    rewriter.Replace(id, made);
  }
  for (const GraphOutput& output : graph.outputs())
    rewriter.Replace(output.value, WithType(to, rewriter.New(output.value), DType::kF32));
  return rewriter.Finish();
}

absl::StatusOr<Graph> Optimise(const Graph& graph, const PassOptions& options, const Backend& backend) {
  if (!graph.status().ok()) return graph.status();
  // A pass leaves dead nodes behind, which the next would count as users: prune after each.
  absl::StatusOr<Graph> now = Prune(graph);
  const auto apply = [&now](bool wanted, absl::StatusOr<Graph> (*pass)(const Graph&)) {
    if (wanted && now.ok()) now = pass(*now);
    if (wanted && now.ok()) now = Prune(*now);
  };
  apply(options.hoist_expansion, HoistExpansion);
  apply(options.merge_projections, MergeProjections);
  apply(options.fuse, FuseNorms);
  apply(options.fuse, FuseResiduals);
  if (options.fold_constants && now.ok()) now = FoldConstants(*now, backend);
  if (now.ok()) now = SetPrecision(*now, options.precision);
  apply(true, Prune);
  return now;
}

}  // namespace ringway::engine
