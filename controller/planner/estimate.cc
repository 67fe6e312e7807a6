#include "controller/planner/estimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/finite.h"

namespace ringway::planner {
namespace {

// A region's demand is not absurd below this share of what its fleet serves, or this rate where it has none.
constexpr double kDemandFloorShare = 0.05;
constexpr double kDemandFloorRps = 1;

}  // namespace

RegionEstimate::RegionEstimate(RegionId region, std::shared_ptr<const Tier> tier)
    : region_(region), tier_(std::move(tier)), background_(tier_->guard.cost_ewma) {
  const double prior = LoadCostPrior(*tier_, region);
  if (prior > 0) cost_.emplace(prior, *tier_);
  const double floor_rps = prior > 0 ? kDemandFloorShare / prior : kDemandFloorRps;
  demand_.assign(tier_->priorities.size(), Demand(tier_->guard, floor_rps));
}

void RegionEstimate::Observe(const RegionSample& sample, std::vector<Finding>& findings) {
  if (sample.at <= last_at_) return;
  ObserveDemand(sample.demand_rps, findings);
  ObserveLoad(sample, findings);
}

void RegionEstimate::ObserveLoad(const RegionSample& sample, std::vector<Finding>& findings) {
  if (sample.at <= last_at_) return;
  last_at_ = sample.at;
  if (!IsFiniteNonNegative(sample.measured_load) || !IsFiniteNonNegative(sample.background_load) ||
      !IsFiniteNonNegative(sample.started_rps)) {
    findings.push_back({Finding::Kind::kBadInput, region_,
                        absl::StrCat("load ", sample.measured_load, ", background ", sample.background_load,
                                     ", started ", sample.started_rps,
                                     " requests/s: finite numbers from 0 are allowed; the load cost stays")});
    return;
  }
  good_at_ = sample.at;
  measured_load_ = sample.measured_load;
  background_.Add(std::min(sample.background_load, sample.measured_load));
  if (cost_)
    cost_->Add(sample.at, {.load = sample.measured_load,
                           .background_load = background_.value(),
                           .started_rps = sample.started_rps,
                           .alive_share = sample.alive_share,
                           .held_mean_s = sample.held_mean_s});
}

void RegionEstimate::ObserveDemand(const PerPriority<double>& demand_rps, std::vector<Finding>& findings) {
  for (std::size_t p = 0; p < demand_.size(); ++p) {
    const double before = demand_[p].rps();
    std::string_view outcome;
    switch (demand_[p].Add(demand_rps[p])) {
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
        break;
    }
    findings.push_back(
        {Finding::Kind::kBadInput, region_,
         absl::StrCat("demand ", demand_rps[p], " requests/s of priority ", p, " after ", before, ": ",
                      absl::string_view(outcome.data(), outcome.size()), "; ", demand_[p].rps(), " used")});
  }
}

RegionLoad RegionEstimate::Load(absl::Time now) const {
  RegionLoad load;
  load.usable_share = cost_ ? 1 - tier_->regions[region_].reserve_share : 0;
  if (cost_) {
    load.load_cost = cost_->value();
    load.load_cost_low = cost_->low();
    load.load_cost_high = cost_->high();
  }
  load.background_load = background_.value();
  load.measured_load = measured_load_;
  for (std::size_t p = 0; p < demand_.size(); ++p) load.demand_rps[p] = demand_[p].rps();
  const absl::Duration age = now - good_at_;
  if (age > tier_->guard.missing_after) {
    load.health = InputHealth::kMissing;
  } else if (age > tier_->guard.stale_after) {
    load.health = InputHealth::kStale;
  }
  return load;
}

RegionEstimate::Learnt RegionEstimate::learnt() const {
  Learnt learnt{.cost = std::nullopt,
                .demand = {},
                .background = background_.value(),
                .background_primed = background_.primed(),
                .measured_load = measured_load_,
                .last_at = last_at_,
                .good_at = good_at_};
  if (cost_) learnt.cost = cost_->learnt();
  for (const Demand& demand : demand_) learnt.demand.push_back(demand.learnt());
  return learnt;
}

void RegionEstimate::Restore(const Learnt& learnt) {
  if (cost_ && learnt.cost) cost_->Restore(*learnt.cost);
  for (std::size_t p = 0; p < std::min(demand_.size(), learnt.demand.size()); ++p) {
    demand_[p].Restore(learnt.demand[p]);
  }
  if (learnt.background_primed) background_.Reset(learnt.background);
  measured_load_ = learnt.measured_load;
  last_at_ = learnt.last_at;
  good_at_ = learnt.good_at;
}

TierEstimate::TierEstimate(TierId tier_id, std::shared_ptr<const Tier> tier, std::size_t regions)
    : tier_id_(tier_id) {
  for (std::size_t r = 0; r < regions; ++r) regions_.push_back(RegionEstimate(RegionId(r), tier));
}

TierSnapshot TierEstimate::Snapshot(absl::Time now) const {
  TierSnapshot snapshot{.tier = tier_id_, .at = now, .regions = {}, .previous = nullptr};
  for (RegionId r(0); r != regions_.end_id(); r = RegionId(r.index() + 1)) {
    snapshot.regions.push_back(Load(r, now));
  }
  return snapshot;
}

}  // namespace ringway::planner
