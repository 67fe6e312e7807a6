#include "proto/table_codec.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ringway::wire {
namespace {

constexpr double kSumTolerance = 1e-6;
constexpr int kRowRegionsMax = 10000;

// Where in the message a row stands, for error texts.
struct Place {
  const v1::RoutingTable& message;
  const v1::TierTable& tier;
  const v1::Row& row;
};

absl::Status RowError(const Place& place, const std::string& problem) {
  const std::uint32_t source = place.row.source();
  const bool named = source < static_cast<std::uint32_t>(place.message.regions_size());
  return absl::InvalidArgumentError(absl::StrCat(
      "RoutingTable: tier '", place.tier.tier(), "', priority ", place.row.priority(), ", source ",
      named ? place.message.regions(static_cast<int>(source)) : absl::StrCat(source), ": ", problem));
}

bool IsFraction(double x) { return std::isfinite(x) && x >= 0 && x <= 1 + kSumTolerance; }

absl::StatusOr<std::vector<RegionId>> DecodeRegions(const v1::RoutingTable& message, const Fleet& fleet) {
  if (message.regions_size() > kRowRegionsMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("RoutingTable.regions: ", message.regions_size(), " regions, at most ", kRowRegionsMax));
  }
  std::vector<RegionId> regions;
  std::vector<bool> seen(fleet.world.regions.size());
  for (const std::string& name : message.regions()) {
    const auto id = fleet.world.FindRegion(name);
    if (!id) {
      return absl::InvalidArgumentError(
          absl::StrCat("RoutingTable.regions: '", name, "' is not a region of this fleet"));
    }
    if (seen[id->index()]) {
      return absl::InvalidArgumentError(
          absl::StrCat("RoutingTable.regions: '", name, "' stands there twice"));
    }
    seen[id->index()] = true;
    regions.push_back(*id);
  }
  return regions;
}

absl::StatusOr<Row> DecodeRow(const Place& place, const std::vector<RegionId>& regions) {
  const v1::Row& message = place.row;
  Row row;
  double sum = message.shed_fraction();
  if (!IsFraction(message.shed_fraction())) return RowError(place, "shed_fraction is not in [0, 1]");
  row.shed_fraction = message.shed_fraction();
  std::vector<bool> seen(regions.size());
  for (const v1::Route& route : message.routes()) {
    if (route.target() >= regions.size()) return RowError(place, "target is not an index into regions");
    if (seen[route.target()]) return RowError(place, "a target appears twice");
    seen[route.target()] = true;
    if (!IsFraction(route.fraction())) return RowError(place, "fraction is not in [0, 1]");
    if (route.ring() < kHomeRing || route.ring() > 127) {
      return RowError(place, absl::StrCat("ring ", route.ring(), " does not exist"));
    }
    if (!std::isfinite(route.unlock_load())) return RowError(place, "unlock_load is not finite");
    if (!v1::RouteReason_IsValid(route.reason())) return RowError(place, "unknown reason");
    sum += route.fraction();
    row.routes.push_back({.target = regions[route.target()],
                          .fraction = route.fraction(),
                          .ring = static_cast<std::int8_t>(route.ring()),
                          .unlock_load = route.unlock_load(),
                          .reason = static_cast<RouteReason>(route.reason())});
  }
  if (std::abs(sum - 1) > kSumTolerance) {
    return RowError(place, absl::StrCat("fractions and shed_fraction sum to ", sum, ", not to 1"));
  }
  return row;
}

