// The second plan while a canary runs: the settings that are tried, on the loads that the first plan reads.
//
// Each tier whose settings differ is planned twice an epoch from one snapshot. Each plan has a table of its
// own that it moves away from in steps, so that neither jumps when it becomes everybody's. Orders
// (thresholds, pins, drains, modes) and measured round trips count for both. The chosen routers get the one
// table, all others the other, under versions that rise: the chosen ones' first, so that the newest version
// is always that of the many. A region whose whole reserve is lifted by the new settings is planned as
// reserved until the verdict.
//
// What a mixture of both can do to a region: where the same part of every source's traffic goes by the new
// table, no more than the worse of both; beyond that, the difference of the parts times what the tables
// differ by (tests/canary/mixture_test.cc).
//
// Pure; one owner thread; one more Solve a tier and epoch.
#ifndef RINGWAY_CONTROLLER_TIERS_TRIAL_PLANS_H_
#define RINGWAY_CONTROLLER_TIERS_TRIAL_PLANS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/canary/trial.h"
#include "controller/events.h"
#include "controller/fleet/fleet_view.h"
#include "controller/tiers/tier_loop.h"

namespace ringway::controller {

class TrialPlans {
 public:
  canary::Trial& trial() { return trial_; }
  const canary::Trial& trial() const { return trial_; }

  void Hear(const RouterState& router, const Fleet& fleet, const RouterReport& report);
  // `snapshot`: what the loop was planned on.
  void Plan(const TierLoop& loop, const TierSnapshot& snapshot);
  // Null: the tier is not tried, or not planned yet.
  std::shared_ptr<const TierTable> Planned(TierId tier) const;
  // What the chosen routers have is not what they should have.
  bool Unsent() const;
  // The table of the chosen routers; null: they have that of all others.
  std::shared_ptr<const RoutingTable> Make(TableVersion version, Time now,
                                           const std::vector<TierLoop>& tiers);
  // That they were sent last; null: none.
  const std::shared_ptr<const RoutingTable>& table() const { return table_; }
  std::shared_ptr<const Audience> AudienceOf(const FleetView& view, bool only) const;
  canary::Presence PresenceIn(const FleetView& view, Time heard_since,
                              const std::vector<TierLoop>& tiers) const;
  // The routers at which jobs have entered while it measured.
  std::vector<canary::RouterPlace> Candidates(const FleetView& view, const Fleet& fleet) const;

  // The trial has ended or another file has come.
  void Drop() { arms_.clear(); }
  // From a checkpoint.
  void Restore(std::shared_ptr<const RoutingTable> table, const Fleet& fleet);

 private:
  struct Arm {
    std::shared_ptr<const Tier> loop_tier;  // and the world that the planner was made for
    const Fleet* fleet = nullptr;
    std::shared_ptr<const Tier> tier;
    std::optional<planner::Planner> planner;
    std::shared_ptr<const TierTable> in_force;
  };
  bool Ready() const { return trial_.running() && arms_.size() == trial_.state().evidence.size(); }

  canary::Trial trial_;
  std::map<TierId, Arm> arms_;
  std::shared_ptr<const RoutingTable> table_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TRIAL_PLANS_H_
