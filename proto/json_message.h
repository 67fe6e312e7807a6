// JSON text as a message, within a budget.
//
// protobuf 3.21's reader of JSON is quadratic in the depth of arrays and takes many times the text's size for
// small values. So the text is read by core/json_reader.h first, which is linear and stops at the budget;
// what passes is small and flat, and protobuf gives it its fields.
//
// Threads: pure function.
#ifndef RINGWAY_PROTO_JSON_MESSAGE_H_
#define RINGWAY_PROTO_JSON_MESSAGE_H_

#include <google/protobuf/message.h>

#include <string_view>

#include "absl/status/status.h"
#include "core/json_reader.h"

namespace ringway::wire {

// What a message of a few fields needs.
inline constexpr JsonLimits kSmallMessage = {
    .depth_max = 8, .values_max = 1024, .bytes_max = std::size_t{64} << 10};

// `what` names the text in errors. Errors: InvalidArgument.
absl::Status ReadJsonMessage(std::string_view text, std::string_view what, const JsonLimits& limits,
                             google::protobuf::Message& message);

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_JSON_MESSAGE_H_
