// The fleet map to and from the wire: what a router must know about regions and tiers.
//
// A FleetMap is a subset of the topology: settings that only the controller reads (metrics' capacities,
// rings, guard) do not travel, and come back with their defaults. Decoding checks counts, ranges and names,
// and fails as a whole.
//
// Threads: pure functions. Complexity: linear in regions squared (the RTT matrix).
#ifndef RINGWAY_PROTO_FLEET_CODEC_H_
#define RINGWAY_PROTO_FLEET_CODEC_H_

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "ringway/v1/fleet.pb.h"

namespace ringway::wire {

v1::FleetMap EncodeFleet(const Fleet& fleet);

// Errors: InvalidArgument, with the place in the message.
absl::StatusOr<Fleet> DecodeFleet(const v1::FleetMap& message);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_FLEET_CODEC_H_
