// The closed loop of one tier: from what routers and Prometheus say to the table that is in force.
//
// Each epoch: Observe (traffic and loads into the estimates), Solve (snapshot to plan), Decide (mode and pins
// turn the plan into the table in force). What the estimates cannot know is added here: how many workers are
// alive, how far a region is drained, how old a region's reports are, and what operators have pinned.
//
// Rules. A region is fresh while any of its routers reported within GuardSpec::stale_after, or within what
// the periods in use make of it (`Periods`: no value is old before the next one can be there); then only such
// routers count. Without one, the last believed values stand and the region is stale, later missing. Of a
// region that was never heard of the best is thought: it serves its own users and takes no others. Until one
// worker of the tier has been seen nothing is planned, everybody stays at home. Capacity
// follows the living workers (usable_share), denominators stay as provisioned (aggregate.h). Load samples are
// held against the traffic of their own time (rate_history.h). Pinned traffic is not planned: it counts as
// background load of its targets, so that the plan works around it.
//
// Pure; one owner thread; O(regions + workers) an epoch beside the planner's Solve.
#ifndef RINGWAY_CONTROLLER_TIERS_TIER_LOOP_H_
#define RINGWAY_CONTROLLER_TIERS_TIER_LOOP_H_

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "controller/events.h"
#include "controller/fleet/fleet_view.h"
#include "controller/fleet/standing.h"
#include "controller/planner/estimate.h"
#include "controller/planner/planner.h"
#include "controller/scale/scaler.h"
#include "controller/tiers/drain_ramp.h"
#include "controller/tiers/rate_history.h"
#include "controller/tiers/tier_orders.h"
#include "core/fleet.h"
#include "core/snapshot.h"
#include "core/time.h"

namespace ringway::controller {

// The last value that Prometheus gave for one metric of one region.
struct SampledMetric {
  double value = 0;
  Time at = InfinitePast();
};

struct RegionState {
  RegionTraffic traffic;               // last believed
  std::vector<SampledMetric> sampled;  // by metric
  RateHistory arriving;                // requests per second sent here, from all sources
  DrainRamp drain;
  Standing standing;
};

class TierLoop {
 public:
  // What the controller runs with; ages are judged by it.
  struct Periods {
    Duration epoch;
    Duration report;
    // No region is stale, and no metric too old, before it had the time to report twice and be looked at.
    Duration StaleMin() const { return epoch + 2 * report; }
    Duration MissingMin() const { return StaleMin() + report; }
  };
  TierLoop(std::shared_ptr<const Fleet> fleet, TierId id, const Periods& periods);

  // ---- inputs ----
  void Sample(Time now, const MetricSampled& sample);
  // `window_start`: the last epoch's end, from which the rates of `view` are counted.
  // `cut_off`: so many regions fell that it is this controller that stands alone, and nothing follows from
  // it.
  void Observe(Time now, Time window_start, const FleetView& view, bool cut_off = false);
  // Every region that has workers is heard of.
  bool Settled() const;
  // A worker of the tier lives, or did since the start.
  bool seen_a_worker() const { return seen_a_worker_; }
  void RestoreSeenAWorker(bool seen) { seen_a_worker_ = seen; }

  // ---- decisions ----
  // What the planner is told: Unpinned, with the pinned traffic set aside.
  TierSnapshot Snapshot(Time now) const;
  TierSnapshot Unpinned(Time now) const;
  // The same as it would be with these shares drained.
  TierSnapshot UnpinnedWith(Time now, const IdVector<RegionId, double>& drained) const;
  void SetPinnedAside(TierSnapshot& snapshot) const;
  std::shared_ptr<const planner::Plan> Solve(std::shared_ptr<const TierSnapshot> snapshot);
  // The table that should be in force now; the same pointer as before if nothing moves.
  std::shared_ptr<const TierTable> Decide() const;
  void PutInForce(std::shared_ptr<const TierTable> table) { in_force_ = std::move(table); }

