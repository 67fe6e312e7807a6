#include "router/dispatch/service_estimate.h"

#include <algorithm>
#include <cmath>

namespace ringway::dispatch {
namespace {

// Zero: the job does not tell.
double WorkOf(const CostHint& cost) {
  return static_cast<double>(cost.steps) * static_cast<double>(cost.pixels) *
         std::max(1.0, 1.0 * cost.frames);
}

}  // namespace

ServiceEstimate::ServiceEstimate(Duration prior) : prior_(prior), mean_s_(ToDoubleSeconds(prior)) {
  Settle();
}

double ServiceEstimate::Bounded(double seconds) const {
  const double prior_s = ToDoubleSeconds(prior_);
  return std::clamp(seconds, prior_s / kSpread, prior_s * kSpread);
}

void ServiceEstimate::Reconfigure(Duration prior) {
  prior_ = prior;
  mean_s_ = Bounded(mean_s_);
  Settle();
}

void ServiceEstimate::Settle() {
  const double variance = std::log1p(scatter_);
  reach_ = std::max(1.0, std::exp(kThreeInFour * std::sqrt(variance) - variance / 2));
  mean_ = Seconds(mean_s_);
  mean_within_ = Seconds(mean_s_ * reach_);
}

void ServiceEstimate::Learn(const CostHint& cost, Duration service) {
  const double service_s = static_cast<double>(ToInt64Nanoseconds(service)) * 1e-9;
  if (!(service_s > 0)) return;
  const double error = std::min(service_s / ExpectS(cost), kSpread) - 1;
  scatter_ += kWeight * (error * error - scatter_);
  mean_s_ = Bounded(mean_s_ + kWeight * (service_s - mean_s_));
  Settle();
  const double work = WorkOf(cost);
  if (work <= 0) return;
  if (work_mean_ <= 0) {
    work_mean_ = work;
    work_s_ = service_s;
    return;
  }
  work_mean_ += kWeight * (work - work_mean_);
  work_s_ += kWeight * (service_s - work_s_);
}

double ServiceEstimate::ExpectS(const CostHint& cost) const {
  const double work = WorkOf(cost);
  if (work <= 0 || work_mean_ <= 0) return mean_s_;
  return Bounded(work_s_ * work / work_mean_);
}

}  // namespace ringway::dispatch
