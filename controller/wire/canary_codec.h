// The state of a canary, to and from the message that the state file and the journal hold.
//
// Exact to the bit: a replay goes on from it. What comes from a file is checked, so that no number that
// cannot be reaches a plan: shares and loads in their ranges, counts finite and not negative, words that are
// known.
//
// Errors: InvalidArgument with the place. Pure functions, linear in the message.
#ifndef RINGWAY_CONTROLLER_WIRE_CANARY_CODEC_H_
#define RINGWAY_CONTROLLER_WIRE_CANARY_CODEC_H_

#include "absl/status/statusor.h"
#include "controller/canary/trial.h"
#include "ringway/v1/controller_state.pb.h"

namespace ringway::controller {

v1::CanaryState EncodeCanary(const canary::TrialState& state);
absl::StatusOr<canary::TrialState> DecodeCanary(const v1::CanaryState& message);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_CANARY_CODEC_H_
