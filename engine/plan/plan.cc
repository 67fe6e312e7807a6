#include "engine/plan/plan.h"

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/plan/memory_plan.h"

namespace ringway::engine {

// Lives only while a plan is being frozen: what is known of each value, then of each lifetime.
class PlanFreezer {
 public:
  PlanFreezer(const Graph& graph, const Backend& backend, Plan& plan)
      : graph_(graph), backend_(backend), plan_(plan), views_(graph.nodes().size()) {}

  absl::Status Freeze() {
    FindViews();
    if (absl::Status status = PrepareKernels(); !status.ok()) return status;
    PlaceValues();
    BindKernels();
    return absl::OkStatus();
  }

 private:
  // A value as bytes: those of another value (for reshapes and slices), an offset into it, and its row
  // stride.
  struct View {
    ValueId base = kAbsent;
    std::size_t offset = 0;
    std::int64_t row_stride = 0;
  };
  struct PendingStep {
    ValueId node = kAbsent;
    std::size_t workspace = 0;  // index of its lifetime, if it needs one
    bool has_workspace = false;
  };

  static bool IsView(const Node& node) {
    return std::holds_alternative<ReshapeOp>(node.op) || std::holds_alternative<SliceOp>(node.op);
  }

  void FindViews() {
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      View& view = views_[static_cast<std::size_t>(id)];
      const std::int64_t channels = node.shape.rank() == 0 ? 1 : node.shape.dim(-1);
      view = {id, 0, channels};
      if (!IsView(node)) continue;
      const View& source = ViewOf(node.input(0));
      view.base = source.base;
      view.offset = source.offset;
      const std::int64_t source_channels = graph_.shape(node.input(0)).dim(-1);
      if (const auto* slice = node.As<SliceOp>()) {
        view.offset += static_cast<std::size_t>(slice->begin) * SizeOf(node.dtype);
        view.row_stride = source.row_stride;
      } else if (source.row_stride != source_channels) {
        RINGWAY_CHECK(channels == source_channels);  // MergeProjections slices only what is reshaped by rows
        view.row_stride = source.row_stride;
      }
    }
  }
  const View& ViewOf(ValueId id) const { return views_[static_cast<std::size_t>(id)]; }

  Operand OperandOf(ValueId id) const {
    if (id == kAbsent) return {};
    const Node& node = graph_.node(id);
    return {true, node.shape, node.dtype, ViewOf(id).row_stride, graph_.ConstantOf(id)};
  }

