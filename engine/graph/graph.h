// A network as a list of operations, each of which makes one value: the form in which it is optimised.
//
// Static single assignment: a value is named by the number of the node that makes it, and inputs come before
// their users, so the list is its own topological order. Shapes are inferred when a node is added. The first
// mistake (a shape that does not fit, a weight that is not there) stays as the graph's status; what is built
// on a failed value fails silently with it, so that a network is written without a check at every line and
// looked at once, at its end. The passes (engine/passes/) never change a graph: they write a new one. A graph
// holds no weights, only their names: it is small, and what is derived from weights alone (a cast, a stack, a
// sigmoid) stays written out as nodes that are fixed, for whoever packs them (plan/weight_set.h).
#ifndef RINGWAY_ENGINE_GRAPH_GRAPH_H_
#define RINGWAY_ENGINE_GRAPH_GRAPH_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/graph/op.h"

namespace ringway::engine {

using ValueId = std::int32_t;
inline constexpr ValueId kAbsent = -1;

struct Node {
  Op op;
  std::vector<ValueId> inputs;
  Shape shape;
  DType dtype = DType::kF32;
  std::string label;   // the weights it belongs to, for people: "down_blocks.0.resnets.1.conv1"
  bool fixed = false;  // depends on weights and constants alone: the same at every run

  ValueId input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kAbsent; }
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&op);
  }
};

struct GraphOutput {
  std::string name;
  ValueId value = kAbsent;
};

class Graph {
 public:
  // Adds a node and infers its shape and element type; kAbsent (and a status) when its inputs do not fit.
  ValueId Add(Op op, std::vector<ValueId> inputs, std::string_view label = "");
  ValueId Input(std::string_view name, const Shape& shape, DType dtype = DType::kF32);
  ValueId Constant(Tensor tensor, std::string_view label = "");
  ValueId Weight(WeightOp weight);
  void Output(std::string_view name, ValueId value);
  // Records a mistake that a builder found itself; the first one wins.
  void Fail(absl::Status status);

  const absl::Status& status() const { return status_; }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(ValueId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const Shape& shape(ValueId id) const;
  std::span<const GraphOutput> outputs() const { return outputs_; }
  // Of an absent value too: there is nothing in it that changes.
  bool IsFixed(ValueId id) const { return id == kAbsent || node(id).fixed; }
  // How many nodes and outputs use each value.
  std::vector<int> UseCounts() const;
  // One line a node, for people and for tests of passes.
  std::string ToString() const;

 private:
  std::vector<Node> nodes_;
  std::vector<GraphOutput> outputs_;
  absl::Status status_;
};

// The shape of an operation's result, or what about its inputs does not fit.
absl::StatusOr<Shape> InferShape(const Op& op, std::span<const Shape* const> inputs);

// Multiplications and additions of a node, two for each pair: what benchmarks divide by.
double FloatingPointOperations(const Graph& graph, const Node& node);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_GRAPH_GRAPH_H_
