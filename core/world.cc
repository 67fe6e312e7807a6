#include "core/world.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringway {

IdVector<RegionId, std::vector<RegionId>> NearestFirst(const RttMatrix& rtt) {
  IdVector<RegionId, std::vector<RegionId>> order(rtt.regions());
  for (std::size_t from = 0; from < rtt.regions(); ++from) {
    std::vector<RegionId>& row = order[RegionId(from)];
    row.reserve(rtt.regions() - 1);
    for (std::size_t to = 0; to < rtt.regions(); ++to) {
      if (to != from) row.push_back(RegionId(to));
    }
    std::sort(row.begin(), row.end(), [&](RegionId a, RegionId b) {
      const double rtt_a = rtt.ms(RegionId(from), a);
      const double rtt_b = rtt.ms(RegionId(from), b);
      return rtt_a != rtt_b ? rtt_a < rtt_b : a < b;
    });
  }
  return order;
}

double DistanceKm(const Region& a, const Region& b) {
  constexpr double kEarthRadiusKm = 6371.0;
  constexpr double kRadian = std::numbers::pi / 180.0;
  const double lat_a = a.latitude_deg * kRadian;
  const double lat_b = b.latitude_deg * kRadian;
  const double half_lat = std::sin((lat_b - lat_a) / 2);
  const double half_lon = std::sin((b.longitude_deg - a.longitude_deg) * kRadian / 2);
  const double h = half_lat * half_lat + std::cos(lat_a) * std::cos(lat_b) * half_lon * half_lon;
  return 2 * kEarthRadiusKm * std::asin(std::sqrt(std::min(1.0, h)));
}

}  // namespace ringway
