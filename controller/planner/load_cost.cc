#include "controller/planner/load_cost.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {
namespace {

// Relative standard error that the prior is taken to have: fleets rarely differ more from their data sheet.
constexpr double kPriorError = 0.25;
// A sample counts fully from this share of the threshold's traffic on, and by its square below.
constexpr double kTellingShare = 0.5;
// Samples that scatter by less than this move the estimate with the full weight.
constexpr double kCalmScatter = 0.03;

}  // namespace

double LoadCostPrior(const Tier& tier, RegionId region) {
  const int workers = tier.regions.contains(region) ? tier.regions[region].workers : 0;
  return workers > 0 ? absl::ToDoubleSeconds(tier.service_mean) / workers : 0;
}

LoadCost::LoadCost(double prior, const Tier& tier)
    : prior_(prior),
      guard_(tier.guard),
      service_mean_s_(absl::ToDoubleSeconds(tier.service_mean)),
      telling_rps_(kTellingShare * tier.route.overload_threshold / prior),
      lagged_rps_(tier.service_mean),
      value_(prior),
      variance_(std::pow(kPriorError * prior, 2)),
      scatter_(guard_.cost_ewma) {}

void LoadCost::Add(absl::Time at, const Sample& seen) {
  const double rps = lagged_rps_.Advance(at, seen.started_rps);
  if (seen.load >= guard_.saturated_load * seen.alive_share) {
    if (seen.held_mean_s > 0) Learn(prior_ * seen.held_mean_s / service_mean_s_, guard_.cost_ewma);
    return;
  }
  if (rps <= 0) return;
  const double telling = std::min(1.0, rps / telling_rps_);
  const double sample = Allowed((seen.load - seen.background_load) / rps);
  Learn(sample, guard_.cost_ewma * telling * telling * Calmness(sample));
}

void LoadCost::Learn(double cost, double weight) {
  const double surprise = Allowed(cost) - value_;
  value_ += weight * surprise;
  variance_ = (1 - weight) * (variance_ + weight * surprise * surprise);
  prior_weight_ *= 1 - weight;
}

double LoadCost::Allowed(double cost) const {
  return std::clamp(cost, guard_.cost_clamp_low * prior_, guard_.cost_clamp_high * prior_);
}

LoadCost::Learnt LoadCost::learnt() const {
  return {.value = value_,
          .variance = variance_,
          .prior_weight = prior_weight_,
          .lagged_rps = lagged_rps_.value(),
          .lagged_at = lagged_rps_.at(),
          .scatter = scatter_.value(),
          .scatter_primed = scatter_.primed(),
          .last_sample = last_sample_};
}

void LoadCost::Restore(const Learnt& learnt) {
  value_ = Allowed(learnt.value);
  variance_ = learnt.variance;
  prior_weight_ = learnt.prior_weight;
  if (learnt.lagged_at != absl::InfinitePast()) lagged_rps_.Advance(learnt.lagged_at, learnt.lagged_rps);
  if (learnt.scatter_primed) scatter_.Reset(learnt.scatter);
  last_sample_ = learnt.last_sample;
}

// 1 where successive samples agree, falling with their scatter.
double LoadCost::Calmness(double sample) {
  if (last_sample_ > 0) scatter_.Add(std::pow(sample - last_sample_, 2) / 2);
  last_sample_ = sample;
  const double scatter = std::sqrt(scatter_.value()) / value_;
  return scatter > kCalmScatter ? kCalmScatter / scatter : 1;
}

double LoadCost::StandardError() const {
  // Of an exponentially weighted mean of independent samples, with the prior as one more.
  const double mean_share = guard_.cost_ewma / (2 - guard_.cost_ewma);
  const double prior_part = prior_weight_ * kPriorError * prior_;
  return std::sqrt(variance_ * mean_share + prior_part * prior_part);
}

double LoadCost::low() const {
  return std::max(guard_.cost_clamp_low * prior_, value_ - 2 * StandardError());
}

double LoadCost::high() const {
  return std::min(guard_.cost_clamp_high * prior_, value_ + 2 * StandardError());
}

}  // namespace ringway::planner
