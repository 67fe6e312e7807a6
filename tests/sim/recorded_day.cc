#include "tests/sim/recorded_day.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <queue>
#include <utility>

#include "core/rng.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {

RecordedDay MakeDay(const DayKind& kind, std::uint64_t seed) {
  Rng rng(seed, 0x646179);
  RecordedDay day;
  const double mean_rps = kind.offered / kind.service_s * rng.LogNormal(1, kind.demand_cv);
  const double peak_rps = mean_rps * (1 + kind.swing);
  const double variance = std::log(1 + kind.service_cv * kind.service_cv);
  double level = rng.Normal();
  for (double at_s = 0;;) {
    at_s += rng.Exponential() / peak_rps;
    if (at_s >= kind.length_s) return day;
    const double phase = 2 * std::numbers::pi * at_s / kind.length_s;
    if (!rng.Chance(mean_rps * (1 - kind.swing * std::cos(phase)) / peak_rps)) continue;
    const double news = rng.Normal();
    level = kind.correlation * level + std::sqrt(1 - kind.correlation * kind.correlation) * news;
    day.at_s.push_back(at_s);
    day.service_s.push_back(kind.service_s * std::exp(std::sqrt(variance) * level - variance / 2));
  }
}

std::vector<double> FcfsWaits(const RecordedDay& day, std::size_t servers) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at_s;
  for (std::size_t i = 0; i < servers; ++i) free_at_s.push(0);
  std::vector<double> waits;
  for (std::size_t i = 0; i < day.at_s.size(); ++i) {
    const double start_s = std::max(day.at_s[i], free_at_s.top());
    free_at_s.pop();
    free_at_s.push(start_s + day.service_s[i]);
    waits.push_back(start_s - day.at_s[i]);
  }
  return waits;
}

Scenario DayScenario(const RecordedDay& day, double length_s, int workers, double tail_s) {
  Fleet fleet = LineFleet(1, workers);
  fleet.world.rtt.Set(RegionId(0), RegionId(0), 0);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.dispatch.mode = DispatchMode::kLedger;
  tier.dispatch.waiting_max = 1'000'000;
  tier.deadline = Hours(24);
  Scenario scenario;
  scenario.controller = false;
  scenario.routers_per_region = 1;
  scenario.network = {.jitter_share = 0, .loss_share = 0, .local_ms = 0};
  scenario.users.tell_deadline = false;
  scenario.service.resize(1);
  // Nothing is drawn from it: a job that took a thousandth of this time would show at once.
  scenario.service[TierId(0)].law = FixedService{1};
  scenario.warmup_s = 0;
  scenario.duration_s = length_s + tail_s;
  std::vector<RecordedJob> jobs;
  for (const double service_s : day.service_s) jobs.push_back({.service_s = service_s});
  TraceArrivals law{.offsets_s = std::make_shared<const std::vector<double>>(day.at_s),
                    .recorded_s = length_s};
  law.jobs = std::make_shared<const std::vector<RecordedJob>>(std::move(jobs));
  scenario.demand.push_back({.tier = TierId(0), .region = RegionId(0), .law = std::move(law)});
  scenario.fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

}  // namespace ringway::sim
