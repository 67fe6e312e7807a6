#include "controller/planner/check.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "controller/planner/ceiling.h"
#include "controller/planner/load_cost.h"
#include "core/finite.h"

namespace ringway::planner {
namespace {

class InputCheck {
 public:
  InputCheck(const Tier& tier, std::size_t regions, std::vector<Finding>& findings)
      : tier_(tier), ceilings_(tier.route.ceiling_wait), findings_(findings) {
    for (std::size_t r = 0; r < regions; ++r) {
      const double prior = LoadCostPrior(tier, RegionId(r));
      if (prior > 0) tier_capacity_rps_ += 1 / prior;
    }
  }

  Site Check(RegionId region, const RegionLoad& input) {
    region_ = region;
    quiet_ = input.health == InputHealth::kMissing;
    Site site;
    const TierRegion provisioned = tier_.regions.contains(region) ? tier_.regions[region] : TierRegion{};
    site.has_workers = provisioned.workers > 0;
    site.draining = input.draining;
    site.stale = input.health == InputHealth::kStale;
    site.missing = input.health == InputHealth::kMissing;
    site.takes_more = input.takes_more && !site.stale;
    CheckHealth(input);
    CheckUsable(input, provisioned, site);
    CheckCost(input, site);
    CheckBackground(input, site);
    CheckDemand(input, site);
    site.headroom = site.usable * (1 - tier_.guard.plan_margin);
    site.shed_level = ShedLevel(tier_, provisioned);
    if (!site.draining && !site.missing && site.headroom > 0) {
      const double share = provisioned.import_cap_share;
      // A share of 1 caps nothing: such a region may be overfilled by others as by its own users.
      site.import_max_rps = (share < 1 ? share : site.shed_level) * site.usable / site.cost;
    }
    site.hot_level = ceilings_.Of(site.usable * provisioned.workers, OverloadThreshold(tier_, region));
    site.raised_max = RaisedMax(site);
    site.SetLimit(site.hot_level);
    return site;
  }

 private:
  double RaisedMax(const Site& site) const {
    switch (tier_.isolation()) {
      case Isolation::kLocalFirst:
        return site.hot_level;
      case Isolation::kFill:
        return std::max(site.hot_level, std::min(kFullLevel, site.shed_level));
      case Isolation::kLevel:
        break;
    }
    return site.shed_level;
  }

  template <class... Words>
  void Report(const Words&... words) {
    // The numbers of a missing region are expected to be absent: it is reported once, as missing.
    if (!quiet_) findings_.push_back({Finding::Kind::kBadInput, region_, absl::StrCat(words...)});
  }

  void CheckHealth(const RegionLoad& input) {
    if (input.health == InputHealth::kStale) {
      findings_.push_back({Finding::Kind::kStaleInput, region_,
                           "no fresh report: its row stays as it is and nothing new is sent there"});
    } else if (input.health == InputHealth::kMissing) {
      findings_.push_back({Finding::Kind::kBadInput, region_,
                           "no report at all: its last known demand stands and nothing is sent there"});
    }
  }

  void CheckUsable(const RegionLoad& input, const TierRegion& provisioned, Site& site) {
    if (!site.has_workers) return;
    site.usable = input.usable_share;
    if (!IsFiniteNonNegative(input.usable_share)) {
      site.usable = 1 - provisioned.reserve_share;
      site.stale = true;
      site.takes_more = false;
      Report("usable share ", input.usable_share, ", allowed 0 to 1: ", site.usable, " used, no new imports");
    } else if (input.usable_share > 1) {
      site.usable = 1;
      Report("usable share ", input.usable_share, ", allowed 0 to 1: 1 used");
    }
  }

  void CheckCost(const RegionLoad& input, Site& site) {
    if (!site.has_workers) return;
    const double prior = LoadCostPrior(tier_, region_);
    const double jump = tier_.guard.jump_max;
    site.cost = input.load_cost;
    // Written so that NaN fails the test.
    if (!(input.load_cost >= prior / jump && input.load_cost <= prior * jump)) {
      site.cost = prior;
      Report("load cost ", input.load_cost, " per request/s, allowed ", prior / jump, " to ", prior * jump,
             ": the prior ", prior, " used");
    }
  }

  void CheckBackground(const RegionLoad& input, Site& site) {
    site.background = input.background_load;
    if (!IsFiniteNonNegative(input.background_load)) {
      site.background = 0;
      Report("background load ", input.background_load, ", finite numbers from 0 allowed: 0 used");
    } else if (input.background_load > tier_.guard.jump_max) {
      site.background = site.usable;
      Report("background load ", input.background_load, " is absurd: the region counts as full");
    }
  }

  void CheckDemand(const RegionLoad& input, Site& site) {
    const double believable = std::max(1.0, tier_.guard.jump_max * tier_capacity_rps_);
    for (std::size_t p = 0; p < tier_.priorities.size() && p < kMaxPriorities; ++p) {
      double rps = input.demand_rps[p];
      if (!IsFiniteNonNegative(rps)) {
        Report("demand ", rps, " requests/s of priority ", tier_.priorities[p],
               ", finite numbers from 0 allowed: 0 used, its row stays as it is");
        rps = 0;
        site.stale = true;
        site.takes_more = false;
      } else if (rps > believable) {
        Report("demand ", rps, " requests/s of priority ", tier_.priorities[p], ", more than ",
               tier_.guard.jump_max, " times what the whole tier serves: ", believable, " used");
        rps = believable;
      }
      site.demand_rps[p] = rps;
      site.demand_total_rps += rps;
    }
  }

  const Tier& tier_;
  Ceilings ceilings_;
  std::vector<Finding>& findings_;
  double tier_capacity_rps_ = 0;
  RegionId region_;
  bool quiet_ = false;
};

}  // namespace

// Who decides about requests above full? In a line the important ones go first, and no GPU idles while it
// lasts. A line knows nothing of a reserve, and jobs that probe have none: where that would hurt, the table
// decides.
double ShedLevel(const Tier& tier, const TierRegion& provisioned) {
  const bool ordered = tier.dispatch.mode == DispatchMode::kLedger || tier.priorities.size() == 1;
  return ordered && provisioned.reserve_share <= 0 ? std::max(kFullLevel, tier.guard.shed_above) : kFullLevel;
}

IdVector<RegionId, Site> CheckInputs(const Tier& tier, std::size_t regions, const TierSnapshot& snapshot,
                                     std::vector<Finding>& findings) {
  InputCheck check(tier, regions, findings);
  IdVector<RegionId, Site> sites;
  ForEachRegion(regions, [&](RegionId region) {
    RegionLoad input;
    input.health = InputHealth::kMissing;
    if (snapshot.regions.contains(region)) input = snapshot.regions[region];
    sites.push_back(check.Check(region, input));
  });
  return sites;
}

}  // namespace ringway::planner
