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

absl::StatusOr<Graph> Optimise(const Graph& graph, const PassOptions& options) {
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
  if (now.ok() && options.quantisation != Quantisation::kNone) now = Quantise(*now, options.quantisation);
  if (now.ok()) now = SetPrecision(*now, options.precision, options.wide_sums);
  apply(true, Prune);
  return now;
}

}  // namespace ringway::engine
