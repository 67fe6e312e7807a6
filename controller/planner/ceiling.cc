#include "controller/planner/ceiling.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {
namespace {

// Of service times. Jobs of one model and size vary little, those of a mixed tier more; half is what the
// fleets that this was chosen on had, and a ceiling hardly depends on it: 1 instead costs three workers two
// points.
constexpr double kServiceCv = 0.5;
constexpr int kHalvings = 20;

// Mean wait in service times. Erlang's B by recursion, then C.
double Wait(int workers, double rho) {
  const double offered = workers * rho;
  double blocked = 1;
  for (int n = 1; n <= workers; ++n) blocked = offered * blocked / (n + offered * blocked);
  const double waits = blocked / (1 - rho * (1 - blocked));
  return (1 + kServiceCv * kServiceCv) / 2 * waits / (workers * (1 - rho));
}

std::size_t SizeOf(double workers) {
  return static_cast<std::size_t>(
      std::clamp(static_cast<int>(std::lround(workers)), 1, Ceilings::kWorkersMax));
}

}  // namespace

double CeilingOf(int workers, double wait_max) {
  if (wait_max <= 0) return 1;
  if (workers <= 0) return 1;  // no capacity to fill; the level of nothing does not matter
  double low = 0, high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + high) / 2;
    (Wait(workers, middle) <= wait_max ? low : high) = middle;
  }
  return low;
}

double Ceilings::Of(double workers) {
  double& ceiling = known_[SizeOf(workers)];
  if (ceiling <= 0) ceiling = CeilingOf(static_cast<int>(SizeOf(workers)), wait_max_);
  return ceiling;
}

double Ceilings::Of(double workers, double cap) {
  const std::size_t size = SizeOf(workers);
  // Of the levels that a ceiling may be, the first from the cap on.
  const double level = std::ceil(cap * (1 << kHalvings)) / (1 << kHalvings);
  if (known_[size] <= 0 && level < 1 && Wait(static_cast<int>(size), level) <= wait_max_) return cap;
  return std::min(cap, Of(workers));
}

}  // namespace ringway::planner
