#include "engine/pipelines/pipeline.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"

namespace ringway::engine {
namespace {

// Buffers that old exports stored beside the weights: they hold 0, 1, 2 ...
bool IsCounter(std::string_view tensor) { return tensor.ends_with("position_ids"); }

}  // namespace

absl::StatusOr<Component> NeedComponent(const ModelDirectory& model, std::string_view name,
                                        std::string_view class_name) {
  const Component* component = model.Find(name);
  if (component == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(model.root.string(), ": model_index.json lists no \"", AbslView(name), "\""));
  if (component->class_name != class_name)
    return absl::InvalidArgumentError(absl::StrCat(model.root.string(), ": \"", AbslView(name), "\" is a ",
                                                   component->class_name,
                                                   "; allowed: ", AbslView(class_name)));
  return *component;
}

absl::StatusOr<ComponentWeights> OpenModel::WeightsOf(const Component& component) {
  if (const auto at = weights_.find(component.directory); at != weights_.end()) return at->second;
  const bool of_the_model = component.name != kControlName && component.name != kTinyName;
  absl::StatusOr<Weights> stored =
      opener_ && of_the_model ? opener_(component) : Weights::OpenComponent(component.directory);
  if (!stored.ok()) return stored.status();
  const auto source = std::make_shared<StoredWeights>(*std::move(stored));
  return weights_[component.directory] = {source, std::make_shared<WeightSet>(source, cache_)};
}

std::size_t OpenModel::packed_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [directory, weights] : weights_) bytes += weights.set->packed_bytes();
  return bytes;
}

std::size_t OpenModel::derived_weights() const {
  std::size_t derived = 0;
  for (const auto& [directory, weights] : weights_) derived += weights.set->derived_weights();
  return derived;
}

absl::Status RefuseUntaken(const Component& component, const Weights& weights,
                           const std::function<bool(std::string_view)>& others) {
  for (const std::string& name : weights.Untaken())
    if (!IsCounter(name) && !(others && others(name)))
      return absl::InvalidArgumentError(absl::StrCat(component.directory.string(), ": holds \"", name,
                                                     "\", which a ", component.class_name,
                                                     " of its configuration does not have"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Plan>> FreezeComponent(const Component& component,
                                                      const PipelineContext& context,
                                                      const PassOptions& passes, bool whole,
                                                      const std::function<Graph(WeightSource&)>& build,
                                                      const std::function<bool(std::string_view)>& others,
                                                      const AdapterChoices& adapters) {
  const absl::StatusOr<ComponentWeights> weights = context.open->WeightsOf(component);
  if (!weights.ok()) return weights.status();
  const Graph graph = build(*weights->source);
  if (!graph.status().ok()) return graph.status();
  if (whole)
    if (absl::Status all = RefuseUntaken(component, weights->source->stored(), others); !all.ok()) return all;
  auto set = context.open->overlays().SetOf(component.name, *weights, adapters);
  if (!set.ok()) return set.status();
  return context.open->plans().Take(graph, passes, *std::move(set));
}

}  // namespace ringway::engine
