#include "bench/sim/big_fleet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace ringway::bench {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNeighbourMs = 10;
constexpr double kAntipodeMs = 210;
constexpr double kSwing = 0.15;  // of a day's demand, so that the evening of a region is about its fleet
constexpr int kDayMinutes = 24 * 60;

World Circle(int regions) {
  World world;
  world.name = "circle";
  world.rtt = RttMatrix(static_cast<std::size_t>(regions));
  for (int i = 0; i < regions; ++i) {
    Region region;
    region.name = "r" + std::to_string(i);
    region.longitude_deg = 360.0 * i / regions - 180;
    region.population_share = (1 + 0.5 * std::sin(2 * kPi * i / regions)) / regions;
    world.regions.push_back(region);
    for (int j = 0; j < regions; ++j) {
      const int way = std::abs(i - j);
      const double around = 2.0 * std::min(way, regions - way) / regions;
      const double ms = i == j ? 0.5 : kNeighbourMs + (kAntipodeMs - kNeighbourMs) * around;
      world.rtt.Set(RegionId(i), RegionId(j), ms);
    }
  }
  return world;
}

}  // namespace

std::shared_ptr<const sim::Scenario> BigFleet(const BigFleetSize& size) {
  auto fleet = std::make_shared<Fleet>();
  fleet->world = Circle(size.regions);
  Tier tier;
  tier.name = "animate";
  MetricSpec busy;
  busy.name = "busy";
  busy.capacity_per_worker = true;
  tier.metrics.push_back(std::move(busy));
  tier.route.overload_threshold = 0.95;
  tier.route.rings = {{"near", 60, 0.8}, {"far", 500, 0.9}};
  tier.dispatch.mode = DispatchMode::kLedger;
  tier.service_mean = Seconds(size.service_mean_s);
  tier.deadline = Seconds(6 * size.service_mean_s);
  for (int i = 0; i < size.regions; ++i) {
    const int more = i < size.workers % size.regions ? 1 : 0;
    tier.regions.push_back({.workers = size.workers / size.regions + more});
  }
  tier.residency_forbidden.resize(static_cast<std::size_t>(size.regions));
  fleet->tiers.push_back(std::move(tier));

  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = "big fleet";
  scenario->duration_s = size.duration_s;
  scenario->warmup_s = 4 * size.service_mean_s;
  scenario->routers_per_region = size.routers_per_region;
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = sim::LogNormalService{size.service_mean_s, 0.5};
  const double rps = size.load * size.workers / size.service_mean_s;
  for (int i = 0; i < size.regions; ++i) {
    const double share = fleet->world.regions[RegionId(i)].population_share;
    sim::DemandSpec& demand = scenario->demand.emplace_back();
    demand.tier = TierId(0);
    demand.region = RegionId(i);
    if (size.day_s > 0) {
      demand.law = sim::DayCurveArrivals{.mean_rps = rps * share,
                                         .swing = kSwing,
                                         .utc_offset_minutes = kDayMinutes * i / size.regions,
                                         .day_s = size.day_s};
    } else {
      demand.law = sim::PoissonArrivals{rps * share};
    }
  }
  scenario->fleet = std::move(fleet);
  return scenario;
}

}  // namespace ringway::bench
