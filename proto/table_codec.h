// Routing tables to and from the wire.
//
// Encoding names the regions and priorities in the message and refers to them by index. Decoding is where a
// table from another process is checked: wire version, known names, finite fractions in [0, 1], rows that sum
// to 1, no target twice. Either a whole sound table comes out or an error that names the tier, the row and
// the field; nothing is half-applied. A tier or region that the receiver does not know is an error, because
// routing by half a table is worse than by the last one.
//
// Threads: pure functions. Complexity: linear in the size of the table.
#ifndef RINGWAY_PROTO_TABLE_CODEC_H_
#define RINGWAY_PROTO_TABLE_CODEC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/table.h"
#include "ringway/v1/fleet.pb.h"

namespace ringway::wire {

// The version this release writes. It reads this one and the one before; 0 is never valid.
inline constexpr std::uint32_t kWireVersion = 1;
inline constexpr std::uint32_t kWireVersionOldest = 1;

// `what` names the message in the error, for example "Report".
absl::Status CheckWireVersion(std::uint32_t version, const char* what);

v1::RoutingTable EncodeTable(const RoutingTable& table, const Fleet& fleet);

// Errors: InvalidArgument, with the place in the message.
absl::StatusOr<RoutingTable> DecodeTable(const v1::RoutingTable& message, const Fleet& fleet);

// One row, for admin calls; `regions` as in the message that holds it.
void EncodeRow(const Row& row, Priority priority, RegionId source, v1::Row* message);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_TABLE_CODEC_H_
