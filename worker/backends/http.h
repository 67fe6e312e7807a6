// Gives any HTTP server capacity one: POSTs the payload to it and streams the answer back.
//
// For servers that speak the OpenAI-style images and videos API (vLLM-Omni, SGLang) or anything else that
// answers a POST. A job with a payload is sent as it is, with its content type; a job without one becomes a
// JSON object of its parameters, its model and its prompt. What the answer means for the job:
//
//   2xx              done; the body is the result, streamed in pieces
//   429, 503         busy: the server serves somebody else, nothing was started; Retry-After is passed on
//   other 4xx        rejected, with the beginning of the body as the message
//   other            failed
//   no connection    busy as well, because nothing was started; the slot rests when that repeats
//   no answer        failed, after answer_max; closed by Cancel: cancelled
//
// Cancel closes the connection, which is how such servers learn that nobody waits any more. A connection per
// job: a job takes seconds, connecting to loopback takes microseconds, and a stale kept-alive connection
// would turn into a job whose outcome is unknown.
//
// Threads: the loop's. Bounds: connect_max, answer_max, body_bytes_max; of the answer one piece in memory
// here.
#ifndef RINGWAY_WORKER_BACKENDS_HTTP_H_
#define RINGWAY_WORKER_BACKENDS_HTTP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/event_loop.h"
#include "runtime/http/client_call.h"
#include "worker/backends/backend.h"
#include "worker/backends/upstream_url.h"

namespace ringway::worker {

struct HttpSettings {
  UpstreamUrl upstream;
  Duration connect_max = Seconds(3);
  Duration answer_max = Minutes(10);  // from the beginning until the whole answer
  std::uint64_t body_bytes_max = std::uint64_t{256} << 20;
};

class HttpBackend final : public Backend {
 public:
  HttpBackend(runtime::EventLoop& loop, const HttpSettings& settings) : loop_(loop), settings_(settings) {}
  void Start(WorkOrder order, WorkSink& sink) override;
  void Cancel() override;

 private:
  WorkEnd EndOf(const http::ClientAnswer& answer) const;
  runtime::EventLoop& loop_;
  const HttpSettings settings_;
  WorkSink* sink_ = nullptr;  // of the order that runs
  bool cancelled_ = false;
  std::string complaint_;  // the beginning of an error's body
  std::optional<http::ClientCall> call_;
};

// A request of this worker, with what it passes on of the order, and nothing of its work.
http::ClientRequest RequestTo(const HttpSettings& settings, const WorkOrder& order);
// The ends of an order that no connection was found for, and that the server refused.
WorkEnd NotReached(const HttpSettings& settings, const std::string& why);
WorkEnd RefusedWith(const http::ClientAnswer& answer, std::string_view complaint);

// The body for a job without a payload: {"model": ..., "prompt": ..., parameters...}.
std::string JsonBody(const WorkOrder& order);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_HTTP_H_
