// From a region's reports to the RegionLoad that the planner reads: load cost, demand, background, health.
//
// The controller's state machine feeds one sample a region and report period, in the order of their time; a
// sample with an older or equal time is dropped. Values are checked on the way in: what is not a number, is
// negative, or jumps absurdly is not used, and a finding says what stands instead. Health follows from the
// age of the last good sample: fresh, stale (GuardSpec::stale_after), missing (missing_after, or never seen).
//
// What the estimate does not know, the caller sets: `usable_share` starts as 1 - reserve_share and the caller
// multiplies it with the pace of a drain; `draining` is the operator's. Pure; one owner thread; O(1) a
// sample.
#ifndef RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_
#define RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "controller/planner/demand.h"
#include "controller/planner/finding.h"
#include "controller/planner/load_cost.h"
#include "core/ids.h"
#include "core/snapshot.h"
#include "core/tier.h"

namespace ringway::planner {

// One region at one moment; all numbers describe the same time, which is `at` and not that of arrival.
struct RegionSample {
  absl::Time at;
  double measured_load = 0;    // worst metric over its capacity
  double background_load = 0;  // of that, what no request of this tier causes
  double started_rps = 0;      // requests that went to this region's workers, from all sources
  double alive_share = 1;      // of the provisioned workers
  double held_mean_s = 0;      // how long a request held a worker; 0: not known, or the load is no busy share
  PerPriority<double> demand_rps{};  // first entering here, the refused included, our retries excluded
};

class RegionEstimate {
 public:
  RegionEstimate(RegionId region, std::shared_ptr<const Tier> tier);

  // All that was learnt. Restore on a fresh estimate of the same region gives its equal; under edited
  // settings it keeps what they allow.
  struct Learnt {
    std::optional<LoadCost::Learnt> cost;
    std::vector<Demand::Learnt> demand;  // by priority
    double background = 0;
    bool background_primed = false;
    double measured_load = 0;
    absl::Time last_at = absl::InfinitePast();
    absl::Time good_at = absl::InfinitePast();
  };
  Learnt learnt() const;
  void Restore(const Learnt& learnt);

  void Observe(const RegionSample& sample, std::vector<Finding>& findings);
  // The two halves of Observe, for inputs of different age: demand is wanted as new as it comes, while a load
  // is only of use together with the traffic of its own time.
  void ObserveDemand(const PerPriority<double>& demand_rps, std::vector<Finding>& findings);
  void ObserveLoad(const RegionSample& sample, std::vector<Finding>& findings);
  RegionLoad Load(absl::Time now) const;

 private:
  RegionId region_;
  std::shared_ptr<const Tier> tier_;
  std::optional<LoadCost> cost_;  // none where the tier has no workers
  std::vector<Demand> demand_;    // by priority
  Ewma background_;
  double measured_load_ = 0;
  absl::Time last_at_ = absl::InfinitePast();  // of any sample
  absl::Time good_at_ = absl::InfinitePast();  // of the last whose load could be used
};

class TierEstimate {
 public:
  TierEstimate(TierId tier_id, std::shared_ptr<const Tier> tier, std::size_t regions);

  void Observe(RegionId region, const RegionSample& sample, std::vector<Finding>& findings) {
    regions_[region].Observe(sample, findings);
  }
  RegionLoad Load(RegionId region, absl::Time now) const { return regions_[region].Load(now); }
  RegionEstimate& region(RegionId region) { return regions_[region]; }
  const RegionEstimate& region(RegionId region) const { return regions_[region]; }

  // Every region's Load; the caller then sets what only it knows (drains) and the table in force.
  TierSnapshot Snapshot(absl::Time now) const;

 private:
  TierId tier_id_;
  IdVector<RegionId, RegionEstimate> regions_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_ESTIMATE_H_
