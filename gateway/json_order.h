// The fields of a JSON body, one after the other, as text.
//
// Values are text, numbers and booleans; null counts as absent. A field that holds a picture is a data URL,
// base64, an object with `image_url`, or an array of one of these; a field that is a list has its texts
// joined with commas. The objects `extra_body` and `nvext` hold fields as well, as other servers have it.
// Anything else that is nested is refused by its name.
//
// Threads: pure function. Bounds: the caller's on the body; nesting is bounded by the parser.
#ifndef RINGWAY_GATEWAY_JSON_ORDER_H_
#define RINGWAY_GATEWAY_JSON_ORDER_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gateway/jobs/video_order.h"

namespace ringway::gateway {

struct FieldNames {
  std::span<const std::string_view> pictures = {};
  std::span<const std::string_view> lists = {};
};
using AddFieldFn = std::function<absl::Status(const std::string& name, std::string_view value)>;

// Errors: InvalidArgument, in words; those of `add`.
absl::Status ReadJsonFields(std::string_view body, FieldNames names, const AddFieldFn& add);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JSON_ORDER_H_
