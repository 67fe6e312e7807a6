#include "engine/plan/derived_weight.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/graph/canonical.h"

namespace ringway::engine {
namespace {

// Of a plain weight, converted at a time: a few pages, whatever its size.
constexpr std::int64_t kChunkElements = 1 << 16;

absl::Status ReadWeight(const WeightSource* source, const WeightOp& weight, std::int64_t first,
                        std::int64_t row_elements, std::span<float> out) {
  if (source == nullptr)
    return absl::FailedPreconditionError(
        absl::StrCat("weight \"", weight.name, "\" is asked for, but the plan was frozen without weights"));
  return source->ReadRows(weight.name, first, row_elements, out);
}

// Rows of weights and tensors that lie on top of each other.
class StackedRows : public WeightRows {
 public:
  StackedRows(const Shape& shape, const WeightSource* source) : shape_(shape), source_(source) {}

  void Add(const WeightOp& weight) {
    Append({weight.shape.rank() == 0 ? 1 : weight.shape.dim(0), &weight, {}}, weight.kernel);
  }
  void Add(Tensor tensor) {
    const std::int64_t rows = tensor.shape().rank() == 0 ? 1 : tensor.shape().dim(0);
    Append({rows, nullptr, std::move(tensor)}, false);
  }
  // Whether all parts lie the same way round.
  bool uniform() const { return uniform_; }

  absl::Status Read(std::int64_t first, std::span<float> out) const override {
    const std::int64_t size = row_elements();
    for (const Part& part : parts_) {
      if (first < part.rows && !out.empty()) {
        const std::int64_t count = std::min(part.rows - first, static_cast<std::int64_t>(out.size()) / size);
        const auto here = out.first(static_cast<std::size_t>(count * size));
        if (absl::Status status = ReadPart(part, first, here); !status.ok()) return status;
        out = out.subspan(here.size());
        first += count;
      }
      first -= part.rows;
    }
    return out.empty() ? absl::OkStatus() : absl::InternalError("fewer rows than were asked for");
  }
  const Shape& shape() const override { return shape_; }
  bool taps_last() const override { return taps_last_; }

 private:
  struct Part {
    std::int64_t rows;
    const WeightOp* weight;  // or null, and a tensor
    Tensor tensor;
  };
  void Append(Part part, bool taps_last) {
    uniform_ = uniform_ && (parts_.empty() || taps_last == taps_last_);
    taps_last_ = taps_last;
    parts_.push_back(std::move(part));
  }
  absl::Status ReadPart(const Part& part, std::int64_t first, std::span<float> out) const {
    if (part.weight != nullptr) return ReadWeight(source_, *part.weight, first, row_elements(), out);
    const auto begin = static_cast<std::size_t>(first * row_elements());
    if (part.tensor.dtype() == DType::kBF16)
      std::ranges::transform(part.tensor.As<BFloat16>().subspan(begin, out.size()), out.begin(),
                             [](BFloat16 x) { return ToFloat(x); });
    else
      std::ranges::copy(part.tensor.As<float>().subspan(begin, out.size()), out.begin());
    return absl::OkStatus();
  }

  const Shape& shape_;
  const WeightSource* source_;
  std::vector<Part> parts_;
  bool taps_last_ = false, uniform_ = true;
};

absl::StatusOr<Tensor> PlainRows(DType dtype, const WeightRows& rows) {
  Tensor result(dtype, rows.shape());
  if (dtype == DType::kF32) {
    if (absl::Status status = rows.Read(0, result.As<float>()); !status.ok()) return status;
    return result;
  }
  const std::int64_t size = std::max<std::int64_t>(rows.row_elements(), 1);
  const std::int64_t at_once = std::max<std::int64_t>(kChunkElements / size, 1);
  std::vector<float> chunk(static_cast<std::size_t>(std::min(at_once, rows.rows()) * size));
  for (std::int64_t first = 0; first < rows.rows(); first += at_once) {
    const auto count = static_cast<std::size_t>(std::min(at_once, rows.rows() - first) * size);
    if (absl::Status status = rows.Read(first, std::span(chunk).first(count)); !status.ok()) return status;
    std::transform(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count),
                   result.As<BFloat16>().begin() + first * size, ToBFloat16);
  }
  return result;
}

class Deriver {
 public:
  Deriver(const Graph& program, const WeightSource* source, const Backend& backend)
      : program_(program), source_(source), backend_(backend) {}

