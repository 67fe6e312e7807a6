// One network of a pipeline: its plan for the size that was asked for last, bound to the weights that were.
//
// Prepare does what is missing and no more: nothing where plan and adapters are those of the last request, a
// change of weights where only the adapters are others, and otherwise a plan from those that rest
// (plan/plan_cache.h) or a new one, for which the old one is given back. What fails leaves the part without a
// plan, or with the one that it had. One thread at a time.
#ifndef RINGWAY_ENGINE_PIPELINES_FROZEN_PART_H_
#define RINGWAY_ENGINE_PIPELINES_FROZEN_PART_H_

#include <array>
#include <optional>
#include <string>

#include "engine/pipelines/pipeline.h"

namespace ringway::engine {

// What a network is built for beside its configuration: sides, whether two are drawn at once, and such.
using PartSize = std::array<std::int64_t, 3>;

class FrozenPart {
 public:
  using Build = std::function<Graph(WeightSource&)>;

  explicit FrozenPart(const char* component) : name_(component) {}
  // Of a directory beside the model's.
  explicit FrozenPart(Component component) : name_(component.name), own_(std::move(component)) {}

  // `others`: prefixes of the component's tensors that this part leaves to another one.
  absl::Status Prepare(const PipelineContext& context, const PartSize& wanted,
                       std::initializer_list<std::string_view> others, const Build& build,
                       const AdapterChoices& adapters = {});
  // After Prepare.
  Plan& plan() { return *plan_; }
  // Null where there is none.
  const Plan* made() const { return plan_.get(); }

 private:
  absl::Status Rebind(const PipelineContext& context, const AdapterChoices& adapters);

  const Component& ComponentOf(const PipelineContext& context) const {
    return own_ ? *own_ : *context.model.Find(name_);
  }

  std::string name_;
  std::optional<Component> own_;
  PartSize made_for_ = {};
  std::unique_ptr<Plan> plan_;
  std::string adapters_;  // AdapterChoices::key
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_FROZEN_PART_H_