  // How many workers are wanted, where the tier is scaled; at the end of an epoch. True: what it has learnt
  // is worth saving.
  bool Scale(Time now);

  // ---- operators; ids and values are checked by the caller (commands.h) ----
  // The same regions and tiers, with other round trips.
  void UseMap(std::shared_ptr<const Fleet> fleet);
  // The same regions and tiers, with other settings; what was learnt stays.
  void UseSettings(Time now, std::shared_ptr<const Fleet> fleet);
  RegionState& region(RegionId id) { return regions_[id]; }
  TierOrders& orders() { return orders_; }
  // After a change of orders(): thresholds, drains, mode and pins become what is ordered now.
  void Obey(Time now);
  // Ends the orders whose term is over and obeys what is left; what ended.
  std::vector<PendingOrder> Expire(Time now);
  // What the same tier has learnt under another topology, region by region of the same name.
  void TakeOverEstimates(const TierLoop& other);
  planner::TierEstimate& estimate() { return estimate_; }
  std::optional<scale::Scaler>& scaler() { return scaler_; }

  // ---- views ----
  TierId id() const { return id_; }
  const Fleet& fleet() const { return *fleet_; }
  std::shared_ptr<const World> shared_world() const { return {fleet_, &fleet_->world}; }
  const Tier& tier() const { return *tier_; }
  const std::shared_ptr<const Tier>& shared_tier() const { return tier_; }
  TierMode mode() const { return orders_.mode.now(); }
  const TierOrders& orders() const { return orders_; }
  const RegionState& region(RegionId id) const { return regions_[id]; }
  const IdVector<RegionId, double>& arriving_rps() const { return arriving_rps_; }
  double DrainShare(RegionId id, Time now) const {
    return regions_[id].drain.Share(now, tier_->guard.drain_pace);
  }
  const std::map<PinKey, Row>& pins() const { return pins_; }
  // The tier with the thresholds that are ordered in place of its own.
  std::shared_ptr<const Tier> WithOrders(const std::shared_ptr<const Tier>& tier) const;
  const planner::TierEstimate& estimate() const { return estimate_; }
  // None: the tier is not scaled.
  const std::optional<scale::Scaler>& scaler() const { return scaler_; }
  const std::shared_ptr<const TierTable>& in_force() const { return in_force_; }
  // Null before the first Solve.
  const std::shared_ptr<const planner::Plan>& plan() const { return plan_; }
  // Of the last Observe; the plan has its own.
  const std::vector<planner::Finding>& findings() const { return findings_; }

 private:
  // After a change of the map or of the thresholds.
  void PlanAnew();
  void ObserveRegion(Time now, RegionId id);
  void CountForScaling(RegionId id, const planner::RegionCounts& counts);
  std::optional<MetricReading> Read(Time now, RegionId id, std::size_t metric);
  RegionLoad LoadOf(RegionId id, Time now, double drained) const;
  WorkerCount Workers(RegionId id) const;

  Periods periods_;
  std::shared_ptr<const Fleet> fleet_;
  TierId id_;
  std::shared_ptr<const Tier> base_;                 // of the topology
  std::shared_ptr<const Tier> tier_;                 // with the thresholds that are ordered
  std::shared_ptr<const planner::Planner> planner_;  // shared by copies: a loop is a value
  planner::TierEstimate estimate_;
  std::optional<scale::Scaler> scaler_;
  IdVector<RegionId, RegionState> regions_;
  IdVector<RegionId, double> arriving_rps_;
  TierOrders orders_;
  std::map<PinKey, Row> pins_;  // those of orders_ that count now
  std::shared_ptr<const TierTable> in_force_;
  std::shared_ptr<const planner::Plan> plan_;
  std::vector<planner::Finding> findings_;
  bool seen_a_worker_ = false;
  bool cut_off_ = false;  // of the last Observe
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TIER_LOOP_H_
