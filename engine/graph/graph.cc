#include "engine/graph/graph.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

// What the operation itself says about its result, if anything.
std::optional<DType> StatedType(const Op& op) {
  return std::visit(
      [](const auto& o) -> std::optional<DType> {
        if constexpr (requires { o.result; }) return o.result;
        return std::nullopt;
      },
      op);
}

DType ResultType(const Op& op, const std::vector<Node>& nodes, const std::vector<ValueId>& inputs) {
  if (const auto* input = std::get_if<InputOp>(&op)) return input->dtype;
  if (const auto* constant = std::get_if<ConstantOp>(&op)) return constant->tensor.dtype();
  if (std::holds_alternative<WeightOp>(op)) return DType::kF32;
  if (const auto* cast = std::get_if<CastOp>(&op)) return cast->dtype;
  if (const std::optional<DType> stated = StatedType(op)) return *stated;
  if (inputs.empty() || inputs[0] == kAbsent) return DType::kF32;
  return nodes[static_cast<std::size_t>(inputs[0])].dtype;  // a lookup's first input is its table
}

// An expansion is cheaper to share than to keep: it does not count.
bool IsFixedNode(const Op& op, const std::vector<Node>& nodes, const std::vector<ValueId>& inputs) {
  if (std::holds_alternative<WeightOp>(op) || std::holds_alternative<ConstantOp>(op)) return true;
  if (std::holds_alternative<ExpandOp>(op) || inputs.empty()) return false;
  for (const ValueId id : inputs)
    if (id != kAbsent && !nodes[static_cast<std::size_t>(id)].fixed) return false;
  return true;
}

}  // namespace

ValueId Graph::Add(Op op, std::vector<ValueId> inputs, std::string_view label) {
  if (!status_.ok()) return kAbsent;
  std::vector<const Shape*> shapes;
  shapes.reserve(inputs.size());
  for (const ValueId id : inputs) {
    RINGWAY_CHECK(id >= kAbsent && id < static_cast<ValueId>(nodes_.size()));
    shapes.push_back(id == kAbsent ? nullptr : &node(id).shape);
  }
  absl::StatusOr<Shape> shape = InferShape(op, shapes);
  if (!shape.ok()) {
    const std::string_view name = OpName(op);
    Fail(absl::InvalidArgumentError(absl::StrCat(absl::string_view(label.data(), label.size()), ": ",
                                                 absl::string_view(name.data(), name.size()), ": ",
                                                 shape.status().message())));
    return kAbsent;
  }
  const DType dtype = ResultType(op, nodes_, inputs);
  const bool fixed = IsFixedNode(op, nodes_, inputs);
  nodes_.push_back({std::move(op), std::move(inputs), *shape, dtype, std::string(label), fixed});
  return static_cast<ValueId>(nodes_.size()) - 1;
}

ValueId Graph::Input(std::string_view name, const Shape& shape, DType dtype) {
  return Add(InputOp{std::string(name), dtype, shape}, {}, name);
}

ValueId Graph::Constant(Tensor tensor, std::string_view label) {
  return Add(ConstantOp{std::move(tensor)}, {}, label);
}

ValueId Graph::Weight(WeightOp weight) {
  const std::string label = weight.name;
  return Add(std::move(weight), {}, label);
}

void Graph::Output(std::string_view name, ValueId value) {
  if (status_.ok()) outputs_.push_back({std::string(name), value});
}

void Graph::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

const Shape& Graph::shape(ValueId id) const {
  static const Shape kNothing;  // what a failed value has, until the builder looks at the status
  return id == kAbsent ? kNothing : node(id).shape;
}

std::vector<int> Graph::UseCounts() const {
  std::vector<int> uses(nodes_.size());
  for (const Node& n : nodes_)
    for (const ValueId id : n.inputs)
      if (id != kAbsent) ++uses[static_cast<std::size_t>(id)];
  for (const GraphOutput& output : outputs_) ++uses[static_cast<std::size_t>(output.value)];
  return uses;
}

std::string Graph::ToString() const {
  std::string text;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const std::string_view name = OpName(n.op);
    absl::StrAppend(&text, "%", i, " = ", absl::string_view(name.data(), name.size()), "(");
    for (std::size_t k = 0; k < n.inputs.size(); ++k)
      absl::StrAppend(&text, k > 0 ? ", " : "",
                      n.inputs[k] == kAbsent ? "-" : absl::StrCat("%", n.inputs[k]));
    const std::string_view dtype = DTypeName(n.dtype);
    absl::StrAppend(&text, ") ", absl::string_view(dtype.data(), dtype.size()), " ", n.shape.ToString(), "  ",
                    n.label, "\n");
  }
  return text;
}

double FloatingPointOperations(const Graph& graph, const Node& node) {
  const double results = static_cast<double>(node.shape.elements());
  if (std::holds_alternative<ConvOp>(node.op)) {
    const Shape& w = graph.shape(node.input(1));
    return 2.0 * results * static_cast<double>(w.elements() / w.dim(0));
  }
  if (const auto* linear = node.As<LinearOp>())
    return (linear->gated ? 4.0 : 2.0) * results * static_cast<double>(graph.shape(node.input(1)).dim(1));
  if (std::holds_alternative<AttentionOp>(node.op))
    return 4.0 * results * static_cast<double>(graph.shape(node.input(1)).dim(1));
  return 0;
}

}  // namespace ringway::engine
