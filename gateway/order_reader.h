// From the body of a creation, JSON or a form, to an order.
//
// Reading is linear, but a body may be a picture of tens of megabytes: base64, copies and the fingerprint
// take tenths of a second then. So what is longer than kAtOnceBytes is read on a thread of its own, one body
// after the other, while the front serves everybody else; what is short is read at once, and does not wait
// for the long.
//
// Bounds: the caller's, on the bodies that are waiting; one is read at a time, which takes about four times
// its size. Threads: the loop's; `done` is called there, within Read for a short body.
#ifndef RINGWAY_GATEWAY_ORDER_READER_H_
#define RINGWAY_GATEWAY_ORDER_READER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gateway/jobs/image_order.h"
#include "gateway/jobs/video_order.h"
#include "runtime/event_loop.h"

namespace ringway::gateway {

// Errors: InvalidArgument, in words.
absl::StatusOr<VideoOrder> OrderOfJson(std::string_view body);
absl::StatusOr<VideoOrder> ReadOrder(std::string_view content_type, std::string_view body);
absl::StatusOr<VideoOrder> ReadImageOrder(ImageCallKind kind, std::string_view content_type,
                                          std::string_view body);

class OrderReader {
 public:
  // The body comes back, for whoever hands the request on as it was.
  using Done = std::function<void(absl::StatusOr<VideoOrder> order, std::string body)>;
  static constexpr std::size_t kAtOnceBytes = std::size_t{64} << 10;

  explicit OrderReader(runtime::EventLoop& loop) : loop_(loop), thread_("orders") {}

  void Start() { thread_.Start(); }
  // `kind`: of a call to the images API; nothing: a video.
  void Read(std::optional<ImageCallKind> kind, const std::string& content_type, std::string body, Done done);
  // Waits for the body that is being read; no `done` is called any more.
  void Close() { thread_.Stop(); }

 private:
  runtime::EventLoop& loop_;
  runtime::EventLoop thread_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_ORDER_READER_H_
