#include "tests/planner/random_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringway::planner {
namespace {

std::shared_ptr<const World> RandomWorld(Rng& rng, std::size_t regions) {
  auto world = std::make_shared<World>();
  std::vector<std::pair<double, double>> at_ms;
  for (std::size_t r = 0; r < regions; ++r) {
    world->regions.push_back({.name = "r" + std::to_string(r), .title = ""});
    const double x = 150 * rng.Uniform();
    const double y = 100 * rng.Uniform();
    at_ms.emplace_back(x, y);
  }
  world->rtt = RttMatrix(regions);
  for (std::size_t a = 0; a < regions; ++a) {
    for (std::size_t b = 0; b < regions; ++b) {
      const double distance = std::hypot(at_ms[a].first - at_ms[b].first, at_ms[a].second - at_ms[b].second);
      // Measured RTTs do not obey the triangle inequality.
      world->rtt.Set(RegionId(a), RegionId(b), 1 + distance * (0.8 + 0.4 * rng.Uniform()));
    }
  }
  return world;
}

void Restrict(Rng& rng, std::size_t regions, Tier& tier) {
  tier.residency_forbidden.resize(regions);
  for (std::size_t r = 0; r < regions; ++r) {
    TierRegion& region = tier.regions[RegionId(r)];
    if (rng.Chance(0.1)) region.workers = 0;
    if (rng.Chance(0.2)) region.reserve_share = 0.4 * rng.Uniform();
    if (rng.Chance(0.3)) region.import_cap_share = 0.3 * rng.Uniform();
    for (std::size_t t = 0; t < regions; ++t) {
      if (rng.Chance(0.15)) tier.residency_forbidden[RegionId(r)].push_back(RegionId(t));
    }
  }
  if (rng.Chance(0.3)) tier.route.rings.pop_back();
  if (rng.Chance(0.2)) tier.route.escalation = Escalation::kByLoad;
}

RegionLoad RandomRegion(Rng& rng, const Tier& tier, const TierRegion& provisioned, bool plain) {
  RegionLoad region;
  region.usable_share = 1 - provisioned.reserve_share;
  if (provisioned.workers == 0) {
    region.usable_share = 0;
  } else {
    const double prior = ToDoubleSeconds(tier.service_mean) / provisioned.workers;
    region.load_cost = prior * (0.8 + 0.4 * rng.Uniform());
  }
  if (plain) return region;
  if (rng.Chance(0.2)) region.background_load = 0.3 * rng.Uniform();
  if (rng.Chance(0.1)) {
    region.draining = true;
    region.usable_share *= rng.Chance(0.5) ? 0 : rng.Uniform();
  }
  return region;
}

}  // namespace

Case RandomCase(std::uint64_t seed, const CaseShape& shape) {
  Rng rng(seed);
  Case made;
  const std::size_t regions = 2 + rng.Below(24);
  made.world = RandomWorld(rng, regions);
  made.tier = std::make_shared<Tier>();
  Tier& tier = *made.tier;
  tier.metrics.emplace_back().name = "busy";
  tier.route.overload_threshold = 0.6 + 0.3 * rng.Uniform();
  tier.route.ceiling_wait = seed % 2 == 0 ? 0 : 0.3;
  if (rng.Chance(0.5)) tier.guard.plan_margin = 0;
  tier.priorities.resize(1 + rng.Below(3));
  for (std::size_t r = 0; r < regions; ++r) {
    tier.regions.push_back({.workers = 4 + static_cast<int>(200 * std::pow(rng.Uniform(), 3))});
  }
  tier.route.rings = {{"near", 30, 0}, {"mid", 80, 0.9}, {"far", 150, 1.0}, {"world", 1000, 1.2}};
  tier.route.refine = std::array{RefineMode::kOff, RefineMode::kSwap, RefineMode::kOptimal}[rng.Below(3)];
  tier.dispatch.mode = rng.Chance(0.5) ? DispatchMode::kLedger : DispatchMode::kProbe;
  tier.guard.shed_above = std::array{1.0, 1.2, 2.0}[rng.Below(3)];
  tier.route.isolation =
      static_cast<Isolation>(seed / 2 % 3);  // apart, so that the cases stay what they were
  if (!shape.everybody_in_reach) Restrict(rng, regions, tier);

  made.snapshot.tier = TierId(0);
  double total = 0;
  double capacity = 0;
  for (const TierRegion& provisioned : tier.regions) {
    RegionLoad region = RandomRegion(rng, tier, provisioned, shape.everybody_in_reach);
    const double cost = region.load_cost > 0 ? region.load_cost : 0.5;
    capacity += region.usable_share * tier.route.overload_threshold / cost;
    for (std::size_t p = 0; p < tier.priorities.size(); ++p) {
      region.demand_rps[p] = std::exp(0.8 * rng.Normal()) / cost;
      if (rng.Chance(0.1)) region.demand_rps[p] = 0;
      total += region.demand_rps[p];
    }
    made.snapshot.regions.push_back(region);
  }
  const double load = shape.load_min + (shape.load_max - shape.load_min) * rng.Uniform();
  const double scale = total > 0 && capacity > 0 ? load * capacity / total : 0.01;
  for (RegionLoad& region : made.snapshot.regions) {
    for (double& rps : region.demand_rps) rps *= scale;
  }
  return made;
}

std::string Poison(Rng& rng, TierSnapshot& snapshot, RegionId& region) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  region = RegionId(rng.Below(snapshot.regions.size()));
  RegionLoad& load = snapshot.regions[region];
  const double bad[] = {kNan, -1.0, kInfinity, -kInfinity, 1e12};
  const double value = bad[rng.Below(5)];
  switch (rng.Below(6)) {
    case 0:
      load.usable_share = value;
      return "usable share " + std::to_string(value);
    case 1:
      load.load_cost = rng.Chance(0.3) ? 0 : value;
      return "load cost " + std::to_string(load.load_cost);
    case 2:
      load.background_load = value;
      return "background " + std::to_string(value);
    case 3:
      load.demand_rps[0] = value;
      return "demand " + std::to_string(value);
    case 4:
      load.health = InputHealth::kStale;
      return "stale";
    default:
      load = RegionLoad{.usable_share = kNan, .load_cost = kNan, .health = InputHealth::kMissing};
      return "missing";
  }
}

void Drift(Rng& rng, double spread, TierSnapshot& snapshot) {
  for (RegionLoad& region : snapshot.regions) {
    for (double& rps : region.demand_rps) rps *= 1 + spread * (2 * rng.Uniform() - 1);
  }
}

}  // namespace ringway::planner
