#include "controller/planner/load_cost.h"

#include <algorithm>
#include <cmath>

#include "core/finite.h"

namespace ringway::planner {
namespace {

// A fleet rarely differs by more than a quarter from its data sheet: that is the error of 16 events.
constexpr double kPriorEvents = 16;
// Busy time this near to all that there is repeats itself in a healthy region that is full.
constexpr double kAllBusy = 0.999;

}  // namespace

double LoadCostPrior(const Tier& tier, RegionId region) {
  const int workers = tier.regions.contains(region) ? tier.regions[region].workers : 0;
  return workers > 0 ? ToDoubleSeconds(tier.service_mean) / workers : 0;
}

LoadCost::LoadCost(double prior, const Tier& tier)
    : prior_(prior),
      service_mean_s_(ToDoubleSeconds(tier.service_mean)),
      clamp_low_(tier.guard.cost_clamp_low),
      clamp_high_(tier.guard.cost_clamp_high),
      speed_({.refuted_at = tier.guard.refuted_at,
              .dispersed = false,
              .prior_events = kPriorEvents,
              .prior_rate = 1 / service_mean_s_}) {}

void LoadCost::Add(const Worked& worked) {
  if (!IsFiniteNonNegative(worked.ended) || !IsFiniteNonNegative(worked.busy_s) || worked.busy_s <= 0) return;
  // Without a job that ended nothing need have changed; with one, some worker was idle for a moment.
  const bool all_busy = worked.busy_s >= kAllBusy * worked.alive * worked.seconds;
  if (worked.busy_s != busy_s_ || all_busy) {
    repeats_ = 0;
  } else if (worked.ended > 0) {
    ++repeats_;
  }
  busy_s_ = worked.busy_s;
  if (frozen()) return;
  speed_.Add(worked.seconds, worked.ended, worked.busy_s);
}

double LoadCost::CostOf(double speed) const {
  return speed > 0 ? prior_ / (service_mean_s_ * speed) : clamp_high_ * prior_;
}

double LoadCost::Allowed(double cost) const {
  return std::clamp(cost, clamp_low_ * prior_, clamp_high_ * prior_);
}

void LoadCost::Restore(const Learnt& learnt) {
  speed_.Restore(learnt.speed);
  busy_s_ = learnt.busy_s;
  repeats_ = learnt.repeats;
}

double LoadCost::low() const { return Allowed(CostOf(speed_.rate() + 2 * speed_.StandardError())); }

double LoadCost::high() const {
  return Allowed(CostOf(std::max(0.0, speed_.rate() - 2 * speed_.StandardError())));
}

}  // namespace ringway::planner
