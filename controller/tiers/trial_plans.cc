#include "controller/tiers/trial_plans.h"

#include <algorithm>
#include <utility>

namespace ringway::controller {
namespace {

// The share that is not reserved, under the new settings in place of the old.
void Reserve(const Tier& before, const Tier& after, TierSnapshot& snapshot) {
  for (RegionId id(0); id != snapshot.regions.end_id(); id = RegionId(id.index() + 1)) {
    const double was = 1 - before.regions[id].reserve_share;
    if (was > 0) snapshot.regions[id].usable_share *= (1 - after.regions[id].reserve_share) / was;
  }
}

}  // namespace

void TrialPlans::Hear(const RouterState& router, const Fleet& fleet, const RouterReport& report) {
  if (!trial_.open()) return;
  const std::string& region = fleet.world.regions[router.hello.region].name;
  for (const TierCounts& counts : report.tiers) {
    const bool entered =
        std::any_of(counts.entered.begin(), counts.entered.end(), [](auto n) { return n > 0; });
    if (entered) trial_.Entered(router.hello.router);
    if (counts.own_done == 0 && counts.own_lost == 0) continue;
    trial_.Hear(router.hello.router, region, fleet.tiers[counts.tier].name, report.table,
                {static_cast<double>(counts.own_done), static_cast<double>(counts.own_lost)});
  }
}

void TrialPlans::Plan(const TierLoop& loop, const TierSnapshot& snapshot) {
  if (!trial_.running() || !trial_.state().evidence.contains(loop.tier().name)) return;
  if (loop.mode() != TierMode::kActive || !loop.seen_a_worker() || loop.in_force() == nullptr) return;
  Arm& arm = arms_[loop.id()];
  if (arm.in_force == nullptr) arm.in_force = loop.in_force();
  if (!arm.planner || arm.loop_tier != loop.shared_tier() || arm.fleet != &loop.fleet()) {
    arm.loop_tier = loop.shared_tier();
    arm.fleet = &loop.fleet();
    const std::shared_ptr<const Fleet>& tried = trial_.tried();
    arm.tier = loop.WithOrders({tried, &tried->tiers[loop.id()]});
    arm.planner.emplace(loop.shared_world(), arm.tier);
  }
  TierSnapshot own = snapshot;
  own.previous = arm.in_force;
  Reserve(loop.tier(), *arm.tier, own);
  TierTable table = arm.planner->Solve(own).table;
  for (const auto& [key, row] : loop.pins()) table.at(key.second, key.first) = row;
  if (table != *arm.in_force) arm.in_force = std::make_shared<const TierTable>(std::move(table));
}

std::shared_ptr<const TierTable> TrialPlans::Planned(TierId tier) const {
  const auto arm = arms_.find(tier);
  return arm != arms_.end() ? arm->second.in_force : nullptr;
}

bool TrialPlans::Unsent() const {
  if (!Ready()) return table_ != nullptr;
  if (table_ == nullptr) return true;
  return std::any_of(arms_.begin(), arms_.end(),
                     [&](const auto& entry) { return *entry.second.in_force != table_->tiers[entry.first]; });
}

std::shared_ptr<const RoutingTable> TrialPlans::Make(TableVersion version, Time now,
                                                     const std::vector<TierLoop>& tiers) {
  table_ = nullptr;
  if (!Ready()) return nullptr;
  auto table = std::make_shared<RoutingTable>();
  table->version = version;
  table->planned_at = now;
  for (const TierLoop& loop : tiers) {
    const auto planned = Planned(loop.id());
    table->tiers.push_back(planned != nullptr ? *planned : *loop.in_force());
  }
  trial_.Sent(version);
  table_ = std::move(table);
  return table_;
}

std::shared_ptr<const Audience> TrialPlans::AudienceOf(const FleetView& view, bool only) const {
  auto audience = std::make_shared<Audience>();
  audience->only = only;
  for (const auto& [name, router] : view.routers()) {
    if (router.stream != 0 && trial_.Chosen(name)) audience->streams.push_back(router.stream);
  }
  std::sort(audience->streams.begin(), audience->streams.end());
  return audience;
}

canary::Presence TrialPlans::PresenceIn(const FleetView& view, Time heard_since,
                                        const std::vector<TierLoop>& tiers) const {
  canary::Presence presence;
  if (!trial_.running()) return presence;
  const TableVersion first = trial_.state().first;
  presence.chosen = static_cast<int>(trial_.state().chosen.size());
  for (const auto& [name, router] : view.routers()) {
    const bool heard = router.stream != 0 && router.reported_at >= heard_since;
    if (trial_.Chosen(name)) {
      presence.chosen_heard += heard && first != TableVersion() && router.active >= first;
    } else {
      ++presence.rest;
      presence.rest_heard += heard;
    }
  }
  for (const TierLoop& loop : tiers) {
    if (loop.mode() != TierMode::kActive) presence.resting.push_back(loop.tier().name);
  }
  return presence;
}

std::vector<canary::RouterPlace> TrialPlans::Candidates(const FleetView& view, const Fleet& fleet) const {
  std::vector<canary::RouterPlace> places;
  if (!trial_.WantsRouters()) return places;
  for (const auto& [name, router] : view.routers()) {
    if (!router.present() || !trial_.state().entered_at.contains(name)) continue;
    places.push_back({name, fleet.world.regions[router.hello.region].name});
  }
  return places;
}

void TrialPlans::Restore(std::shared_ptr<const RoutingTable> table, const Fleet& fleet) {
  table_ = std::move(table);
  if (table_ == nullptr || !trial_.running()) return;
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    if (!trial_.state().evidence.contains(fleet.tiers[id].name)) continue;
    arms_[id].in_force = std::make_shared<const TierTable>(table_->tiers[id]);
  }
}

}  // namespace ringway::controller