  absl::StatusOr<Tensor> Make(ValueId value, const WeightForm& form) const {
    const Node& node = program_.node(value);
    // The form's own rounding is that of a last cast.
    const bool rounds = std::holds_alternative<CastOp>(node.op) && node.dtype == form.dtype &&
                        program_.node(node.input(0)).dtype == DType::kF32;
    StackedRows rows(node.shape, source_);
    if (!Stack(rounds ? node.input(0) : value, rows) || !rows.uniform()) return MakeWhole(value, form);
    if (rows.taps_last() && form.plain()) return MakeWhole(value, form);
    return InForm(form, rows);
  }

 private:
  absl::StatusOr<Tensor> InForm(const WeightForm& form, const WeightRows& rows) const {
    return form.plain() ? PlainRows(form.dtype, rows) : backend_.Pack(form, rows);
  }
  absl::StatusOr<Tensor> MakeWhole(ValueId value, const WeightForm& form) const {
    absl::StatusOr<Tensor> whole = Evaluate(value);
    if (!whole.ok()) return whole.status();
    if (form.plain() && form.dtype == whole->dtype()) return whole;
    StackedRows rows(program_.shape(value), source_);
    rows.Add(*std::move(whole));
    return InForm(form, rows);
  }

  // False where the value is more than names and constants on top of each other.
  bool Stack(ValueId value, StackedRows& rows) const {
    const Node& node = program_.node(value);
    if (const auto* weight = node.As<WeightOp>()) {
      rows.Add(*weight);
      return true;
    }
    if (const auto* constant = node.As<ConstantOp>()) {
      if (constant->tensor.dtype() == DType::kI32) return false;
      rows.Add(constant->tensor);
      return true;
    }
    const auto* concat = node.As<ConcatOp>();
    return concat != nullptr && concat->axis == 0 && Stack(node.input(0), rows) && Stack(node.input(1), rows);
  }

  absl::StatusOr<Tensor> Evaluate(ValueId value) const {
    const Node& node = program_.node(value);
    if (const auto* constant = node.As<ConstantOp>()) return constant->tensor;
    if (const auto* weight = node.As<WeightOp>()) return Whole(*weight);
    if (std::holds_alternative<ReshapeOp>(node.op) || std::holds_alternative<CastOp>(node.op)) {
      const absl::StatusOr<Tensor> of = Evaluate(node.input(0));
      if (!of.ok()) return of.status();
      return std::holds_alternative<CastOp>(node.op) ? of->To(node.dtype) : of->Reshaped(node.shape);
    }
    if (const auto* slice = node.As<SliceOp>()) return Sliced(node, *slice);
    return RunKernel(node);
  }

  // In a plan a slice is a view and no step, so no kernel makes it.
  absl::StatusOr<Tensor> Sliced(const Node& node, const SliceOp& slice) const {
    const absl::StatusOr<Tensor> of = Evaluate(node.input(0));
    if (!of.ok()) return of.status();
    Tensor result(node.dtype, node.shape);
    const std::size_t size = SizeOf(node.dtype), row = static_cast<std::size_t>(slice.size) * size;
    const std::size_t pitch = static_cast<std::size_t>(of->shape().dim(-1)) * size;
    const std::byte* from = of->bytes() + static_cast<std::size_t>(slice.begin) * size;
    for (std::int64_t i = 0; i < node.shape.rows(); ++i, from += pitch)
      std::copy_n(from, row, result.bytes() + static_cast<std::size_t>(i) * row);
    return result;
  }

  absl::StatusOr<Tensor> Whole(const WeightOp& weight) const {
    Tensor result(DType::kF32, weight.shape);
    StackedRows rows(weight.shape, source_);
    rows.Add(weight);
    if (absl::Status status = rows.Read(0, result.As<float>()); !status.ok()) return status;
    if (!weight.kernel) return result;
    const std::int64_t in = weight.shape.dim(-1), taps = rows.row_elements() / in;
    Tensor turned(DType::kF32, weight.shape);
    const auto from = result.As<float>();
    auto to = turned.As<float>().begin();
    for (std::int64_t o = 0; o < rows.rows(); ++o)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t i = 0; i < in; ++i)
          *to++ = from[static_cast<std::size_t>((o * in + i) * taps + tap)];
    return turned;
  }

