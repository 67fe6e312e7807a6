#include "bench/scaling/days.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rng.h"

namespace ringway::bench {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kStepS = kRateStepS;
constexpr double kSwing = 0.6, kSecondHarmonic = 0.12, kPeakHour = 20;
constexpr double kLevelOfAll = 0.08, kLevelOfOne = 0.05;
constexpr double kDrift = 0.06, kDriftS = 1800;
constexpr double kSpikesADay = 6, kSpikeEverywhere = 0.3, kSpikeMean = 0.5, kSpikeMax = 1.5;
constexpr double kSpikeRiseMaxS = 300, kSpikeFadeS = 900;
constexpr std::uint64_t kPlaces = 0x706c6163, kLevels = 0x6c657665, kSpikes = 0x7370696b,
                        kDrifts = 0x64726966, kArrivals = 0x61727276;

struct Spike {
  double at_s = 0, rise_s = 0, height = 0;
  int region = -1;  // -1: all
  double At(double t_s) const {
    if (t_s < at_s) return 0;
    const double since_s = t_s - at_s;
    return since_s < rise_s ? height * since_s / rise_s
                            : height * std::exp(-(since_s - rise_s) / kSpikeFadeS);
  }
};

std::vector<Spike> MakeSpikes(const DaysSpec& spec) {
  std::vector<Spike> spikes;
  if (!spec.spikes) return spikes;
  Rng rng(spec.seed, kSpikes);
  double at_s = 0;
  while (true) {
    at_s += rng.Exponential() * kDayS / kSpikesADay;
    if (at_s >= spec.days * kDayS) return spikes;
    Spike spike{.at_s = at_s};
    spike.rise_s = 1 + rng.Uniform() * kSpikeRiseMaxS;
    spike.height = std::min(kSpikeMax, kSpikeMean * rng.Exponential());
    const bool everywhere = rng.Chance(kSpikeEverywhere);
    const int one = static_cast<int>(rng.Below(static_cast<std::uint64_t>(spec.regions)));
    spike.region = everywhere ? -1 : one;
    spikes.push_back(spike);
  }
}

// Normal values at noon of each day, blended in between.
std::vector<double> Noons(Rng& rng, int days, double deviation) {
  std::vector<double> noons;
  for (int day = 0; day <= days + 1; ++day) noons.push_back(deviation * rng.Normal());
  return noons;
}
double Blend(const std::vector<double>& noons, double t_s) {
  const double at = t_s / kDayS + 0.5;
  const auto day = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(day);
  return noons[day] * (1 - part) + noons[std::min(day + 1, noons.size() - 1)] * part;
}

double DayCurve(double local_hour) {
  const double turn = 2 * kPi * (local_hour - kPeakHour) / 24;
  return 1 + kSwing * std::cos(turn) + kSecondHarmonic * std::cos(2 * turn);
}

}  // namespace

