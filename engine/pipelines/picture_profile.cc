// Where the time of a picture goes: every plan that a request runs, operation by operation.
#include <algorithm>
#include <map>

#include "engine/pipelines/picture_pipeline.h"

namespace ringway::engine {
namespace {

void AddPlan(const std::string& part, Plan& plan, int runs, int rounds, std::vector<ProfileEntry>& entries) {
  if (runs == 0) return;
  std::map<std::string_view, ProfileEntry> by_operation;
  for (const Plan::StepTime& step : plan.Profile(rounds)) {
    ProfileEntry& entry = by_operation[step.op];
    entry.seconds += step.seconds;
    entry.flops += step.flops;
    ++entry.kernels;
  }
  const std::size_t first = entries.size();
  for (auto& [operation, entry] : by_operation) {
    entry.part = part;
    entry.operation = std::string(operation);
    entry.runs = runs;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
            [](const ProfileEntry& a, const ProfileEntry& b) { return a.seconds > b.seconds; });
}

}  // namespace

absl::StatusOr<Profile> PicturePipeline::Measure(const PictureRequest& request, int rounds) {
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  if (absl::Status status = PrepareAll(request, *order); !status.ok()) return status;
  Tell(request, *order);
  Profile profile;
  profile.width = static_cast<int>(order->width);
  profile.height = static_cast<int>(order->height);
  profile.bf16 = context_.passes().precision == DType::kBF16;
  profile.precision = context_.precision;
  const int steps = static_cast<int>(order->grid.times.size());
  profile.steps = steps;
  const int texts = order->guided() && unet_config_.guidance_channels == 0 ? 2 : 1;
  for (const auto& [part, plan] : prompts_->Plans()) AddPlan(part, *plan, texts, rounds, profile.entries);
  if (request.start)
    AddPlan("vae encoder", coder_.encoder(), LatentCoder::Tiles(coder_.encoder_tiling()), rounds,
            profile.entries);
  int controlled = 0;
  for (int step = 0; step < steps; ++step)
    controlled += controls_.Active(static_cast<double>(step) / steps, (step + 1.0) / steps);
  for (const auto& [plan, runs] : controls_.Plans(steps))
    AddPlan("control", *plan, runs, rounds, profile.entries);
  if (controlled_) AddPlan("unet, controlled", controlled_unet_.plan(), controlled, rounds, profile.entries);
  if (filming_) AddPlan("unet, motion", motion_.plan(), steps, rounds, profile.entries);
  if (plain_) AddPlan("unet", unet_.plan(), steps - controlled, rounds, profile.entries);
  AddPlan("vae decoder", coder_.decoder(), LatentCoder::Tiles(coder_.decoder_tiling()), rounds,
          profile.entries);
  return profile;
}

}  // namespace ringway::engine
