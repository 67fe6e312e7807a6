#include "controller/planner/estimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/planner/check.h"
#include "core/finite.h"

namespace ringway::planner {
namespace {

// A region's demand is not absurd below this share of what its fleet serves, or this rate where it has none.
constexpr double kDemandFloorShare = 0.05;
constexpr double kDemandFloorRps = 1;

}  // namespace

RegionEstimate::RegionEstimate(RegionId region, std::shared_ptr<const Tier> tier)
    : region_(region), tier_(std::move(tier)) {
  const double prior = LoadCostPrior(*tier_, region);
  if (prior > 0) cost_.emplace(prior, *tier_);
  const double floor_rps = prior > 0 ? kDemandFloorShare / prior : kDemandFloorRps;
  demand_.assign(tier_->priorities.size(), Demand(tier_->guard, floor_rps));
  metrics_.resize(tier_->metrics.size());
}

void RegionEstimate::Count(const RegionCounts& counts, std::vector<Finding>& findings) {
  if (counts.at <= counted_at_) return;
  bool usable = true;
  for (std::size_t p = 0; p < demand_.size(); ++p) {
    const double before = demand_[p].rps();
    std::string_view outcome;
    switch (demand_[p].Add(counts.seconds, counts.entered[p])) {
      case Demand::Verdict::kTaken:
        continue;
      case Demand::Verdict::kDoubted:
        outcome = "an absurd jump, not believed yet";
        break;
      case Demand::Verdict::kBelieved:
        outcome = "a jump that was confirmed";
        break;
      case Demand::Verdict::kNotNumber:
        outcome = "finite numbers from 0 are allowed";
        usable = false;
        break;
    }
    findings.push_back(
        {Finding::Kind::kBadInput, region_,
         absl::StrCat(counts.entered[p], " requests of priority ", p, " in ", counts.seconds, " s after ",
                      before, " a second: ", absl::string_view(outcome.data(), outcome.size()), "; ",
                      demand_[p].rps(), " a second used")});
  }
  // What cannot be true keeps no region fresh.
  if (usable) counted_at_ = counts.at;
  if (!cost_) return;
  if (!IsFiniteNonNegative(counts.ended) || !IsFiniteNonNegative(counts.busy_s)) {
    findings.push_back(
        {Finding::Kind::kBadInput, region_,
         absl::StrCat(counts.ended, " jobs ended in ", counts.busy_s,
                      " busy seconds: finite numbers from 0 are allowed; the load cost stays")});
    return;
  }
  cost_->Add(
      {.seconds = counts.seconds, .ended = counts.ended, .busy_s = counts.busy_s, .alive = counts.alive});
}

void RegionEstimate::Read(std::size_t metric, const RegionReading& reading, std::vector<Finding>& findings) {
  Metric& known = metrics_[metric];
  if (reading.at <= known.at) return;
  if (!IsFiniteNonNegative(reading.load) || !IsFiniteNonNegative(reading.started_rps)) {
    findings.push_back(
        {Finding::Kind::kBadInput, region_,
         absl::StrCat("metric '", tier_->metrics[metric].name, "': load ", reading.load, ", started ",
                      reading.started_rps,
                      " requests/s: finite numbers from 0 are allowed; what was learnt stays")});
    return;
  }
  known.at = reading.at;
  known.last = reading.load;
  if (reading.busy_share || !cost_) return;
  if (!known.line) known.line.emplace(LoadCostPrior(*tier_, region_), tier_->service_mean);
  known.line->Add(reading.at, reading.load, reading.started_rps, OverloadThreshold(*tier_, region_));
}

bool RegionEstimate::Missing(std::size_t metric, Time now) const {
  const Metric& known = metrics_[metric];
  return now - known.at > tier_->metrics[metric].max_age;
}

bool RegionEstimate::Frozen(std::size_t metric) const {
  return metrics_[metric].line && metrics_[metric].line->frozen();
}

std::optional<std::size_t> RegionEstimate::Binding() const {
  if (!cost_) return std::nullopt;
  const double threshold = OverloadThreshold(*tier_, region_);
  double least_rps = threshold / cost_->value();
  std::optional<std::size_t> binding;
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    if (!metrics_[m].line) continue;
    const double rps = metrics_[m].line->RpsAt(threshold);
    if (rps >= least_rps) continue;
    least_rps = rps;
    binding = m;
  }
  return binding;
}

