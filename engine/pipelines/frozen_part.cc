#include "engine/pipelines/frozen_part.h"

#include <algorithm>

namespace ringway::engine {

absl::Status FrozenPart::Prepare(const PipelineContext& context, const PartSize& wanted,
                                 std::initializer_list<std::string_view> others, const Build& build,
                                 const AdapterChoices& adapters) {
  if (plan_ != nullptr && made_for_ == wanted) return Rebind(context, adapters);
  context.open->plans().GiveBack(std::move(plan_));
  const auto is_others = [&](std::string_view name) {
    return std::any_of(others.begin(), others.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
  };
  absl::StatusOr<std::unique_ptr<Plan>> plan = FreezeComponent(
      ComponentOf(context), context, context.passes(), /*whole=*/true, build, is_others, adapters);
  if (!plan.ok()) return plan.status();
  plan_ = *std::move(plan);
  made_for_ = wanted;
  adapters_ = adapters.key;
  return absl::OkStatus();
}

absl::Status FrozenPart::Rebind(const PipelineContext& context, const AdapterChoices& adapters) {
  if (adapters_ == adapters.key) return absl::OkStatus();
  const absl::StatusOr<ComponentWeights> weights = context.open->WeightsOf(ComponentOf(context));
  if (!weights.ok()) return weights.status();
  auto set = context.open->overlays().SetOf(name_, *weights, adapters);
  if (!set.ok()) return set.status();
  const std::vector<std::string> names(plan_->names().begin(), plan_->names().end());
  if (absl::Status status = plan_->Bind(*std::move(set), names); !status.ok()) return status;
  adapters_ = adapters.key;
  return absl::OkStatus();
}

}  // namespace ringway::engine
