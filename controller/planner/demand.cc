#include "controller/planner/demand.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {

void Demand::Take(double rps) {
  if (!smoothed_.primed()) return smoothed_.Add(rps);
  // The second report is compared with what was believed before the first.
  if (stepped_ == 0) before_step_ = smoothed_.value();
  const double change = rps - before_step_;
  const double noise = std::max(step_ * before_step_, 3 * std::sqrt(before_step_));
  const int stepped = std::abs(change) <= noise ? 0 : change > 0 ? 1 : -1;
  if (stepped != 0 && stepped == stepped_) {
    smoothed_.Reset(rps);
    stepped_ = 0;
    return;
  }
  smoothed_.Add(rps);
  stepped_ = stepped;
}

Demand::Verdict Demand::Add(double rps) {
  if (!std::isfinite(rps) || rps < 0) return Verdict::kNotNumber;
  const double believable = jump_max_ * std::max(smoothed_.value(), floor_rps_);
  if (!smoothed_.primed() || rps <= believable) {
    doubted_ = 0;
    Take(rps);
    return Verdict::kTaken;
  }
  if (++doubted_ < confirmations_) return Verdict::kDoubted;
  doubted_ = 0;
  smoothed_.Reset(rps);
  return Verdict::kBelieved;
}

}  // namespace ringway::planner