absl::Status DecodeTier(const v1::RoutingTable& message, const v1::TierTable& tier_message,
                        const std::vector<RegionId>& regions, const Fleet& fleet, RoutingTable& table) {
  const auto tier_id = fleet.FindTier(tier_message.tier());
  if (!tier_id) {
    return absl::InvalidArgumentError(
        absl::StrCat("RoutingTable.tiers: '", tier_message.tier(), "' is not a tier of this fleet"));
  }
  const Tier& tier = fleet.tiers[*tier_id];
  TierTable& rows = table.tiers[*tier_id];
  const std::size_t rows_max = tier.priorities.size() * fleet.world.regions.size();
  if (static_cast<std::size_t>(tier_message.rows_size()) > rows_max) {
    return absl::InvalidArgumentError(absl::StrCat("RoutingTable: tier '", tier.name, "' has ",
                                                   tier_message.rows_size(), " rows, at most ", rows_max));
  }
  for (const v1::Row& row : tier_message.rows()) {
    const Place place{message, tier_message, row};
    if (row.priority() >= tier.priorities.size()) return RowError(place, "priority does not exist");
    if (row.source() >= regions.size()) return RowError(place, "source is not an index into regions");
    auto decoded = DecodeRow(place, regions);
    if (!decoded.ok()) return decoded.status();
    rows.at(static_cast<Priority>(row.priority()), regions[row.source()]) = *std::move(decoded);
  }
  return absl::OkStatus();
}

bool StaysHome(const Row& row, RegionId source) {
  return row.routes.size() == 1 && row.routes[0].target == source && row.routes[0].fraction == 1 &&
         row.routes[0].reason == RouteReason::kHome;
}

}  // namespace

absl::Status CheckWireVersion(std::uint32_t version, const char* what) {
  if (version >= kWireVersionOldest && version <= kWireVersion) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ".wire_version is ", version, "; this release reads ",
                                                 kWireVersionOldest, " to ", kWireVersion,
                                                 ". Upgrade the older of the two processes."));
}

void EncodeRow(const Row& row, Priority priority, RegionId source, v1::Row* message) {
  message->set_priority(priority);
  message->set_source(source.value());
  message->set_shed_fraction(row.shed_fraction);
  for (const Route& route : row.routes) {
    v1::Route* out = message->add_routes();
    out->set_target(route.target.value());
    out->set_fraction(route.fraction);
    out->set_ring(route.ring);
    out->set_unlock_load(route.unlock_load);
    out->set_reason(static_cast<v1::RouteReason>(route.reason));
  }
}

v1::RoutingTable EncodeTable(const RoutingTable& table, const Fleet& fleet) {
  v1::RoutingTable message;
  message.set_wire_version(kWireVersion);
  message.set_epoch(table.version.epoch);
  message.set_version(table.version.version);
  message.set_planned_at_unix_us(ToUnixMicros(table.planned_at));
  for (const Region& region : fleet.world.regions) message.add_regions(region.name);
  for (const TierTable& rows : table.tiers) {
    const Tier& tier = fleet.tiers[rows.tier()];
    v1::TierTable* out = message.add_tiers();
    out->set_tier(tier.name);
    for (const std::string& priority : tier.priorities) out->add_priorities(priority);
    for (std::size_t p = 0; p < rows.priorities(); ++p) {
      for (std::size_t r = 0; r < rows.regions(); ++r) {
        const Row& row = rows.at(static_cast<Priority>(p), RegionId(r));
        if (!StaysHome(row, RegionId(r)))
          EncodeRow(row, static_cast<Priority>(p), RegionId(r), out->add_rows());
      }
    }
  }
  return message;
}

absl::StatusOr<RoutingTable> DecodeTable(const v1::RoutingTable& message, const Fleet& fleet) {
  if (absl::Status version = CheckWireVersion(message.wire_version(), "RoutingTable"); !version.ok())
    return version;
  auto regions = DecodeRegions(message, fleet);
  if (!regions.ok()) return regions.status();
  RoutingTable table;
  table.version = {message.epoch(), message.version()};
  table.planned_at = FromUnixMicros(message.planned_at_unix_us());
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    table.tiers.push_back(HomeTable(id, fleet.world.regions.size(), fleet.tiers[id].priorities.size()));
  }
  for (const v1::TierTable& tier : message.tiers()) {
    absl::Status decoded = DecodeTier(message, tier, *regions, fleet, table);
    if (!decoded.ok()) return decoded;
  }
  return table;
}

}  // namespace ringway::wire
