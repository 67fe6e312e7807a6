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
  PlanFreezer(const Graph& graph, bool fold, const Backend& backend, Plan& plan)
      : graph_(graph), fold_(fold), backend_(backend), plan_(plan), views_(graph.nodes().size()) {}

  absl::Status Freeze() {
    FindOnce();
    FindViews();
    if (absl::Status status = PrepareKernels(); !status.ok()) return status;
    PlaceValues();
    plan_.arena_ = std::make_unique<Arena>(memory_.total_bytes);
    PlaceOperands();
    return absl::OkStatus();
  }

  // The report alone.
  absl::Status Measure() {
    FindOnce();
    FindViews();
    if (absl::Status status = PrepareKernels(); !status.ok()) return status;
    PlaceValues();
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

  // What is made when weights are bound and not at every run: all that is fixed, or, without folding, only
  // what is moved or rounded, which products need.
  void FindOnce() {
    once_.resize(graph_.nodes().size());
    for (std::size_t i = 0; i < once_.size(); ++i) {
      const Node& node = graph_.nodes()[i];
      const bool moves = std::holds_alternative<WeightOp>(node.op) ||
                         std::holds_alternative<ConstantOp>(node.op) ||
                         std::holds_alternative<CastOp>(node.op) ||
                         std::holds_alternative<ConcatOp>(node.op) || IsView(node);
      once_[i] = node.fixed && (fold_ || moves);
      for (const ValueId input : node.inputs) once_[i] = once_[i] && IsOnce(input);
    }
  }
  bool IsOnce(ValueId id) const { return id == kAbsent || once_[static_cast<std::size_t>(id)]; }

  void FindViews() {
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      View& view = views_[static_cast<std::size_t>(id)];
      const std::int64_t channels = node.shape.rank() == 0 ? 1 : node.shape.dim(-1);
      view = {id, 0, channels};
      if (!IsView(node) || IsOnce(id)) continue;
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
    return {true, node.shape, node.dtype, ViewOf(id).row_stride, IsOnce(id)};
  }

  absl::Status PrepareKernels() {
    lifetime_of_.assign(graph_.nodes().size(), -1);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      if (IsOnce(id) || IsView(node)) continue;
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
    if (lifetime < 0) return;  // a weight
    Lifetime& life = lifetimes_[static_cast<std::size_t>(lifetime)];
    life.last_step = std::max(life.last_step, step);
  }

  void PlaceValues() {
    memory_ = PlanMemory(lifetimes_);
    plan_.report_ = {plan_.steps_.size(), memory_.total_bytes, memory_.bound_bytes, 0};
    for (const Plan::Step& step : plan_.steps_) plan_.report_.flops += step.flops;
  }

  std::byte* AddressOf(ValueId id) {
    const View& view = ViewOf(id);
    const auto lifetime = static_cast<std::size_t>(lifetime_of_[static_cast<std::size_t>(view.base)]);
    return plan_.arena_->At(memory_.offsets[lifetime], lifetimes_[lifetime].bytes) + view.offset;
  }
  Plan::Place PlaceOf(ValueId id, const std::optional<WeightForm>& form) {
    if (id == kAbsent) return {};
    if (!IsOnce(id)) return {AddressOf(id), -1};
    DerivedWeight weight = DerivedFrom(graph_, id, form.value_or(WeightForm{graph_.node(id).dtype}));
    const auto [at, fresh] = weights_.try_emplace(weight.key, static_cast<int>(plan_.weights_.size()));
    if (fresh) plan_.weights_.push_back(std::move(weight));
    return {nullptr, at->second};
  }

  void PlaceOperands() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const Node& node = graph_.node(pending_[i].node);
      Plan::Step& step = plan_.steps_[i];
      for (std::size_t k = 0; k < node.inputs.size(); ++k)
        step.inputs.push_back(PlaceOf(node.inputs[k], step.kernel->FormOf(k)));
      step.output = AddressOf(pending_[i].node);
      if (pending_[i].has_workspace)
        step.workspace =
            plan_.arena_->At(memory_.offsets[pending_[i].workspace], lifetimes_[pending_[i].workspace].bytes);
    }
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.nodes().size()); ++id)
      if (const auto* input = graph_.node(id).As<InputOp>())
        plan_.inputs_[input->name] = {input->shape, input->dtype, {AddressOf(id), -1}};
    for (const GraphOutput& output : graph_.outputs())
      plan_.outputs_[output.name] = {graph_.shape(output.value), graph_.node(output.value).dtype,
                                     PlaceOf(output.value, std::nullopt)};
  }

  const Graph& graph_;
  bool fold_;
  const Backend& backend_;
  Plan& plan_;
  std::vector<bool> once_;
  std::map<std::string, int> weights_;  // by key: their place in the plan's list
  std::vector<View> views_;
  std::vector<int> lifetime_of_;  // by value; -1: has none (a weight, a view)
  std::vector<Lifetime> lifetimes_;
  std::vector<PendingStep> pending_;
  MemoryPlan memory_;
};

