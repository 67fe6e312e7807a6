#include "bench/loop/worlds.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "topology/topology.h"

namespace ringway::bench {
namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;
constexpr double kSpreadDeg = 3.5;
constexpr std::uint64_t kPlaces = 0x706c6163;
constexpr std::uint64_t kSplit = 0x73706c69;

// Populous places, roughly.
constexpr struct {
  double latitude_deg, longitude_deg;
} kMetros[] = {{40, -75},  {39, -84}, {34, -118}, {30, -97}, {45, -122}, {47, -71}, {-23, -46}, {4, -74},
               {51, 0},    {50, 8},   {45, 9},    {59, 18},  {41, 29},   {25, 55},  {19, 73},   {13, 78},
               {1.3, 104}, {-6, 107}, {22, 114},  {35, 139}, {37, 127},  {31, 121}, {-34, 151}, {-26, 28},
               {6, 3},     {52, 21},  {40, -4},   {19, -99}, {-34, -58}, {24, 121}};

double GreatCircleKm(const Region& a, const Region& b) {
  const double lat = (b.latitude_deg - a.latitude_deg) * kRadians;
  const double lon = (b.longitude_deg - a.longitude_deg) * kRadians;
  const double h = std::pow(std::sin(lat / 2), 2) + std::cos(a.latitude_deg * kRadians) *
                                                        std::cos(b.latitude_deg * kRadians) *
                                                        std::pow(std::sin(lon / 2), 2);
  return 2 * 6371 * std::asin(std::sqrt(h));
}

void SetDistances(World& world) {
  world.rtt = RttMatrix(world.regions.size());
  for (RegionId a(0); a != world.regions.end_id(); a = RegionId(a.index() + 1)) {
    for (RegionId b(0); b != world.regions.end_id(); b = RegionId(b.index() + 1)) {
      const double km = GreatCircleKm(world.regions[a], world.regions[b]);
      world.rtt.Set(a, b, a == b ? 0.5 : 1 + 1.5 * km / 100);
    }
  }
}

Tier LoopTier() {
  Tier tier;
  tier.name = "animate";
  MetricSpec busy;
  busy.name = "busy";
  busy.capacity_per_worker = true;
  tier.metrics.push_back(std::move(busy));
  tier.route.rings = {{"near", 40, 0.8}, {"continent", 120, 0.85}, {"world", 700, 0.95}};
  tier.service_mean = Seconds(kServiceMeanS);
  tier.deadline = Minutes(10);
  return tier;
}

std::shared_ptr<const Fleet> WithTier(World world, Tier tier, const std::vector<int>& workers) {
  for (const int count : workers) tier.regions.push_back({.workers = count});
  tier.residency_forbidden.resize(workers.size());
  auto fleet = std::make_shared<Fleet>();
  fleet->world = std::move(world);
  fleet->tiers.push_back(std::move(tier));
  return fleet;
}

}  // namespace

std::shared_ptr<const Fleet> Generate(const GeneratedWorld& spec) {
  Rng rng(spec.seed, kPlaces);
  World world;
  world.name = spec.name;
  std::vector<int> workers;
  for (int i = 0; i < spec.regions; ++i) {
    const auto& metro = kMetros[rng.Below(std::size(kMetros))];
    Region region;
    region.name = "r" + std::to_string(i);
    region.latitude_deg = std::clamp(metro.latitude_deg + kSpreadDeg * rng.Normal(), -80.0, 80.0);
    region.longitude_deg = metro.longitude_deg + kSpreadDeg * rng.Normal();
    region.population_share = 1.0 / spec.regions;
    world.regions.push_back(std::move(region));
    const double log_size = std::log(spec.workers_min) +
                            rng.Uniform() * (std::log(spec.workers_max) - std::log(spec.workers_min));
    workers.push_back(static_cast<int>(std::lround(std::exp(log_size))));
  }
  SetDistances(world);
  return WithTier(std::move(world), LoopTier(), workers);
}

std::shared_ptr<const Fleet> ThreeOfTen() {
  World world;
  world.name = "three10";
  for (int i = 0; i < 3; ++i) {
    Region region;
    region.name = "r" + std::to_string(i);
    region.population_share = 1.0 / 3;
    world.regions.push_back(std::move(region));
  }
  world.rtt = RttMatrix(3);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) world.rtt.Set(RegionId(a), RegionId(b), a == b ? 0.5 : 26);
  }
  return WithTier(std::move(world), LoopTier(), {10, 10, 10});
}

std::shared_ptr<const Fleet> Shipped(const std::string& name) {
  const std::string path = std::string(RINGWAY_SOURCE_DIR) + "/topology/" + name + ".yaml";
  const auto loaded = LoadTopology(path);
  if (!loaded.ok()) {
    std::fprintf(stderr, "bench_loop: %s\n", std::string(loaded.status().message()).c_str());
    return nullptr;
  }
  auto fleet = std::make_shared<Fleet>(*loaded->fleet);
  fleet->tiers.resize(1);
  fleet->tiers[kLoopTier].service_mean = Seconds(kServiceMeanS);
  fleet->tiers[kLoopTier].deadline = Minutes(10);
  return fleet;
}

std::shared_ptr<sim::Scenario> Scene(std::shared_ptr<const Fleet> fleet, const Traffic& traffic) {
  auto scenario = std::make_shared<sim::Scenario>();
  scenario->name = fleet->world.name;
  scenario->seed = traffic.seed;
  scenario->duration_s = traffic.duration_s;
  scenario->warmup_s = traffic.warmup_s;
  scenario->service.push_back({.law = sim::LogNormalService{kServiceMeanS, kServiceCv}});
  Rng rng(traffic.seed, kSplit);
  std::vector<double> weights;
  double weight = 0;
  double workers = 0;
  for (const TierRegion& here : fleet->tiers[kLoopTier].regions) {
    weights.push_back(here.workers * std::exp(traffic.skew * rng.Normal()));
    weight += weights.back();
    workers += here.workers;
  }
  const double rate_rps = traffic.load * workers / kServiceMeanS;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double own_rps = rate_rps * weights[i] / weight;
    if (own_rps <= 0) continue;
    sim::ArrivalLaw law = sim::PoissonArrivals{own_rps};
    if (traffic.gaps_cv != 1) law = sim::GammaArrivals{.rate_rps = own_rps, .cv = traffic.gaps_cv};
    scenario->demand.push_back({.tier = kLoopTier, .region = RegionId(i), .law = std::move(law)});
  }
  scenario->fleet = std::move(fleet);
  return scenario;
}

}  // namespace ringway::bench
