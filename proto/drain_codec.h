// How long an order to drain a worker counts, as the wire has it.
//
// Routers ask this before they pass an operator's order on, and workers before they obey. The errors are
// shown to the operator, so they name the field, what was found, and what is allowed.
//
// Pure. O(1).
#ifndef RINGWAY_PROTO_DRAIN_CODEC_H_
#define RINGWAY_PROTO_DRAIN_CODEC_H_

#include "absl/status/statusor.h"

#include "core/time.h"

namespace ringway::wire {

inline constexpr double kDrainSecondsMax = 30.0 * 24 * 3600;

// `for_s` of an order; 0 is for good: infinite. Errors: InvalidArgument, also for a term of an order that
// takes a drain back.
absl::StatusOr<Duration> DrainTermOf(bool drain, double for_s);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_DRAIN_CODEC_H_