  absl::StatusOr<Tensor> RunKernel(const Node& node) const {
    std::vector<Operand> operands;
    for (const ValueId id : node.inputs) operands.push_back(id == kAbsent ? Operand{} : OperandOf(id));
    Tensor result(node.dtype, node.shape);
    Operand output{true, node.shape, node.dtype, node.shape.rank() == 0 ? 1 : node.shape.dim(-1), false};
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = backend_.Prepare(node.op, operands, output);
    if (!kernel.ok()) return kernel.status();
    std::vector<Tensor> inputs(node.inputs.size());
    std::vector<std::byte*> addresses(node.inputs.size(), nullptr);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kAbsent) continue;
      const WeightForm plain{operands[i].dtype};
      absl::StatusOr<Tensor> input = Make(node.inputs[i], (*kernel)->FormOf(i).value_or(plain));
      if (!input.ok()) return input.status();
      inputs[i] = *std::move(input);
      addresses[i] = inputs[i].bytes();
    }
    Tensor workspace(DType::kF32, {static_cast<std::int64_t>((*kernel)->workspace_bytes() / 4 + 1)});
    (*kernel)->Bind(addresses, result.bytes(), workspace.bytes());
    backend_.Enter();
    (*kernel)->Run();
    return result;
  }
  Operand OperandOf(ValueId id) const {
    const Node& node = program_.node(id);
    return {true, node.shape, node.dtype, node.shape.rank() == 0 ? 1 : node.shape.dim(-1), true};
  }

  const Graph& program_;
  const WeightSource* source_;
  const Backend& backend_;
};

DerivedWeight WithKey(Graph program, const WeightForm& form) {
  std::string key = absl::StrCat(Canonical(program, WeightNames::kIncluded).text, form.ToString());
  return {std::move(program), form, std::move(key)};
}

// What packing refuses is of numbers, without the name of their weight.
absl::Status NamedError(const DerivedWeight& weight, const absl::Status& status) {
  for (const Node& node : weight.program.nodes())
    if (const auto* named = node.As<WeightOp>())
      return absl::InvalidArgumentError(
          absl::StrCat("weight \"", named->name, "\": ", status.message(),
                       "; lower the strength of what is added to it, or compute in bf16 or f32"));
  return status;
}

ValueId CopyInto(const Graph& from, ValueId value, Graph& to, std::map<ValueId, ValueId>& copies) {
  if (value == kAbsent) return kAbsent;
  if (const auto at = copies.find(value); at != copies.end()) return at->second;
  const Node& node = from.node(value);
  RINGWAY_CHECK(node.fixed);
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(CopyInto(from, input, to, copies));
  return copies[value] = to.Add(node.op, std::move(inputs), node.label);
}

}  // namespace

std::string WeightForm::ToString() const {
  return absl::StrCat(static_cast<int>(dtype), " ", panel_columns, " ", lanes, " ", step_channels, " ",
                      gated ? 1 : 0);
}

DerivedWeight DerivedFrom(const Graph& graph, ValueId value, const WeightForm& form) {
  Graph program;
  std::map<ValueId, ValueId> copies;
  program.Output("weight", CopyInto(graph, value, program, copies));
  return WithKey(std::move(program), form);
}

DerivedWeight Renamed(const DerivedWeight& weight, const std::map<std::string, std::string>& new_names) {
  Graph program;
  for (const Node& node : weight.program.nodes()) {  // the same list, so the same numbers
    Op op = node.op;
    if (auto* named = std::get_if<WeightOp>(&op)) named->name = new_names.at(named->name);
    program.Add(std::move(op), node.inputs, node.label);
  }
  program.Output("weight", weight.program.outputs()[0].value);
  return WithKey(std::move(program), weight.form);
}

absl::StatusOr<Tensor> Derive(const DerivedWeight& weight, const WeightSource* source,
                              const Backend& backend) {
  const ValueId value = weight.program.outputs()[0].value;
  absl::StatusOr<Tensor> made = Deriver(weight.program, source, backend).Make(value, weight.form);
  if (made.status().code() == absl::StatusCode::kOutOfRange) made = NamedError(weight, made.status());
  for (const Node& node : weight.program.nodes())
    if (const auto* named = node.As<WeightOp>(); named != nullptr && source != nullptr)
      source->Release(named->name);
  return made;
}

}  // namespace ringway::engine
