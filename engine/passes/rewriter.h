// Writing a new graph from an old one, node by node: what the passes have in common.
//
// A pass visits the old nodes in order and for each either copies it, or adds something else and says by
// Replace which new value stands for the old one. Inputs are always looked up through New, so a replacement
// reaches every later user. Old nodes that nobody refers to any more stay behind as dead code for Prune.
// O(nodes).
#ifndef RINGWAY_ENGINE_PASSES_REWRITER_H_
#define RINGWAY_ENGINE_PASSES_REWRITER_H_

#include <vector>

#include "engine/graph/graph.h"

namespace ringway::engine {

class Rewriter {
 public:
  explicit Rewriter(const Graph& from)
      : from_(from), new_of_(from.nodes().size(), kAbsent), uses_(from.UseCounts()) {}

  const Graph& from() const { return from_; }
  Graph& to() { return to_; }
  // Of the old graph.
  int Uses(ValueId old) const { return uses_[static_cast<std::size_t>(old)]; }

  ValueId New(ValueId old) const { return old == kAbsent ? kAbsent : new_of_[static_cast<std::size_t>(old)]; }
  std::vector<ValueId> NewInputs(const Node& node) const {
    std::vector<ValueId> inputs;
    inputs.reserve(node.inputs.size());
    for (const ValueId id : node.inputs) inputs.push_back(New(id));
    return inputs;
  }
  // Of a value that depends on weights alone, which is copied now where it has not been: only such values may
  // be reached for ahead of their turn.
  ValueId NewOfFixed(ValueId old) {
    RINGWAY_CHECK(from_.IsFixed(old));
    if (old != kAbsent && New(old) == kAbsent) {
      for (const ValueId id : from_.node(old).inputs) NewOfFixed(id);
      Copy(old);
    }
    return New(old);
  }
  void Replace(ValueId old, ValueId by) { new_of_[static_cast<std::size_t>(old)] = by; }
  void Copy(ValueId old) {
    const Node& node = from_.node(old);
    Replace(old, to_.Add(node.op, NewInputs(node), node.label));
  }

  // The outputs, by their new values; the graph, or the mistake that a pass made.
  absl::StatusOr<Graph> Finish() {
    for (const GraphOutput& output : from_.outputs()) to_.Output(output.name, New(output.value));
    if (!to_.status().ok()) return to_.status();
    return std::move(to_);
  }

 private:
  const Graph& from_;
  Graph to_;
  std::vector<ValueId> new_of_;
  std::vector<int> uses_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PASSES_REWRITER_H_
