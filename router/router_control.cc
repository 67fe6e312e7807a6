// The router's machine, what it is told: workers, routers, fleet, tables, and when to report.
#include <algorithm>
#include <utility>

#include "core/check.h"
#include "router/router_machine.h"

namespace ringway::router {

void RouterMachine::On(Turn& turn, const WorkerListed& event) {
  RINGWAY_CHECK(tiers_.contains(event.tier));
  workers_.List(event.worker, event.tier, event.local);
  if (event.local && workers_.open(event.worker)) HearOfFreed(turn, event.worker);
}

void RouterMachine::On(Turn&, const WorkerUnlisted& event) { workers_.Unlist(event.worker); }

void RouterMachine::On(Turn& turn, const WorkerHeard& event) {
  const bool idle = workers_.Hear(event.worker, event.news, turn.now);
  // Every router of the region hears of an idle worker; if all of them woke a job for it, all but one would
  // find it busy. The one beside it goes first; where it is beside many, they take turns.
  if (idle && workers_.local(event.worker)) HearOfFreed(turn, event.worker);
}

void RouterMachine::On(Turn& turn, const RouterListed& event) {
  peers_.List(event.router, event.region);
  if (event.region == home_) {
    neighbours_[event.router] = event.name;
  } else {
    neighbours_.erase(event.router);
  }
  AimAnew(turn.now);
  if (once_.on() && !event.name.empty()) once_.List(event.router, event.name);
}

void RouterMachine::On(Turn& turn, const RouterUnlisted& event) {
  peers_.Unlist(event.router);
  neighbours_.erase(event.router);
  AimAnew(turn.now);
  if (once_.on()) once_.Unlist(turn.now, event.router);
}

void RouterMachine::UseFleet(std::shared_ptr<const Fleet> fleet) {
  RINGWAY_CHECK(fleet->world.regions.contains(home_));
  RINGWAY_CHECK(fleet->tiers.size() >= tiers_.size());
  fleet_ = std::move(fleet);
  for (TierId t(0); t != fleet_->tiers.end_id(); t = TierId(t.index() + 1)) {
    if (tiers_.contains(t)) {
      tiers_[t].Reconfigure(fleet_->tiers[t]);
    } else {
      tiers_.push_back(TierState(fleet_->tiers[t], started_));
    }
  }
  routes_.UseFleet(*fleet_);
}

void RouterMachine::On(Turn& turn, const FleetChanged& event) {
  UseFleet(event.fleet);
  AimAnew(turn.now);
}

void RouterMachine::On(Turn& turn, const TableOffered& event) {
  if (!event.from_disk) controller_heard_ = turn.now;
  TableDecided decided{.version = event.table->version, .from_disk = event.from_disk};
  decided.refusal = routes_.UseTable(event.table, event.from_disk);
  decided.active = decided.refusal.empty();
  turn.actions.emplace_back(std::move(decided));
}

void RouterMachine::On(Turn& turn, const ControllerWelcomed& event) {
  routes_.FollowLeader(event.epoch);
  connected_ = true;
  controller_heard_ = turn.now;
  report_period_ = std::clamp(event.report_period, absl::Milliseconds(10), absl::Minutes(1));
  // What was counted while nobody listened is of no use to anybody.
  for (TierState& tier_state : tiers_) tier_state.counters.Take();
  reported_ = turn.now;
  report_at_ = reported_ + report_period_;
}

void RouterMachine::On(Turn& turn, const ControllerLost&) {
  if (connected_) controller_heard_ = turn.now;
  connected_ = false;
  report_at_ = absl::InfiniteFuture();
}

void RouterMachine::On(Turn&, const DrainChanged& event) { draining_ = event.draining; }

void RouterMachine::Report(Turn& turn) {
  SendReport report{.sequence = ++report_sequence_,
                    .period = turn.now - reported_,
                    .table = routes_.version(),
                    .epoch_seen_max = routes_.epoch_seen_max()};
  report.tiers.resize(tiers_.size());
  for (TierId t(0); t != tiers_.end_id(); t = TierId(t.index() + 1)) {
    report.tiers[t] = {.counters = tiers_[t].counters.Take(), .waiting = tiers_[t].held};
  }
  reported_ = turn.now;
  report_at_ = reported_ + report_period_;
  turn.actions.emplace_back(std::move(report));
}

}  // namespace ringway::router
