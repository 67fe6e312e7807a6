// The controller's durable state and its directory, to and from messages.
//
// DecodeState builds the fleet of names that the stored table and directory speak of; the machine maps it to
// the topology that is loaded. EncodeWholeTable writes every row, home rows included, so that a table comes
// back exactly as it was (the wire form leaves plain home rows out).
//
// Errors: InvalidArgument with the place; DataLoss does not occur here (the file format checks its bytes).
// Pure functions, linear in the message.
#ifndef RINGWAY_CONTROLLER_WIRE_STATE_CODEC_H_
#define RINGWAY_CONTROLLER_WIRE_STATE_CODEC_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "controller/durable_state.h"
#include "ringway/v1/controller_state.pb.h"

namespace ringway::controller {

inline constexpr std::uint32_t kStateVersion = 1;
inline constexpr std::uint32_t kStateVersionOldest = 1;

v1::ControllerState EncodeState(const DurableState& state);
absl::StatusOr<DurableState> DecodeState(const v1::ControllerState& message);
// An epoch that no controller can have reached is not taken over, nor who was appointed under one; all else
// of the state is as good as ever. True: something was dropped.
bool DropAbsurdEpochs(v1::ControllerState& message);

// Every term of an order that has one.
void EditTerms(v1::ControllerState& message, const std::function<void(v1::Term&)>& edit);

// With the workers of `region`, or of all regions.
v1::Directory EncodeDirectory(const Directory& directory, const Fleet& fleet, std::optional<RegionId> region);

v1::RoutingTable EncodeWholeTable(const RoutingTable& table, const Fleet& fleet);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_STATE_CODEC_H_
