// What operators order of a router: what is allowed in an order, and how it is told to the controller.
//
// A router checks an order before it obeys; the errors are shown to the operator, so they name the field,
// what was found, and what is allowed. What it tells of the order (OrderDone) is one line of bounded length
// whatever names it was given, and passes CheckOrderDone of the controller.
//
// Pure. O(bytes).
#ifndef RINGWAY_PROTO_OPERATIONS_CODEC_H_
#define RINGWAY_PROTO_OPERATIONS_CODEC_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/time.h"
#include "ringway/v1/control.pb.h"
#include "ringway/v1/operations.pb.h"

namespace ringway::wire {

inline constexpr std::size_t kWhoBytesMax = 256;
inline constexpr std::size_t kWhyBytesMax = 1024;
inline constexpr std::size_t kOrderBytesMax = 64;     // of Operator.order
inline constexpr std::size_t kOrderIdBytesMax = 256;  // of OrderDone.id
inline constexpr std::size_t kActionBytesMax = 2048;
// In one report; what is left follows in the next.
inline constexpr int kOrdersInReport = 16;

// Errors: InvalidArgument.
absl::Status CheckCancel(const v1::CancelRequest& request);
// How long the order counts; infinite: for good. Errors: InvalidArgument.
absl::StatusOr<Duration> CheckDrainWorkers(const v1::DrainWorkersRequest& request);

// "cancel job order-4711"
std::string ActionOf(const v1::CancelRequest& request);
// "drain host 10.0.3.7 for 30m: w1, w2"; `workers`: those that were ordered.
std::string ActionOf(const v1::DrainWorkersRequest& request, const std::vector<std::string>& workers);

// Errors: InvalidArgument.
absl::Status CheckOrderDone(const v1::OrderDone& order);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_OPERATIONS_CODEC_H_
