#include "bench/planner/fleet_generator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/rng.h"

namespace ringway::planner {
namespace {

// One stream for each purpose, so that a change of one does not shift another.
enum Stream : std::uint64_t { kPlaces = 1, kFleets = 2, kCosts = 3, kDemand = 4 };

struct Point {
  double x, y, z;
};

Point OnSphere(double latitude, double longitude) {
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
          std::sin(latitude)};
}

std::vector<Point> Places(std::size_t regions, std::uint64_t seed, World& world) {
  Rng rng(seed, kPlaces);
  const std::size_t metros = std::max<std::size_t>(6, static_cast<std::size_t>(2 * std::sqrt(regions)));
  struct Metro {
    double latitude, longitude, popular_up_to;
  };
  std::vector<Metro> list;
  double popularity = 0;
  for (std::size_t m = 0; m < metros; ++m) {
    const double latitude = std::asin(std::clamp(1.5 * rng.Uniform() - 0.6, -0.6, 0.95));
    const double longitude = (2 * rng.Uniform() - 1) * std::numbers::pi;
    popularity += 1 / (1 + 0.3 * static_cast<double>(m));
    list.push_back({latitude, longitude, popularity});
  }
  std::vector<Point> points;
  for (std::size_t r = 0; r < regions; ++r) {
    const double draw = rng.Uniform() * popularity;
    const auto metro =
        std::find_if(list.begin(), list.end(), [draw](const Metro& m) { return draw < m.popular_up_to; });
    const double latitude = metro->latitude + 0.06 * rng.Normal();
    const double longitude = metro->longitude + 0.08 * rng.Normal();
    points.push_back(OnSphere(latitude, longitude));
    world.regions.push_back({.name = "r" + std::to_string(r),
                             .title = "",
                             .latitude_deg = latitude * 180 / std::numbers::pi,
                             .longitude_deg = longitude * 180 / std::numbers::pi,
                             .population_share = 1.0 / static_cast<double>(regions)});
  }
  return points;
}

double RttMs(const Point& a, const Point& b) {
  constexpr double kEarthRadiusKm = 6371;
  const double cosine = std::clamp(a.x * b.x + a.y * b.y + a.z * b.z, -1.0, 1.0);
  return 1 + 1.4 * kEarthRadiusKm * std::acos(cosine) / 100;
}

}  // namespace

std::shared_ptr<Tier> MakeTier(std::size_t regions, std::uint64_t seed) {
  auto tier = std::make_shared<Tier>();
  tier->name = "bench";
  tier->metrics.emplace_back().name = "busy";
  tier->route.overload_threshold = 0.8;
  tier->route.ceiling_wait = 0;  // the yardstick knows one threshold
  tier->route.rings = {{"near", 20, 0}, {"region", 60, 0.9}, {"continent", 120, 1.0}, {"world", 300, 1.2}};
  tier->guard.plan_margin = 0;
  Rng rng(seed, kFleets);
  for (std::size_t r = 0; r < regions; ++r) {
    tier->regions.push_back({.workers = std::max(4, static_cast<int>(20 * std::exp(0.8 * rng.Normal())))});
  }
  return tier;
}

SyntheticFleet MakeFleet(std::size_t regions, std::uint64_t seed) {
  auto world = std::make_shared<World>();
  world->name = "generated";
  const std::vector<Point> points = Places(regions, seed, *world);
  world->rtt = RttMatrix(regions);
  for (std::size_t a = 0; a < regions; ++a) {
    for (std::size_t b = a + 1; b < regions; ++b) {
      const double rtt = RttMs(points[a], points[b]);
      world->rtt.Set(RegionId(a), RegionId(b), rtt);
      world->rtt.Set(RegionId(b), RegionId(a), rtt);
    }
  }
  return {std::move(world), MakeTier(regions, seed)};
}

TierSnapshot MakeSnapshot(const Tier& tier, double load, std::uint64_t seed) {
  Rng costs(seed, kCosts);
  Rng demand(seed, kDemand);
  TierSnapshot snapshot;
  snapshot.tier = TierId(0);
  double total = 0;
  double capacity = 0;
  for (const TierRegion& provisioned : tier.regions) {
    RegionLoad region;
    region.load_cost =
        ToDoubleSeconds(tier.service_mean) / provisioned.workers * (0.8 + 0.4 * costs.Uniform());
    region.load_cost_low = region.load_cost_high = region.load_cost;
    const double served_rps = tier.route.overload_threshold / region.load_cost;
    double appetite = std::exp(0.45 * demand.Normal());
    if (demand.Chance(0.05)) appetite *= 3;
    region.demand_rps[0] = appetite * served_rps;
    total += region.demand_rps[0];
    capacity += served_rps;
    snapshot.regions.push_back(region);
  }
  for (RegionLoad& region : snapshot.regions) {
    region.demand_rps[0] *= load * capacity / total;
    region.measured_load = region.demand_rps[0] * region.load_cost;
  }
  return snapshot;
}

}  // namespace ringway::planner
