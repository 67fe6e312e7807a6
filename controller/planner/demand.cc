#include "controller/planner/demand.h"

#include <algorithm>

#include "core/finite.h"

namespace ringway::planner {
namespace {

// So many more than expected can come by chance, or as a handful of users at once.
constexpr double kFewEvents = 20;

}  // namespace

Demand::Verdict Demand::Add(double seconds, double count) {
  if (!IsFiniteNonNegative(count) || !IsFiniteNonNegative(seconds) || seconds <= 0)
    return Verdict::kNotNumber;
  const double believable = jump_max_ * std::max(held_.rate(), floor_rps_) * seconds + kFewEvents;
  if (!held_.primed() || count <= believable) {
    doubted_ = 0;
    held_.Add(seconds, count, seconds);
    return Verdict::kTaken;
  }
  if (++doubted_ < confirmations_) return Verdict::kDoubted;
  doubted_ = 0;
  held_.Reset(count / seconds);
  return Verdict::kBelieved;
}

}  // namespace ringway::planner