double RegionEstimate::DemandRps() const {
  double rps = 0;
  for (const Demand& demand : demand_) rps += demand.rps();
  return rps;
}

RegionLoad RegionEstimate::Load(Time now) const {
  RegionLoad load;
  load.usable_share = cost_ ? 1 - tier_->regions[region_].reserve_share : 0;
  for (std::size_t p = 0; p < demand_.size(); ++p) load.demand_rps[p] = demand_[p].rps();
  // Where a table may refuse, a rate that is given up a second late idles GPUs, and the refused come again;
  // and what lasts for less than a service time fits into the lines.
  if (cost_ && DemandRps() * cost_->value() > ShedLevel(*tier_, tier_->regions[region_])) {
    for (std::size_t p = 0; p < demand_.size(); ++p)
      load.demand_rps[p] = demand_[p].AtMostRps(ToDoubleSeconds(tier_->service_mean));
  }
  for (const Metric& metric : metrics_) load.measured_load = std::max(load.measured_load, metric.last);
  if (cost_) {
    load.load_cost = cost_->value();
    load.load_cost_low = cost_->low();
    load.load_cost_high = cost_->high();
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      load.takes_more = load.takes_more && !Missing(m, now) && !Frozen(m);
    }
    if (const auto binding = Binding()) {
      const MetricLine& line = *metrics_[*binding].line;
      load.background_load = line.background();
      load.load_cost = load.load_cost_low = load.load_cost_high = line.slope();
    }
  }
  const Duration age = now - counted_at_;
  if (age > tier_->guard.missing_after) {
    load.health = InputHealth::kMissing;
  } else if (age > tier_->guard.stale_after) {
    load.health = InputHealth::kStale;
  }
  return load;
}

RegionEstimate::Learnt RegionEstimate::learnt() const {
  Learnt learnt{.cost = std::nullopt, .demand = {}, .metrics = {}, .counted_at = counted_at_};
  if (cost_) learnt.cost = cost_->learnt();
  for (const Demand& demand : demand_) learnt.demand.push_back(demand.learnt());
  for (const Metric& metric : metrics_) {
    Learnt::Metric& out = learnt.metrics.emplace_back();
    if (metric.line) out.line = metric.line->state();
    out.last = metric.last;
    out.at = metric.at;
  }
  return learnt;
}

void RegionEstimate::Restore(const Learnt& learnt) {
  if (cost_ && learnt.cost) cost_->Restore(*learnt.cost);
  for (std::size_t p = 0; p < std::min(demand_.size(), learnt.demand.size()); ++p) {
    demand_[p].Restore(learnt.demand[p]);
  }
  for (std::size_t m = 0; m < std::min(metrics_.size(), learnt.metrics.size()); ++m) {
    metrics_[m].last = learnt.metrics[m].last;
    metrics_[m].at = learnt.metrics[m].at;
    if (!cost_ || !learnt.metrics[m].line) continue;
    metrics_[m].line.emplace(LoadCostPrior(*tier_, region_), tier_->service_mean);
    metrics_[m].line->Restore(*learnt.metrics[m].line);
  }
  counted_at_ = learnt.counted_at;
}

TierEstimate::TierEstimate(TierId tier_id, std::shared_ptr<const Tier> tier, std::size_t regions)
    : tier_id_(tier_id) {
  for (std::size_t r = 0; r < regions; ++r) regions_.push_back(RegionEstimate(RegionId(r), tier));
}

TierSnapshot TierEstimate::Snapshot(Time now) const {
  TierSnapshot snapshot{.tier = tier_id_, .at = now, .regions = {}, .previous = nullptr};
  for (RegionId r(0); r != regions_.end_id(); r = RegionId(r.index() + 1)) {
    snapshot.regions.push_back(Load(r, now));
  }
  return snapshot;
}

}  // namespace ringway::planner
