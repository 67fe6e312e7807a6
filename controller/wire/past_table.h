// Records of the table history: a whole table, or what is different from the one before.
//
// Deltas are of rows: a row is taken as it is or replaced. Names never change within a file, so indexes keep
// their meaning. What comes from disk is checked: an index beyond the names, or rows that a whole table does
// not have, are an error and never a crash; whether fractions make sense is checked when the table is
// decoded.
//
// DecodeUnder reads a table of any topology for the one that is loaded, with the rule of table_remap.h:
// regions, tiers and priorities by name, rows that lead to what is gone become home rows.
//
// Pure functions, linear in the table. Errors: DataLoss, InvalidArgument.
#ifndef RINGWAY_CONTROLLER_WIRE_PAST_TABLE_H_
#define RINGWAY_CONTROLLER_WIRE_PAST_TABLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/table.h"
#include "ringway/v1/history.pb.h"

namespace ringway::controller {

inline constexpr std::uint32_t kHistoryVersion = 1;
inline constexpr std::uint32_t kHistoryVersionOldest = 1;

inline TableVersion VersionOf(const v1::PastTable& entry) { return {entry.epoch(), entry.version()}; }

// `entry` holds a whole table whose names are those of `base`, whole too.
v1::PastTable AsDelta(const v1::PastTable& entry, const v1::RoutingTable& base);

// The first record of a file is one that this release reads.
absl::Status CheckFirst(const v1::PastTable& record);

// `table`, the one before, becomes that of `record`.
absl::Status Advance(const v1::PastTable& record, v1::RoutingTable& table);

absl::StatusOr<RoutingTable> DecodeUnder(const v1::RoutingTable& message, const Fleet& fleet);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_PAST_TABLE_H_
