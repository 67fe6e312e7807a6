#include <algorithm>
#include <map>
#include <optional>

#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

// Linear layers of one input that only attention reads: they can be one layer, for attention takes slices.
class ProjectionGroups {
 public:
  explicit ProjectionGroups(const Graph& graph) : graph_(graph) {
    const std::vector<bool> only_attention = ReadByAttentionOnly();
    std::map<std::pair<ValueId, bool>, std::vector<ValueId>> by_input;
    for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id)
      if (only_attention[static_cast<std::size_t>(id)] && IsPlainProjection(graph.node(id)))
        by_input[{graph.node(id).input(0), graph.node(id).input(2) != kAbsent}].push_back(id);
    for (auto& [key, members] : by_input)
      if (members.size() > 1) groups_.emplace(members.front(), std::move(members));
  }

  // The group that begins at this node, if any.
  const std::vector<ValueId>* StartingAt(ValueId id) const {
    const auto at = groups_.find(id);
    return at == groups_.end() ? nullptr : &at->second;
  }

 private:
  bool IsPlainProjection(const Node& node) const {
    const auto* linear = node.As<LinearOp>();
    if (linear == nullptr || linear->activation != Activation::kNone || node.input(3) != kAbsent)
      return false;
    return graph_.IsFixed(node.input(1)) && graph_.IsFixed(node.input(2));
  }

  // Itself, or what it is another view or a repetition of.
  bool IsProjection(ValueId id) const {
    while (id != kAbsent && (std::holds_alternative<ReshapeOp>(graph_.node(id).op) ||
                             std::holds_alternative<ExpandOp>(graph_.node(id).op)))
      id = graph_.node(id).input(0);
    return id != kAbsent && IsPlainProjection(graph_.node(id));
  }

  // Directly, or through reshapes that keep the channels.
  std::vector<bool> ReadByAttentionOnly() const {
    std::vector<bool> only(graph_.nodes().size(), true);
    for (const GraphOutput& output : graph_.outputs()) only[static_cast<std::size_t>(output.value)] = false;
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& node = graph_.nodes()[i];
      if (std::holds_alternative<AttentionOp>(node.op)) {
        // Keys and values must lie alike: both become slices, or neither. A bias is never one.
        const bool alike = IsProjection(node.input(1)) && IsProjection(node.input(2));
        for (std::size_t k = alike ? 3 : 1; k < node.inputs.size(); ++k)
          if (node.inputs[k] != kAbsent) only[static_cast<std::size_t>(node.inputs[k])] = false;
        continue;
      }
      const bool keeps_channels = std::holds_alternative<ReshapeOp>(node.op) &&
                                  node.shape.dim(-1) == graph_.shape(node.input(0)).dim(-1);
      if (keeps_channels && only[i]) continue;
      for (const ValueId id : node.inputs)
        if (id != kAbsent) only[static_cast<std::size_t>(id)] = false;
    }
    return only;
  }

  const Graph& graph_;
  std::map<ValueId, std::vector<ValueId>> groups_;
};

// The members' given weights, one after the other along the first axis: still a weight, by derivation. Those
// of later members have not been copied yet.
ValueId Stacked(Rewriter& rewriter, const std::vector<ValueId>& members, std::size_t input) {
  const Graph& from = rewriter.from();
  ValueId stacked = kAbsent;
  for (const ValueId id : members) {
    const Node& member = from.node(id);
    const ValueId weight = rewriter.NewOfFixed(member.input(input));
    stacked = stacked == kAbsent ? weight : rewriter.to().Add(ConcatOp{0}, {stacked, weight}, member.label);
  }
  return stacked;
}

}  // namespace

absl::StatusOr<Graph> MergeProjections(const Graph& graph) {
  const ProjectionGroups groups(graph);
  Rewriter rewriter(graph);
  Graph& to = rewriter.to();
  std::vector<bool> done(graph.nodes().size());
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    if (done[static_cast<std::size_t>(id)] || rewriter.New(id) != kAbsent) continue;
    const std::vector<ValueId>* members = groups.StartingAt(id);
    if (members == nullptr) {
      rewriter.Copy(id);
      continue;
    }
    const Node& first = graph.node(id);
    const ValueId weight = Stacked(rewriter, *members, 1);
    const ValueId bias = first.input(2) == kAbsent ? kAbsent : Stacked(rewriter, *members, 2);
    const ValueId merged = to.Add(LinearOp{}, {rewriter.New(first.input(0)), weight, bias}, first.label);
    std::int64_t begin = 0;
    for (const ValueId member : *members) {
      const std::int64_t size = graph.shape(member).dim(-1);
      rewriter.Replace(member, to.Add(SliceOp{begin, size}, {merged}, graph.node(member).label));
      begin += size;
      done[static_cast<std::size_t>(member)] = true;
    }
  }
  return rewriter.Finish();
}

}  // namespace ringway::engine
