#include "router/routes/route_choice.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"

namespace ringway::router {
namespace {

RegionId NearestWithWorkers(const Fleet& fleet, const Tier& tier, RegionId home) {
  if (!tier.regions.contains(home) || tier.regions[home].workers > 0) return home;
  RegionId nearest = home;
  for (RegionId r(0); r != tier.regions.end_id(); r = RegionId(r.index() + 1)) {
    if (tier.regions[r].workers <= 0) continue;
    if (tier.residency_forbidden.contains(home)) {
      const auto& forbidden = tier.residency_forbidden[home];
      if (std::find(forbidden.begin(), forbidden.end(), r) != forbidden.end()) continue;
    }
    if (nearest == home || fleet.world.rtt.ms(home, r) < fleet.world.rtt.ms(home, nearest)) nearest = r;
  }
  return nearest;
}

bool OpensHome(const TierTable& tier, RegionId home) {
  bool open = false;
  for (std::size_t p = 0; p < tier.priorities(); ++p) {
    for (const Route& route : tier.at(static_cast<Priority>(p), home).routes) {
      if (route.reason == RouteReason::kDrain || route.reason == RouteReason::kPinned) return false;
      open = open || route.target == home;
    }
  }
  return open;
}

bool IsDrained(const TierTable& tier, RegionId region) {
  for (std::size_t p = 0; p < tier.priorities(); ++p) {
    for (const Route& route : tier.at(static_cast<Priority>(p), region).routes) {
      if (route.reason == RouteReason::kDrain) return true;
    }
  }
  return false;
}

dispatch::AliasTable BuildRow(const Row& row) {
  if (row.routes.empty() && row.shed_fraction <= 0) return {};
  std::vector<double> weights;
  for (const Route& route : row.routes) weights.push_back(route.fraction);
  weights.push_back(row.shed_fraction);
  return dispatch::AliasTable(weights);
}

}  // namespace

void RouteChooser::UseFleet(const Fleet& fleet) {
  without_table_.resize(fleet.tiers.size());
  for (TierId t(0); t != fleet.tiers.end_id(); t = TierId(t.index() + 1)) {
    without_table_[t] = NearestWithWorkers(fleet, fleet.tiers[t], home_);
  }
}

void RouteChooser::FollowLeader(std::uint64_t epoch) {
  if (!EpochCredible(epoch_seen_max_, epoch)) {
    taken_ = {};
    epoch_seen_max_ = 0;
  }
  epoch_seen_max_ = std::max(epoch_seen_max_, epoch);
}

std::string RouteChooser::UseTable(std::shared_ptr<const RoutingTable> table, bool from_disk) {
  const TableVersion offered = table->version;
  if (!from_disk && offered.epoch < epoch_seen_max_) {
    return absl::StrCat("table ", offered.epoch, ".", offered.version, " is of an earlier leader; epoch ",
                        epoch_seen_max_, " has been seen");
  }
  if (!from_disk && !EpochCredible(offered.epoch, epoch_seen_max_)) {
    return absl::StrCat(
        "table ", offered.epoch, ".", offered.version, " is of an epoch beyond any sense: ", epoch_seen_max_,
        " is the highest that has been seen, and no leader can be more than ", kEpochStepMax, " ahead");
  }
  if (table_ && offered < taken_) {
    return absl::StrCat("table ", offered.epoch, ".", offered.version, " is older than the active ",
                        taken_.epoch, ".", taken_.version);
  }
  if (table_ && offered == taken_) return "";
  rows_.assign(table->tiers.size(), {});
  home_open_.assign(table->tiers.size(), false);
  for (TierId t(0); t != table->tiers.end_id(); t = TierId(t.index() + 1)) {
    const TierTable& tier = table->tiers[t];
    if (home_.index() >= tier.regions()) continue;
    home_open_[t] = OpensHome(tier, home_);
    for (std::size_t p = 0; p < std::min(tier.priorities(), kMaxPriorities); ++p) {
      rows_[t][p] = BuildRow(tier.at(static_cast<Priority>(p), home_));
    }
  }
  table_ = std::move(table);
  FindDrained();
  taken_ = offered;
  epoch_seen_max_ = std::max(epoch_seen_max_, offered.epoch);
  return "";
}

void RouteChooser::FindDrained() {
  const auto before = std::move(drained_);
  drained_.assign(table_->tiers.size(), {});
  for (TierId t(0); t != table_->tiers.end_id(); t = TierId(t.index() + 1)) {
    const TierTable& tier = table_->tiers[t];
    for (RegionId r(0); r.index() < tier.regions(); r = RegionId(r.index() + 1)) {
      if (IsDrained(tier, r)) drained_[t].push_back(r);
    }
  }
  drained_changed_ = drained_changed_ || drained_ != before;
}

bool RouteChooser::Drained(TierId tier, RegionId region) const {
  return drained_.contains(tier) && std::binary_search(drained_[tier].begin(), drained_[tier].end(), region);
}

RouteChoice RouteChooser::LocalFirst(TierId tier) const {
  const RegionId target = without_table_.contains(tier) ? without_table_[tier] : home_;
  return {.target = target, .reason = target == home_ ? "local-first" : "no-workers"};
}

RouteChoice RouteChooser::Pick(TierId tier, Priority priority, std::uint64_t random, bool may_shed) const {
  if (!rows_.contains(tier) || rows_[tier][priority].empty()) return LocalFirst(tier);
  const Row& row = table_->tiers[tier].at(priority, home_);
  const std::uint32_t choice = rows_[tier][priority].Pick(random);
  if (choice == row.routes.size()) {
    if (!may_shed) return LocalFirst(tier);
    return {.target = home_, .reason = "shed", .shed = true};
  }
  const Route& route = row.routes[choice];
  const bool if_idle = route.reason == RouteReason::kOverload || route.reason == RouteReason::kDisplaced;
  return {.target = route.target,
          .reason = RouteReasonName(route.reason),
          .ring = route.ring,
          .if_idle = if_idle};
}

}  // namespace ringway::router
