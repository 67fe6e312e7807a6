#include "controller/wire/past_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/tiers/table_remap.h"
#include "controller/wire/table_difference.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

v1::TierTable* TierOf(v1::RoutingTable& table, const std::string& tier) {
  for (v1::TierTable& one : *table.mutable_tiers()) {
    if (one.tier() == tier) return &one;
  }
  return nullptr;
}

// Every row of every tier stands in its place: priority-major, by region.
absl::Status CheckWhole(const v1::RoutingTable& table) {
  const int regions = table.regions_size();
  for (const v1::TierTable& tier : table.tiers()) {
    if (tier.rows_size() != regions * tier.priorities_size()) {
      return absl::DataLossError(absl::StrCat("tier '", tier.tier(), "' has ", tier.rows_size(),
                                              " rows, not ", regions * tier.priorities_size()));
    }
    for (int r = 0; r < tier.rows_size(); ++r) {
      const v1::Row& row = tier.rows(r);
      if (static_cast<int>(row.priority()) != r / regions || static_cast<int>(row.source()) != r % regions) {
        return absl::DataLossError(absl::StrCat("tier '", tier.tier(), "': row ", r, " is not in its place"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

v1::PastTable AsDelta(const v1::PastTable& entry, const v1::RoutingTable& base) {
  v1::PastTable delta = entry;
  delta.clear_whole();
  delta.clear_history_version();
  for (int t = 0; t < entry.whole().tiers_size(); ++t) {
    const v1::TierTable& now = entry.whole().tiers(t);
    const v1::TierTable& was = base.tiers(t);
    v1::TierTable* changed = nullptr;
    for (int r = 0; r < now.rows_size(); ++r) {
      if (SameRow(now.rows(r), was.rows(r))) continue;
      if (changed == nullptr) {
        changed = delta.add_changed();
        changed->set_tier(now.tier());
      }
      *changed->add_rows() = now.rows(r);
    }
  }
  return delta;
}

absl::Status CheckFirst(const v1::PastTable& record) {
  if (record.history_version() < kHistoryVersionOldest || record.history_version() > kHistoryVersion) {
    return absl::FailedPreconditionError(absl::StrCat("history_version is ", record.history_version(),
                                                      "; this release reads ", kHistoryVersionOldest, " to ",
                                                      kHistoryVersion));
  }
  if (!record.has_whole()) return absl::DataLossError("the first record holds no whole table");
  return CheckWhole(record.whole());
}

absl::Status Advance(const v1::PastTable& record, v1::RoutingTable& table) {
  if (record.has_whole()) {
    if (absl::Status whole = CheckWhole(record.whole()); !whole.ok()) return whole;
    table = record.whole();
    return absl::OkStatus();
  }
  const auto regions = static_cast<std::uint32_t>(table.regions_size());
  for (const v1::TierTable& changed : record.changed()) {
    v1::TierTable* tier = TierOf(table, changed.tier());
    if (tier == nullptr)
      return absl::DataLossError(absl::StrCat("tier '", changed.tier(), "' is not in the file"));
    for (const v1::Row& row : changed.rows()) {
      const auto priorities = static_cast<std::uint32_t>(tier->priorities_size());
      if (row.source() >= regions || row.priority() >= priorities) {
        return absl::DataLossError(absl::StrCat("tier '", changed.tier(), "': a row beyond the names"));
      }
      *tier->mutable_rows(static_cast<int>(row.priority() * regions + row.source())) = row;
    }
  }
  table.set_epoch(record.epoch());
  table.set_version(record.version());
  table.set_planned_at_unix_us(record.at_unix_us());
  return absl::OkStatus();
}

absl::StatusOr<RoutingTable> DecodeUnder(const v1::RoutingTable& message, const Fleet& fleet) {
  Fleet names;
  for (const std::string& region : message.regions()) {
    if (names.world.FindRegion(region)) continue;  // said twice: the decoder complains of it
    Region named;
    named.name = region;
    names.world.regions.push_back(std::move(named));
  }
  for (const v1::TierTable& tier : message.tiers()) {
    if (tier.priorities_size() > static_cast<int>(kMaxPriorities)) {
      return absl::InvalidArgumentError(absl::StrCat("tier '", tier.tier(), "' has too many priorities"));
    }
    Tier named;
    named.name = tier.tier();
    named.priorities.assign(tier.priorities().begin(), tier.priorities().end());
    names.tiers.push_back(std::move(named));
  }
  auto table = wire::DecodeTable(message, names);
  if (!table.ok()) return table.status();
  return RemapTable(*table, names, fleet);
}

}  // namespace ringway::controller