Hash128 PlanKey(const CanonicalForm& graph, const PassOptions& options, const Backend& backend) {
  // All options by name, so that one which is added does not compile until it is part of the key.
  const auto& [precision, quantisation, wide_sums, fold_constants, hoist_expansion, merge_projections, fuse] =
      options;
  return HashOf(absl::StrCat(graph.text, "|", static_cast<int>(precision), static_cast<int>(quantisation),
                             wide_sums, fold_constants, hoist_expansion, merge_projections, fuse, "|",
                             backend.Fingerprint(), "|", kEngineVersion));
}

absl::StatusOr<std::unique_ptr<Plan>> Plan::Freeze(const Graph& graph, const PassOptions& options,
                                                   const Backend& backend,
                                                   std::shared_ptr<WeightSet> weights) {
  const absl::StatusOr<Graph> optimised = Optimise(graph, options);
  if (!optimised.ok()) return optimised.status();
  backend.Enter();
  std::unique_ptr<Plan> plan(new Plan(backend));
  PlanFreezer freezer(*optimised, options.fold_constants, backend, *plan);
  if (absl::Status status = freezer.Freeze(); !status.ok()) return status;
  CanonicalForm form = Canonical(graph, WeightNames::kLeftOut);
  plan->key_ = PlanKey(form, options, backend);
  plan->names_ = std::move(form.names);
  if (weights == nullptr) weights = std::make_shared<WeightSet>();
  const std::vector<std::string> names = plan->names_;
  if (absl::Status status = plan->Bind(std::move(weights), names); !status.ok()) return status;
  return plan;
}

absl::StatusOr<std::unique_ptr<Plan>> Plan::Freeze(const Graph& graph, const PassOptions& options,
                                                   const Backend& backend, const WeightSource& weights) {
  const auto set = std::make_shared<WeightSet>(
      std::shared_ptr<const WeightSource>(std::shared_ptr<void>(), &weights));  // lent
  absl::StatusOr<std::unique_ptr<Plan>> plan = Freeze(graph, options, backend, set);
  set->Close();
  return plan;
}

absl::StatusOr<std::size_t> Plan::ArenaBytes(const Graph& graph, const PassOptions& options,
                                             const Backend& backend) {
  const absl::StatusOr<Graph> optimised = Optimise(graph, options);
  if (!optimised.ok()) return optimised.status();
  Plan plan(backend);
  PlanFreezer freezer(*optimised, options.fold_constants, backend, plan);
  if (absl::Status status = freezer.Measure(); !status.ok()) return status;
  return plan.report_.arena_bytes;
}

absl::Status Plan::Bind(std::shared_ptr<WeightSet> weights, std::span<const std::string> names) {
  if (names.size() != names_.size())
    return absl::InvalidArgumentError(absl::StrCat("the plan has ", names_.size(), " weights, and ",
                                                   names.size(), " were named: another structure"));
  std::vector<DerivedWeight> renamed;
  const bool other_names = !std::equal(names.begin(), names.end(), names_.begin());
  if (other_names) {
    std::map<std::string, std::string> new_names;
    for (std::size_t slot = 0; slot < names.size(); ++slot) new_names[names_[slot]] = names[slot];
    for (const DerivedWeight& weight : weights_) renamed.push_back(Renamed(weight, new_names));
  }
  const std::vector<DerivedWeight>& wanted = other_names ? renamed : weights_;
  absl::StatusOr<std::vector<const std::byte*>> addresses = weights->Get(wanted, backend_);
  if (!addresses.ok()) return addresses.status();
  // From here on nothing fails.
  if (other_names) {
    weights_ = std::move(renamed);
    names_.assign(names.begin(), names.end());
  }
  addresses_ = *std::move(addresses);
  set_ = std::move(weights);
  for (const Step& step : steps_) {
    std::vector<std::byte*> inputs;
    for (const Place& place : step.inputs) inputs.push_back(AddressOf(place));
    step.kernel->Bind(inputs, step.output, step.workspace);
  }
  return absl::OkStatus();
}

// Kernels do not write to their inputs.
std::byte* Plan::AddressOf(const Place& place) const {
  return place.weight < 0 ? place.bytes
                          : const_cast<std::byte*>(addresses_[static_cast<std::size_t>(place.weight)]);
}

template <typename T, typename Ports>
std::span<T> Plan::ElementsOf(const Ports& ports, std::string_view name) const {
  const auto at = ports.find(name);
  if (at == ports.end() || at->second.dtype != DTypeOf<std::remove_const_t<T>>::value) return {};
  return {reinterpret_cast<T*>(AddressOf(at->second.place)),
          static_cast<std::size_t>(at->second.shape.elements())};
}

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