  absl::Status PrepareKernels() {
    lifetime_of_.assign(graph_.nodes().size(), -1);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      if (std::holds_alternative<ConstantOp>(node.op) || IsView(node)) continue;
      const int step = static_cast<int>(pending_.size());
      if (std::holds_alternative<InputOp>(node.op)) {
        StartLife(id, 0);
        continue;
      }
      StartLife(id, step);
      if (absl::Status status = PrepareStep(id, step); !status.ok()) return status;
    }
    const int last = std::max<int>(static_cast<int>(pending_.size()) - 1, 0);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id)
      if (std::holds_alternative<InputOp>(graph_.node(id).op)) ExtendLife(id, last);
    for (const GraphOutput& output : graph_.outputs()) ExtendLife(output.value, last);
    return absl::OkStatus();
  }

  absl::Status PrepareStep(ValueId id, int step) {
    const Node& node = graph_.node(id);
    std::vector<Operand> operands;
    for (const ValueId input : node.inputs) {
      operands.push_back(OperandOf(input));
      if (input != kAbsent) ExtendLife(input, step);
    }
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = backend_.Prepare(node.op, operands, OperandOf(id));
    if (!kernel.ok())
      return absl::Status(kernel.status().code(), absl::StrCat(node.label, ": ", kernel.status().message()));
    PendingStep pending{id};
    if (const std::size_t bytes = (*kernel)->workspace_bytes(); bytes > 0) {
      pending.workspace = lifetimes_.size();
      pending.has_workspace = true;
      lifetimes_.push_back({bytes, step, step});
    }
    pending_.push_back(pending);
    plan_.steps_.push_back(
        {*std::move(kernel), OpName(node.op), node.label, FloatingPointOperations(graph_, node)});
    return absl::OkStatus();
  }

  void StartLife(ValueId id, int step) {
    lifetime_of_[static_cast<std::size_t>(id)] = static_cast<int>(lifetimes_.size());
    const Node& node = graph_.node(id);
    lifetimes_.push_back({static_cast<std::size_t>(node.shape.elements()) * SizeOf(node.dtype), step, step});
  }
  void ExtendLife(ValueId id, int step) {
    const int lifetime = lifetime_of_[static_cast<std::size_t>(ViewOf(id).base)];
    if (lifetime < 0) return;  // a constant
    Lifetime& life = lifetimes_[static_cast<std::size_t>(lifetime)];
    life.last_step = std::max(life.last_step, step);
  }

  void PlaceValues() {
    memory_ = PlanMemory(lifetimes_);
    plan_.arena_ = std::make_unique<Arena>(memory_.total_bytes);
    plan_.report_ = {plan_.steps_.size(), memory_.total_bytes, memory_.bound_bytes, 0};
    for (const Plan::Step& step : plan_.steps_) plan_.report_.flops += step.flops;
  }

  std::byte* AddressOf(ValueId id) {
    if (id == kAbsent) return nullptr;
    const View& view = ViewOf(id);
    if (const Tensor* constant = graph_.ConstantOf(view.base)) {
      plan_.constants_.push_back(*constant);
      return plan_.constants_.back().bytes() + view.offset;
    }
    const auto lifetime = static_cast<std::size_t>(lifetime_of_[static_cast<std::size_t>(view.base)]);
    return plan_.arena_->At(memory_.offsets[lifetime], lifetimes_[lifetime].bytes) + view.offset;
  }

  void BindKernels() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const Node& node = graph_.node(pending_[i].node);
      std::vector<std::byte*> inputs;
      const bool takes_weights =
          std::holds_alternative<ConvOp>(node.op) || std::holds_alternative<LinearOp>(node.op);
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        const bool packed =
            takes_weights && (k == 1 || k == 2) && graph_.ConstantOf(node.inputs[k]) != nullptr;
        inputs.push_back(packed ? nullptr : AddressOf(node.inputs[k]));
      }
      std::byte* workspace = nullptr;
      if (pending_[i].has_workspace)
        workspace =
            plan_.arena_->At(memory_.offsets[pending_[i].workspace], lifetimes_[pending_[i].workspace].bytes);
      plan_.steps_[i].kernel->Bind(inputs, AddressOf(pending_[i].node), workspace);
    }
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id)
      if (const auto* input = graph_.node(id).As<InputOp>())
        plan_.inputs_[input->name] = {graph_.node(id).shape, graph_.node(id).dtype, AddressOf(id)};
    for (const GraphOutput& output : graph_.outputs())
      plan_.outputs_[output.name] = {graph_.shape(output.value), graph_.node(output.value).dtype,
                                     AddressOf(output.value)};
  }

  const Graph& graph_;
  const Backend& backend_;
  Plan& plan_;
  std::vector<View> views_;
  std::vector<int> lifetime_of_;  // by value; -1: has none (a constant, a view)
  std::vector<Lifetime> lifetimes_;
  std::vector<PendingStep> pending_;
  MemoryPlan memory_;
};

absl::StatusOr<std::unique_ptr<Plan>> Plan::Freeze(const Graph& graph, const PassOptions& options,
                                                   const Backend& backend) {
  const absl::StatusOr<Graph> optimised = Optimise(graph, options, backend);
  if (!optimised.ok()) return optimised.status();
  backend.Enter();
  std::unique_ptr<Plan> plan(new Plan(backend));
  if (absl::Status status = PlanFreezer(*optimised, backend, *plan).Freeze(); !status.ok()) return status;
  return plan;
}

namespace {

template <typename T, typename Ports>
std::span<T> ElementsOf(const Ports& ports, std::string_view name) {
  const auto at = ports.find(name);
  if (at == ports.end() || at->second.dtype != DTypeOf<std::remove_const_t<T>>::value) return {};
  return {reinterpret_cast<T*>(at->second.bytes), static_cast<std::size_t>(at->second.shape.elements())};
}

}  // namespace

std::span<float> Plan::Input(std::string_view name) { return ElementsOf<float>(inputs_, name); }
std::span<std::int32_t> Plan::IntegerInput(std::string_view name) {
  return ElementsOf<std::int32_t>(inputs_, name);
}
std::span<const float> Plan::Output(std::string_view name) const {
  return ElementsOf<const float>(outputs_, name);
}

const Shape& Plan::OutputShape(std::string_view name) const {
  const auto at = outputs_.find(name);
  RINGWAY_CHECK(at != outputs_.end());
  return at->second.shape;
}

void Plan::Run() {
  backend_.Enter();
  for (Step& step : steps_) step.kernel->Run();
}

std::vector<Plan::StepTime> Plan::Profile(int rounds) {
  backend_.Enter();
  std::vector<StepTime> times;
  for (const Step& step : steps_) times.push_back({step.op, step.label, 1e9, step.flops});
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      steps_[i].kernel->Run();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      times[i].seconds = std::min(times[i].seconds, taken.count());
    }
  }
  return times;
}

}  // namespace ringway::engine
