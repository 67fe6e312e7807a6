// A small HTTP/1.1 server for what people and Prometheus look at: /healthz, /readyz, /metrics.
//
// Pages are functions from a request to a reply, called on the server's one thread; they must be quick and
// thread-safe towards the rest of the daemon. Only GET and HEAD; bounded connections, header size and idle
// time, and whoever asks takes the place of who does not (http/listener.h), so that a slow or hostile client
// costs nothing that matters: a probe of /healthz is answered whatever others hold open. Not the data path of
// jobs.
//
// Threads: Start and Stop from one owner; pages run on the server's thread.
#ifndef RINGWAY_RUNTIME_HTTP_SERVER_H_
#define RINGWAY_RUNTIME_HTTP_SERVER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/page.h"

namespace ringway::runtime {

class HttpServer {
 public:
  using Page = runtime::Page;
  static constexpr std::size_t kConnectionsMax = 256;

  // Errors: InvalidArgument (not an address), Unavailable (the port is taken).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& listen,
                                                           std::map<std::string, Page> pages);
  ~HttpServer();
  // host:port with the real port.
  const std::string& address() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_HTTP_SERVER_H_
