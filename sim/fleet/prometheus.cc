#include "sim/fleet/prometheus.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ringway::sim {
namespace {

// As PrometheusSettings has them by default, with an age of half a round.
constexpr std::int64_t kPeriodNs = 5'000'000'000;
constexpr Duration kAge = Nanoseconds(kPeriodNs / 2);

double Aggregated(const MetricSpec& spec, std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  switch (spec.aggregation) {
    case Aggregation::kSum:
      return sum;
    case Aggregation::kMean:
      return sum / static_cast<double>(values.size());
    case Aggregation::kMax:
      return *std::max_element(values.begin(), values.end());
    case Aggregation::kQuantile:
      std::sort(values.begin(), values.end());
      return values[static_cast<std::size_t>(
          std::lround(spec.quantile * static_cast<double>(values.size() - 1)))];
  }
  return sum;
}

}  // namespace

Prometheus::Prometheus(Stage& stage, const Scenario& scenario, const Workers& workers, ControlPlane& control)
    : stage_(stage),
      workers_(workers),
      control_(control),
      fleet_(*scenario.fleet),
      busy_ns_(workers.count(), 0) {
  for (TierId tier(0); tier != fleet_.tiers.end_id(); tier = TierId(tier.index() + 1)) {
    for (std::size_t m = 0; m < fleet_.tiers[tier].metrics.size(); ++m) {
      if (fleet_.tiers[tier].metrics[m].promql.empty()) continue;
      series_.push_back({tier, m, IdVector<RegionId, std::optional<double>>(fleet_.world.regions.size())});
    }
  }
}

void Prometheus::Begin() {
  if (!series_.empty()) stage_.After(kPeriodNs, Happening::kMetricsAsked);
}

std::vector<double> Prometheus::Scrape(RegionId region, TierId tier) {
  std::vector<double> shares;
  const std::int64_t now_ns = stage_.queue.now_ns();
  const auto [begin, end] = workers_.Range(region, tier);
  for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
    const Workers::Shown& shown = workers_.shown(worker);
    if (!workers_.alive(worker) || shown.stalled_until_ns > now_ns) continue;
    const std::int64_t total_ns = shown.BusyNs(now_ns);
    const std::int64_t since_ns = total_ns - std::exchange(busy_ns_[worker], total_ns);
    // One that has started again counts from zero.
    shares.push_back(std::clamp(static_cast<double>(since_ns) / kPeriodNs, 0.0, 1.0));
  }
  return shares;
}

void Prometheus::OnAsked() {
  for (Series& series : series_) {
    for (RegionId region(0); region != series.values.end_id(); region = RegionId(region.index() + 1)) {
      if (!stage_.network.Connected(region, control_.home())) continue;
      std::optional<double>& value = series.values[region];
      std::vector<double> shares = Scrape(region, series.tier);
      if (shares.empty()) continue;
      if (!control_.reports().frozen(region) || !value) {
        value = Aggregated(fleet_.tiers[series.tier].metrics[series.metric], shares);
      }
      control_.Sample(
          {.tier = series.tier, .metric = series.metric, .region = region, .value = *value, .age = kAge});
    }
  }
  stage_.After(kPeriodNs, Happening::kMetricsAsked);
}

}  // namespace ringway::sim
