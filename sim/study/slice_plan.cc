#include "sim/study/slice_plan.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "absl/strings/str_format.h"
#include "sim/report/step_text.h"
#include "sim/step_times.h"
#include "sim/study/days.h"

namespace ringway::sim {
namespace {

constexpr double kServiceTimes = 20;
// Load costs are averages over about twenty epochs (controller/planner/); three times that leaves 5 %.
constexpr double kEpochs = 60;
constexpr double kSettleS = 15;  // a new controller hears its routers (controller/settings.h)

// A fleet in which it is in force has something that cannot be had without having lived through its begin.
bool KeepsState(const Fault& fault) {
  if (const auto* load = std::get_if<LoadTopology>(&fault)) return load->fleet->canary.has_value();
  return std::holds_alternative<KillController>(fault) || std::holds_alternative<KillLeaders>(fault) ||
         std::holds_alternative<Partition>(fault) || std::holds_alternative<FreezeMetrics>(fault) ||
         std::holds_alternative<StallWorkers>(fault) || std::holds_alternative<PauseRouters>(fault) ||
         std::holds_alternative<LoseWrites>(fault);
}

// The oldest such fault that is in force; null: none.
std::optional<StepMoment> Kept(const Scenario& scenario, double at_s) {
  const StepsAt steps = StepsAround(scenario, static_cast<std::int64_t>(at_s * 1e9));
  for (const StepMoment& moment : steps.replay) {
    if (!moment.begins || !KeepsState(scenario.steps[moment.step].fault)) continue;
    const bool over = std::any_of(steps.replay.begin(), steps.replay.end(), [&](const StepMoment& other) {
      return !other.begins && other.step == moment.step && other.begun_ns == moment.begun_ns;
    });
    if (!over) return moment;
  }
  return std::nullopt;
}

absl::Status CheckUsers(const Scenario& scenario) {
  if (scenario.autoscale) {
    return absl::InvalidArgumentError(
        "--slices: found spec.autoscale; how many workers run is the outcome of all that came before, which "
        "a slice does not see; leave out --slices");
  }
  const UserSpec& users = scenario.users;
  if (users.resubmit_share > 0 || users.again_share > 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--slices: found spec.users.resubmitShare %g; who tries again, and what the jobs after that draw, "
        "depends on every answer before, which a slice does not see; leave out --slices, or set it to 0",
        std::max(users.resubmit_share, users.again_share)));
  }
  return absl::OkStatus();
}

// Where the slice starts whose window is the one from bounds[i] on.
absl::StatusOr<double> BeginsAt(const Scenario& scenario, const std::vector<double>& bounds, std::size_t i,
                                SlicePlan& plan) {
  double begins_s = std::max(0.0, bounds[i] - plan.warmup_s);
  std::optional<StepMoment> reason;
  while (begins_s > 0) {
    const std::optional<StepMoment> kept = Kept(scenario, begins_s);
    if (!kept) break;
    reason = kept;
    begins_s = std::max(0.0, std::floor(static_cast<double>(kept->begun_ns) * 1e-9 - plan.warmup_s));
  }
  if (!reason) return begins_s;
  const std::string what =
      absl::StrFormat("\"%s\" since %.0f s", TextOf(scenario.steps[reason->step].fault, *scenario.fleet),
                      static_cast<double>(reason->begun_ns) * 1e-9);
  if (begins_s < bounds[i - 1] - plan.warmup_s) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--slices: found %d, and %s where slice %d would start, at %.0f s: what the fleet knows from before "
        "that is needed, so the slice would be longer than two windows of %.0f s; give fewer slices",
        bounds.size(), what, i + 1, bounds[i] - plan.warmup_s, bounds[1]));
  }
  plan.remarks.push_back(absl::StrFormat("slice %d starts %.0f s before its window, because of %s", i + 1,
                                         bounds[i] - begins_s, what));
  return begins_s;
}

}  // namespace

double DefaultSliceWarmupS(const Scenario& scenario) {
  double warmup_s = scenario.warmup_s;
  for (const DemandSpec& demand : scenario.demand) {
    const double drawn_s = MeanServiceS(scenario.service[demand.tier].law);
    warmup_s =
        std::max(warmup_s, kServiceTimes * RecordedServiceMeanS(scenario, demand.tier).value_or(drawn_s));
  }
  if (scenario.controller) warmup_s = std::max(warmup_s, kEpochs * scenario.epoch_period_s + kSettleS);
  return std::ceil(warmup_s);
}

absl::StatusOr<SlicePlan> PlanSlices(const Scenario& scenario, std::size_t count,
                                     std::optional<double> warmup_s) {
  if (count > 1) {
    if (absl::Status s = CheckUsers(scenario); !s.ok()) return s;
  }
  SlicePlan plan;
  plan.warmup_s = std::ceil(warmup_s.value_or(DefaultSliceWarmupS(scenario)));
  const double window_s = std::floor(scenario.duration_s / static_cast<double>(count));
  if (count > 1 && window_s < std::max(1.0, plan.warmup_s)) {
    const double most = std::floor(scenario.duration_s / std::max(1.0, plan.warmup_s));
    return absl::InvalidArgumentError(absl::StrFormat(
        "--slices: found %d; their windows of %.0f s are shorter than the warm-up of %.0f s before each; "
        "allowed: at most %.0f slices of the %.0f s, or a shorter --slice-warmup",
        count, window_s, plan.warmup_s, std::max(1.0, most), scenario.duration_s));
  }
  std::vector<double> bounds;
  for (std::size_t i = 0; i < count; ++i) {
    bounds.push_back(std::floor(scenario.duration_s * static_cast<double>(i) / static_cast<double>(count)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    Slice slice;
    if (i > 0) {
      const absl::StatusOr<double> begins_s = BeginsAt(scenario, bounds, i, plan);
      if (!begins_s.ok()) return begins_s.status();
      slice.begins_s = *begins_s;
    }
    slice.from_s = bounds[i];
    if (i + 1 < count) slice.to_s = bounds[i + 1];
    plan.slices.push_back(slice);
  }
  return plan;
}

}  // namespace ringway::sim