std::shared_ptr<Fleet> MakeFleet(const DaysSpec& spec, double service_mean_s, std::vector<double>& busy) {
  busy.clear();
  Rng rng(spec.seed, kPlaces);
  auto fleet = std::make_shared<Fleet>();
  World& world = fleet->world;
  world.name = spec.name;
  Tier tier;
  tier.name = "animate";
  MetricSpec metric;
  metric.name = "busy";
  metric.capacity_per_worker = true;
  tier.metrics.push_back(std::move(metric));
  tier.route.rings = {{"near", 40, 0.8}, {"continent", 120, 0.85}, {"world", 700, 0.95}};
  tier.service_mean = Seconds(service_mean_s);
  // Nobody gives up: what a line costs is a wait.
  tier.deadline = std::max<Duration>(Minutes(10), Seconds(100 * service_mean_s));
  for (int i = 0; i < spec.regions; ++i) {
    Region region;
    region.name = "r" + std::to_string(i);
    region.population_share = 1.0 / spec.regions;
    // Around the world, in three clusters: America, Europe, Asia.
    const double centre = i % 3 == 0 ? -90 : i % 3 == 1 ? 10 : 110;
    region.longitude_deg = centre + 25 * (2 * rng.Uniform() - 1);
    region.latitude_deg = 20 + 30 * rng.Uniform();
    region.utc_offset_minutes = static_cast<int>(std::lround(region.longitude_deg / 15)) * 60;
    world.regions.push_back(std::move(region));
    const double log_size =
        std::log(spec.busy_min) + rng.Uniform() * (std::log(spec.busy_max) - std::log(spec.busy_min));
    busy.push_back(std::exp(log_size));
    tier.regions.push_back({.workers = static_cast<int>(std::ceil(3 * busy.back())) + 4});
  }
  world.rtt = RttMatrix(world.regions.size());
  for (RegionId a(0); a != world.regions.end_id(); a = RegionId(a.index() + 1)) {
    for (RegionId b(0); b != world.regions.end_id(); b = RegionId(b.index() + 1)) {
      const double degrees = std::abs(world.regions[a].longitude_deg - world.regions[b].longitude_deg);
      world.rtt.Set(a, b, a == b ? 0.5 : 5 + std::min(degrees, 360 - degrees) * 1.5);
    }
  }
  tier.residency_forbidden.resize(world.regions.size());
  fleet->tiers.push_back(std::move(tier));
  return fleet;
}

Days MakeDays(const DaysSpec& spec) {
  Days days;
  std::vector<double> busy;
  days.fleet = MakeFleet(spec, kJobMeanS, busy);
  days.length_s = spec.days * kDayS;
  days.even = !spec.spikes;
  const std::vector<Spike> spikes = MakeSpikes(spec);
  days.rate_rps.assign(static_cast<std::size_t>(days.length_s / kStepS) + 1, 0.0);
  Rng levels(spec.seed, kLevels);
  const std::vector<double> level_of_all = Noons(levels, spec.days, kLevelOfAll);
  for (int r = 0; r < spec.regions; ++r) {
    const std::vector<double> level = Noons(levels, spec.days, kLevelOfOne);
    Rng drifts(spec.seed, kDrifts + static_cast<std::uint64_t>(r));
    Rng arrivals(spec.seed, kArrivals + static_cast<std::uint64_t>(r));
    const Region& region = days.fleet->world.regions[RegionId(static_cast<std::size_t>(r))];
    auto offsets = std::make_shared<std::vector<double>>();
    auto jobs = std::make_shared<std::vector<sim::RecordedJob>>();
    const double keep = std::exp(-kStepS / kDriftS);
    double drift = kDrift * drifts.Normal();
    double next_s = 0;  // of a Poisson process of rate one, in expected arrivals
    double due = arrivals.Exponential();
    for (double t_s = 0; t_s < days.length_s; t_s += kStepS) {
      double surge = 1;
      for (const Spike& spike : spikes) {
        if (spike.region < 0 || spike.region == r) surge += spike.At(t_s);
      }
      drift = keep * drift + std::sqrt(1 - keep * keep) * kDrift * drifts.Normal();
      const double hour = t_s / 3600 + region.utc_offset_minutes / 60.0;
      const double rps = busy[static_cast<std::size_t>(r)] / kJobMeanS * DayCurve(hour) *
                         std::exp(Blend(level_of_all, t_s) + Blend(level, t_s) + drift) * surge;
      const double expected = rps * kStepS;
      days.rate_rps[static_cast<std::size_t>(t_s / kStepS)] += rps;
      while (due < next_s + expected) {
        offsets->push_back(t_s + kStepS * (due - next_s) / expected);
        sim::RecordedJob job;
        job.service_s = arrivals.LogNormal(kJobMeanS, kJobCv);
        jobs->push_back(job);
        due += arrivals.Exponential();
      }
      next_s += expected;
    }
    days.offsets_s.push_back(std::move(offsets));
    days.jobs.push_back(std::move(jobs));
  }
  return days;
}

}  // namespace ringway::bench
