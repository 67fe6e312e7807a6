#include "router/route_choice.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

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

std::string RouteChooser::UseTable(std::shared_ptr<const RoutingTable> table) {
  const TableVersion offered = table->version;
  if (offered.epoch < epoch_seen_max_) {
    return absl::StrCat("table ", offered.epoch, ".", offered.version, " is of an earlier leader; epoch ",
                        epoch_seen_max_, " has been seen");
  }
  if (table_ && offered < table_->version) {
    return absl::StrCat("table ", offered.epoch, ".", offered.version, " is older than the active ",
                        table_->version.epoch, ".", table_->version.version);
  }
  if (table_ && offered == table_->version) return "";
  rows_.assign(table->tiers.size(), {});
  for (TierId t(0); t != table->tiers.end_id(); t = TierId(t.index() + 1)) {
    const TierTable& tier = table->tiers[t];
    if (home_.index() >= tier.regions()) continue;
    for (std::size_t p = 0; p < std::min(tier.priorities(), kMaxPriorities); ++p) {
      rows_[t][p] = BuildRow(tier.at(static_cast<Priority>(p), home_));
    }
  }
  table_ = std::move(table);
  SawEpoch(offered.epoch);
  return "";
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
  return {.target = route.target, .reason = RouteReasonName(route.reason), .ring = route.ring};
}

}  // namespace ringway::router
