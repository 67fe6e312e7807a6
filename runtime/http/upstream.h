// Whoever has a request and will answer it, as the one who passes it on sees them.
//
// A worker's connection is one (origin_connection.h); another program that serves the request in our place,
// over whatever wire, is another. The request is written in the bytes that stand on an HTTP/1.1 wire; the
// response comes back through the sink that the exchange was begun with. What is written is queued until
// Push, and `queued` is the writer's window.
//
// Threads: the loop's.
#ifndef RINGWAY_RUNTIME_HTTP_UPSTREAM_H_
#define RINGWAY_RUNTIME_HTTP_UPSTREAM_H_

#include <cstddef>
#include <string_view>

namespace ringway::http {

class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual void Write(std::string_view bytes) = 0;
  // No more of the request will come.
  virtual void EndRequest() {}
  virtual void Push() = 0;
  virtual std::size_t queued() const = 0;
  // Flow control of the response.
  virtual void PauseResponse() = 0;
  virtual void ResumeResponse() = 0;
  virtual bool response_paused() const = 0;
  // The exchange is not wanted any more: ends it, and calls nobody.
  virtual void Abandon() = 0;
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_UPSTREAM_H_
