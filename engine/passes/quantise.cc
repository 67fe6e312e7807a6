#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

// With fewer channels the scales of the outputs and the rounding of the rows cost more than is saved; with
// more, a sum of whole numbers could be too large for 32 bits.
constexpr std::int64_t kQuantisedChannelsMin = 64, kQuantisedChannelsMax = 1 << 16;

// A convolution that looks at one pixel, as a linear layer does.
bool IsPointwise(const ConvOp& conv, const Shape& kernel) {
  const Padding& p = conv.padding;
  return kernel.rank() == 4 && kernel.dim(1) == 1 && kernel.dim(2) == 1 && conv.stride == 1 && p.top == 0 &&
         p.left == 0 && p.bottom == 0 && p.right == 0;
}

class Quantiser {
 public:
  explicit Quantiser(const Graph& graph) : graph_(graph), ends_(graph.nodes().size()) {
    for (const GraphOutput& output : graph.outputs()) MarkEnd(output.value);
  }

  // Layers whose error would be seen everywhere, or that gain nothing, stay as they are: a convolution that
  // reads an input, what becomes an output, vectors and rows (rank 2: time embeddings).
  bool Fits(ValueId id) const {
    const Node& node = graph_.node(id);
    const auto* conv = node.As<ConvOp>();
    if (conv == nullptr && node.As<LinearOp>() == nullptr) return false;
    const Shape& weight = graph_.shape(node.input(1));
    if (conv != nullptr &&
        (!IsPointwise(*conv, weight) || graph_.node(node.input(0)).As<InputOp>() != nullptr))
      return false;
    return node.shape.rank() > 2 && graph_.IsFixed(node.input(1)) && !graph_.IsFixed(node.input(0)) &&
           !ends_[static_cast<std::size_t>(id)] && weight.dim(-1) >= kQuantisedChannelsMin &&
           weight.dim(-1) <= kQuantisedChannelsMax;
  }

 private:
  void MarkEnd(ValueId id) {
    ends_[static_cast<std::size_t>(id)] = true;
    if (graph_.node(id).As<ReshapeOp>() != nullptr) MarkEnd(graph_.node(id).input(0));
  }

  const Graph& graph_;
  std::vector<bool> ends_;
};

}  // namespace

absl::StatusOr<Graph> Quantise(const Graph& graph, Quantisation quantisation) {
  const Quantiser quantiser(graph);
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
    if (!quantiser.Fits(id)) {
      rewriter.Copy(id);
      continue;
    }
    const Node& node = graph.node(id);
    Op op = node.op;
    std::visit(
        [quantisation](auto& o) {
          if constexpr (requires { o.quantisation; }) o.quantisation = quantisation;
        },
        op);
    rewriter.Replace(id, rewriter.to().Add(std::move(op), rewriter.NewInputs(node), node.label));
  }
  return rewriter.Finish();
}

}  // namespace ringway::engine
