#include "controller/scale/staffing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ringway::scale {
namespace {

// As many as a job without an idle worker at home looks at (router/dispatch/ledger/idle_regions.h).
constexpr std::size_t kNeighbours = 4;
constexpr int kWorkersMax = 100'000'000;

}  // namespace

int Staffing::WorkersFor(double expected, double at_most) {
  if (!(at_most > 0)) return 0;
  const auto carries = [&](int n) {
    return n * busy_max_ >= expected && n * ceilings_.Of(static_cast<double>(n)) >= at_most;
  };
  int high = std::max(1, static_cast<int>(std::min(std::ceil(at_most), 1.0 * kWorkersMax / 4)));
  while (!carries(high) && high < kWorkersMax / 2) high *= 2;
  int low = 0;  // carries nothing
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (carries(middle) ? high : low) = middle;
  }
  return high;
}

std::vector<RegionId> PoolOf(RegionId region, const Tier& tier, const planner::Reach& reach) {
  std::vector<RegionId> pool = {region};
  const bool spills = tier.dispatch.mode == DispatchMode::kLedger && tier.dispatch.spill.idle_hints &&
                      tier.dispatch.spill.share > 0;
  if (!spills) return pool;
  // A trip that takes longer than the wait that is aimed at is no help.
  const double rtt_ms_max = tier.scaling->wait_target * ToDoubleMilliseconds(tier.service_mean);
  for (const std::uint16_t target : reach.Targets(region)) {
    if (pool.size() > kNeighbours || reach.rtt_ms(region, RegionId(target)) > rtt_ms_max) break;
    if (RegionId(target) != region) pool.push_back(RegionId(target));
  }
  return pool;
}

double Overflow(const planner::Reach& reach, const IdVector<RegionId, double>& room,
                IdVector<RegionId, double>& workers) {
  double homeless = 0;
  for (RegionId region(0); region != workers.end_id(); region = RegionId(region.index() + 1)) {
    double excess = workers[region] - room[region];
    if (excess <= 0) continue;
    workers[region] = room[region];
    for (const std::uint16_t index : reach.Targets(region)) {
      const RegionId target(index);
      if (target == region || excess <= 0) continue;
      const double given = std::clamp(room[target] - workers[target], 0.0, excess);
      workers[target] += given;
      excess -= given;
    }
    homeless += std::max(0.0, excess);
  }
  return homeless;
}

// Bisection on the error function: twenty decimals are not asked for, and a table of constants would need a
// source.
double Sigmas(double risk) {
  double low = 0, high = 10;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > risk ? low : high) = middle;
  }
  return low;
}

}  // namespace ringway::scale
