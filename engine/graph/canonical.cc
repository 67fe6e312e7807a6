#include "engine/graph/canonical.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ringway::engine {
namespace {

// Every field of every operation. The bindings name them all, so that a field which is added to one does not
// compile until it is written here: a forgotten field would let one plan pass for another.
class TextWriter {
 public:
  explicit TextWriter(std::string& text) : text_(text) {}

  template <typename T>
  void Number(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
  }
  void Text(std::string_view value) {
    Number<std::uint64_t>(value.size());
    text_.append(value);
  }
  void Write(const Shape& shape) {
    Number<std::int8_t>(static_cast<std::int8_t>(shape.rank()));
    for (int i = 0; i < shape.rank(); ++i) Number(shape.dim(i));
  }
  void Write(std::optional<DType> type) {
    Number<std::int8_t>(type ? static_cast<std::int8_t>(*type) : std::int8_t{-1});
  }

  void operator()(const InputOp& op) {
    const auto& [name, dtype, shape] = op;
    Text(name), Number(dtype), Write(shape);
  }
  void operator()(const ConstantOp& op) {
    const auto& [tensor] = op;
    const Hash128 hash = HashOf({reinterpret_cast<const char*>(tensor.bytes()), tensor.size_bytes()});
    Number(tensor.dtype()), Write(tensor.shape()), Number(hash.high), Number(hash.low);
  }
  void operator()(const WeightOp& op) {  // the slot or the name is written by the caller
    const auto& [name, shape, kernel] = op;
    (void)name;
    Write(shape), Number(kernel);
  }
  void operator()(const ConvOp& op) {
    const auto& [stride, padding, activation, result, front, quantisation] = op;
    const auto& [top, left, bottom, right] = padding;
    Number(stride), Number(top), Number(left), Number(bottom), Number(right), Number(activation);
    Write(result), Number(front), Number(quantisation);
  }
  void operator()(const LinearOp& op) {
    const auto& [activation, gated, result, quantisation] = op;
    Number(activation), Number(gated), Write(result), Number(quantisation);
  }
  void operator()(const GroupNormOp& op) {
    const auto& [groups, epsilon, silu, result] = op;
    Number(groups), Number(epsilon), Number(silu), Write(result);
  }
  void operator()(const LayerNormOp& op) {
    const auto& [epsilon, centred, result] = op;
    Number(epsilon), Number(centred), Write(result);
  }
  void operator()(const AttentionOp& op) {
    const auto& [heads, causal, scale] = op;
    Number(heads), Number(causal), Number(scale);
  }
  void operator()(const ActivateOp& op) {
    const auto& [activation] = op;
    Number(activation);
  }
  void operator()(const GegluOp&) {}
  void operator()(const AddOp& op) {
    const auto& [result] = op;
    Write(result);
  }
  void operator()(const ScaleOp& op) {
    const auto& [plus_one, result] = op;
    Number(plus_one), Write(result);
  }
  void operator()(const RotateOp&) {}
  void operator()(const DepthToSpaceOp& op) {
    const auto& [frames, height, width, width_first, skipped] = op;
    Number(frames), Number(height), Number(width), Number(width_first), Number(skipped);
  }
  void operator()(const BlendOp& op) {
    const auto& [result] = op;
    Write(result);
  }
  void operator()(const ConcatOp& op) {
    const auto& [axis] = op;
    Number(axis);
  }
  void operator()(const UpsampleOp& op) {
    const auto& [odd_height, odd_width] = op;
    Number(odd_height), Number(odd_width);
  }
  void operator()(const ReshapeOp& op) {
    const auto& [shape] = op;
    Write(shape);
  }
  void operator()(const ExpandOp& op) {
    const auto& [axis, times] = op;
    Number(axis), Number(times);
  }
  void operator()(const SliceOp& op) {
    const auto& [begin, size] = op;
    Number(begin), Number(size);
  }
  void operator()(const TimeEmbeddingOp& op) {
    const auto& [channels, sine_first] = op;
    Number(channels), Number(sine_first);
  }
  void operator()(const LookupOp&) {}
  void operator()(const CastOp& op) {
    const auto& [dtype] = op;
    Number(dtype);
  }

 private:
  std::string& text_;
};

class Canonicaliser {
 public:
  Canonicaliser(const Graph& graph, WeightNames weight_names)
      : graph_(graph), weight_names_(weight_names), writer_(form_.text), number_(graph.nodes().size(), -1) {}

  CanonicalForm Run() {
    for (const GraphOutput& output : graph_.outputs()) {
      Visit(output.value);
      writer_.Text(output.name);
      writer_.Number(NumberOf(output.value));
    }
    // A plan keeps inputs that nothing reads.
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id)
      if (std::holds_alternative<InputOp>(graph_.node(id).op)) Visit(id);
    return std::move(form_);
  }

 private:
  std::int32_t NumberOf(ValueId id) const {
    return id == kAbsent ? -1 : number_[static_cast<std::size_t>(id)];
  }

  // Inputs before users, by a stack of its own: a network is thousands of nodes deep.
  void Visit(ValueId root) {
    struct Visited {
      ValueId id;
      std::size_t next_input;
    };
    std::vector<Visited> path;
    if (NumberOf(root) < 0 && root != kAbsent) path.push_back({root, 0});
    while (!path.empty()) {
      Visited& top = path.back();
      const Node& node = graph_.node(top.id);
      if (top.next_input < node.inputs.size()) {
        const ValueId input = node.inputs[top.next_input++];
        if (input != kAbsent && NumberOf(input) < 0) path.push_back({input, 0});
        continue;
      }
      Emit(top.id);
      path.pop_back();
    }
  }

  void Emit(ValueId id) {
    const Node& node = graph_.node(id);
    number_[static_cast<std::size_t>(id)] = next_++;
    writer_.Number(static_cast<std::uint8_t>(node.op.index()));
    std::visit(writer_, node.op);
    if (const auto* weight = node.As<WeightOp>()) {
      writer_.Number(SlotOf(weight->name));
      if (weight_names_ == WeightNames::kIncluded) writer_.Text(weight->name);
    }
    writer_.Number<std::uint32_t>(static_cast<std::uint32_t>(node.inputs.size()));
    for (const ValueId input : node.inputs) writer_.Number(NumberOf(input));
  }

  std::int32_t SlotOf(const std::string& name) {
    const auto [at, fresh] = slots_.try_emplace(name, static_cast<std::int32_t>(form_.names.size()));
    if (fresh) form_.names.push_back(name);
    return at->second;
  }

  const Graph& graph_;
  WeightNames weight_names_;
  CanonicalForm form_;
  TextWriter writer_;
  std::vector<std::int32_t> number_;  // by value; -1: not met yet
  std::int32_t next_ = 0;
  std::map<std::string, std::int32_t> slots_;
};

std::uint64_t Mixed(std::uint64_t x) {  // the finaliser of SplitMix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

CanonicalForm Canonical(const Graph& graph, WeightNames weight_names) {
  return Canonicaliser(graph, weight_names).Run();
}

Hash128 HashOf(std::string_view bytes) {
  Hash128 hash{0x9e3779b97f4a7c15u ^ bytes.size(), 0xd1b54a32d192ed03u + bytes.size()};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    hash.high = Mixed(hash.high ^ word);
    hash.low = Mixed(hash.low + word * 0xff51afd7ed558ccdu) + hash.high;
  }
  return {Mixed(hash.high), Mixed(hash.low)};
}

}  // namespace ringway::engine
