#include "controller/planner/demand.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {

Demand::Verdict Demand::Add(double rps) {
  if (!std::isfinite(rps) || rps < 0) return Verdict::kNotNumber;
  const double believable = jump_max_ * std::max(smoothed_.value(), floor_rps_);
  if (!smoothed_.primed() || rps <= believable) {
    doubted_ = 0;
    smoothed_.Add(rps);
    return Verdict::kTaken;
  }
  if (++doubted_ < confirmations_) return Verdict::kDoubted;
  doubted_ = 0;
  smoothed_.Reset(rps);
  return Verdict::kBelieved;
}

}  // namespace ringway::planner
