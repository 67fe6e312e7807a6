// A JSON body as an order.
//
// Values are text, numbers and booleans; null counts as absent. `input_reference` is a data URL, base64, or
// an object with `image_url`; the objects `extra_body` and `nvext` hold parameters as well, as other servers
// have it. Anything else that is nested is refused by its name.
//
// Threads: pure function. Bounds: the caller's on the body; nesting is bounded by the parser.
#ifndef RINGWAY_ROUTER_VIDEOS_JSON_ORDER_H_
#define RINGWAY_ROUTER_VIDEOS_JSON_ORDER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "router/videos/jobs/video_order.h"

namespace ringway::router::videos {

// Errors: InvalidArgument, in words.
absl::StatusOr<VideoOrder> OrderOfJson(std::string_view body);

}  // namespace ringway::router::videos

#endif  // RINGWAY_ROUTER_VIDEOS_JSON_ORDER_H_
