#include "engine/passes/passes.h"
#include "engine/passes/rewriter.h"

namespace ringway::engine {
namespace {

template <typename T>
bool Is(const Node& node) {
  return std::holds_alternative<T>(node.op);
}
bool IsProduct(const Node& node) { return Is<LinearOp>(node) || Is<ConvOp>(node); }
// Its weight stays f32 until it is packed, so that it is rounded once.
bool IsQuantised(const Op& op) {
  return std::visit(
      [](const auto& o) {
        if constexpr (requires { o.quantisation; })
          return o.quantisation != Quantisation::kNone;
        else
          return false;
      },
      op);
}
bool IsNorm(const Node& node) { return Is<GroupNormOp>(node) || Is<LayerNormOp>(node); }
bool IsMixture(const Node& node) { return Is<AddOp>(node) || Is<BlendOp>(node) || Is<ScaleOp>(node); }
// Of the inputs of a mixture, those which must be of one type.
std::size_t Mixed(const Node& node) { return Is<ScaleOp>(node) ? node.inputs.size() : 2; }
bool MovesOnly(const Node& node) { return Is<ReshapeOp>(node) || Is<DepthToSpaceOp>(node); }
// Read in f32 whatever the precision: a few numbers whose rounding would be seen everywhere.
bool StaysWide(const Node& node, std::size_t input) {
  return (Is<AttentionOp>(node) && input == 3) || (Is<RotateOp>(node) && input == 1);
}
bool MayBeWide(const Node& node) {
  return IsProduct(node) || IsMixture(node) || Is<ConcatOp>(node) || Is<LayerNormOp>(node);
}

// Vectors and rows (rank 2: time embeddings) stay f32: they are small, and their error would enter every
// block.
bool IsSmall(const Node& node) { return node.shape.rank() <= 2; }

// Which values are only read by what can read f32 too: norms, what adds, blends or joins, and reshapes that
// are themselves read so.
std::vector<bool> ReadWide(const Graph& graph) {
  std::vector<bool> wide(graph.nodes().size(), true);
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == kAbsent) continue;
      const bool can = IsMixture(node) || Is<ConcatOp>(node) || (IsNorm(node) && k == 0) ||
                       (IsProduct(node) && k == 3) || StaysWide(node, k) || (MovesOnly(node) && wide[i]);
      if (!can) wide[static_cast<std::size_t>(node.inputs[k])] = false;
    }
  }
  return wide;
}

class PrecisionSetter {
 public:
  PrecisionSetter(const Graph& graph, DType precision, bool wide_sums)
      : precision_(precision),
        wide_sums_(wide_sums),
        rewriter_(graph),
        to_(rewriter_.to()),
        read_wide_(ReadWide(graph)),
        is_output_(graph.nodes().size()) {
    for (const GraphOutput& output : graph.outputs())
      is_output_[static_cast<std::size_t>(output.value)] = true;
  }

  absl::StatusOr<Graph> Run() {
    const Graph& graph = rewriter_.from();
    for (ValueId id = 0; id < static_cast<ValueId>(graph.nodes().size()); ++id) {
      const ValueId made = Make(id);
      if (made == kAbsent) break;
      rewriter_.Replace(id, made);
    }
    for (const GraphOutput& output : graph.outputs())
      rewriter_.Replace(output.value, WithType(rewriter_.New(output.value), DType::kF32));
    return rewriter_.Finish();
  }

 private:
  ValueId Make(ValueId id) {
    const Node& node = rewriter_.from().node(id);
    // What is derived from weights alone is derived in f32; its readers say which type they want of it.
    if (node.fixed) return to_.Add(node.op, rewriter_.NewInputs(node), node.label);
    std::vector<ValueId> inputs = rewriter_.NewInputs(node);
    Op op = node.op;
    if (!IsSmall(node)) {
      SetInputs(node, inputs);
      SetResult(op, ResultOf(id, inputs));
    }
    if (IsProduct(node) && !IsQuantised(node.op)) inputs[1] = WithType(inputs[1], to_.node(inputs[0]).dtype);
    const ValueId made = to_.Add(std::move(op), std::move(inputs), node.label);
    return made != kAbsent && Is<InputOp>(node) && !IsSmall(node) && node.dtype == DType::kF32
               ? WithType(made, precision_)
               : made;
  }

  void SetInputs(const Node& node, std::vector<ValueId>& inputs) {
    if (IsMixture(node) || Is<ConcatOp>(node)) {
      const std::size_t mixed = Mixed(node);
      bool wide = false;
      for (std::size_t i = 0; i < mixed; ++i) wide = wide || (inputs[i] != kAbsent && IsWide(inputs[i]));
      for (std::size_t i = 0; i < mixed; ++i)
        inputs[i] = WithType(inputs[i], wide ? DType::kF32 : precision_);
    } else if (IsProduct(node) || Is<LookupOp>(node)) {
      inputs[0] = WithType(inputs[0], precision_);
    } else if (!IsNorm(node) && !MovesOnly(node) && !Is<TimeEmbeddingOp>(node)) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] != kAbsent && to_.node(inputs[i]).dtype == DType::kF32 && !StaysWide(node, i))
          inputs[i] = WithType(inputs[i], precision_);
    }
  }
  bool IsWide(ValueId made) const { return !to_.IsFixed(made) && to_.node(made).dtype == DType::kF32; }

  // Norms narrow. What a product or a sum gives stays f32 where all that read it can read that; so does what
  // leaves the graph straight from a product.
  DType ResultOf(ValueId id, const std::vector<ValueId>& inputs) const {
    const Node& node = rewriter_.from().node(id);
    if (is_output_[static_cast<std::size_t>(id)])
      return rewriter_.Uses(id) == 1 && IsProduct(node) ? DType::kF32 : precision_;
    const bool from_narrow = (IsMixture(node) || IsNorm(node)) && !IsWide(inputs[0]);  // no kernel widens
    const bool wide =
        wide_sums_ && MayBeWide(node) && !from_narrow && read_wide_[static_cast<std::size_t>(id)];
    return wide ? DType::kF32 : precision_;
  }
  static void SetResult(Op& op, DType result) {
    std::visit(
        [result](auto& o) {
          if constexpr (requires { o.result; }) o.result = result;
        },
        op);
  }

  ValueId WithType(ValueId id, DType dtype) {
    if (id == kAbsent || to_.node(id).dtype == dtype) return id;
    const std::string label = to_.node(id).label;
    return to_.Add(CastOp{dtype}, {id}, label);
  }

  DType precision_;
  bool wide_sums_;
  Rewriter rewriter_;
  Graph& to_;
  std::vector<bool> read_wide_;
  std::vector<bool> is_output_;
};

}  // namespace

absl::StatusOr<Graph> SetPrecision(const Graph& graph, DType precision, bool wide_sums) {
  if (precision == DType::kF32) return graph;
  return PrecisionSetter(graph, precision, wide_sums).Run();
}

}  // namespace ringway::engine
