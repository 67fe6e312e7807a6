#include "controller/planner/soundness.h"

#include <algorithm>
#include <cmath>

namespace ringway::planner {
namespace {

constexpr double kSumTolerance = 1e-9;
// Rounding of rates: the simplex works in 2^-40 of the total, rows are normalised.
constexpr double kRateTolerance = 1e-6;

bool TargetSound(const Route& route, RegionId source, const IdVector<RegionId, Site>& sites,
                 const Reach& reach) {
  if (!std::isfinite(route.fraction) || route.fraction <= 0) return false;
  if (route.target == source) return true;
  if (!sites.contains(route.target) || !reach.RingOf(source, route.target)) return false;
  const Site& target = sites[route.target];
  return target.headroom > 0 && !target.missing;
}

}  // namespace

bool RowSound(const Row& row, RegionId source, const IdVector<RegionId, Site>& sites, const Reach& reach) {
  if (!std::isfinite(row.shed_fraction) || row.shed_fraction < 0) return false;
  double sum = row.shed_fraction;
  for (std::size_t k = 0; k < row.routes.size(); ++k) {
    const Route& route = row.routes[k];
    if (!TargetSound(route, source, sites, reach)) return false;
    for (std::size_t earlier = 0; earlier < k; ++earlier) {
      if (row.routes[earlier].target == route.target) return false;
    }
    sum += route.fraction;
  }
  return std::abs(sum - 1) <= kSumTolerance;
}

bool RowsSound(const TierTable& table, const Tier& tier, const IdVector<RegionId, Site>& sites,
               const Reach& reach) {
  if (table.regions() != sites.size() || table.priorities() != tier.priorities.size()) return false;
  for (std::size_t p = 0; p < table.priorities(); ++p) {
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (!RowSound(table.at(static_cast<Priority>(p), RegionId(s)), RegionId(s), sites, reach)) return false;
    }
  }
  return true;
}

double CeilingRps(const Site& site, const Tier& tier) {
  const double slack = 1 + tier.guard.hysteresis;
  const double threshold = site.hot_level;
  if (site.limit_level > threshold) return site.CapacityRps(site.limit_level * slack);
  // In levels the true threshold lies a plan margin above the planned one.
  const double true_level = threshold / (1 - tier.guard.plan_margin);
  return site.CapacityRps(std::min(threshold * slack, true_level));
}

double ImportCeilingRps(const Site& site, const Tier& tier) {
  return site.import_max_rps * (1 + tier.guard.hysteresis);
}

std::vector<RegionId> LiftedReceivers(const Traffic& traffic, const Tier& tier,
                                      const IdVector<RegionId, Site>& sites) {
  std::vector<RegionId> lifted;
  ForEachRegion(sites.size(), [&](RegionId region) {
    const Site& site = sites[region];
    const double tolerance = kRateTolerance * (1 + site.CapacityRps(kFullLevel));
    const double imported = traffic.imported_rps[region];
    if (imported <= tolerance) return;
    if (traffic.served_rps[region] > CeilingRps(site, tier) + tolerance ||
        imported > ImportCeilingRps(site, tier) + tolerance) {
      lifted.push_back(region);
    }
  });
  return lifted;
}

}  // namespace ringway::planner
