// One request on its way through the proxy: the client's side, the copy kept for another try, the attempt.
//
// Records live in an arena indexed by JobId and are reused with their memory. The request is kept as it
// stands on the wire of the worker, so sending it again is sending the same bytes; what does not fit into the
// bound is passed on without being kept, and from then on the request belongs to the worker that has it.
//
// Invariant: `client` is set while somebody waits for a response; `upstream` while a worker, or a router of
// another region, has the request. Threads: the loop's.
#ifndef RINGWAY_ROUTER_HTTP_EXCHANGE_H_
#define RINGWAY_ROUTER_HTTP_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "router/router_event.h"
#include "runtime/http/origin_connection.h"
#include "runtime/http/server_connection.h"
#include "runtime/http/upstream.h"

namespace ringway::router {

class HttpProxy;

// Who served a request in another region, as its router tells with the head of the response.
struct ServedBy {
  std::string_view region;
  std::string_view worker;
  int attempts = 0;
  Duration wait = ZeroDuration();  // from the entry, here, to the start
};

class Exchange final : public http::ExchangeSink {
 public:
  Exchange(HttpProxy& proxy, JobId job) : proxy_(proxy), job(job) {}

  // A fresh request; keeps the memory.
  void Reset(http::ServerConnection& by);

  // ExchangeSink: the attempt's side.
  void OnResponseHead(const http::Head& head) override;
  void OnResponseBody(std::string_view bytes) override;
  void OnResponsePart() override;
  void OnResponseEnd() override;
  void OnExchangeBroken(bool sent, std::string_view why) override;
  void OnRequestDrained() override;
  // The same of another region's router, which also tells who served; and the end, which it always says.
  void OnForwardHead(const http::Head& head, const ServedBy& served);
  // `whole`: the response has been handed over to its end.
  void OnForwardEnded(const AttemptEnded& ended, bool whole);

 private:
  HttpProxy& proxy_;

 public:
  const JobId job;
  JobFacts facts;
  std::shared_ptr<http::ServerConnection> client;  // null: gone, or answered

  // The request.
  std::string head;  // for the worker, without the empty line at its end
  std::string body;  // as on the wire, as far as it was kept
  bool chunked = false;
  bool head_only = false;
  bool body_complete = false;  // the client has sent all of it
  bool passed_on = false;      // some of it went to a worker without being kept
  bool arrived = false;        // the machine has it

  // The attempt.
  std::shared_ptr<http::Upstream> upstream;  // null: none
  AttemptId attempt = 0;
  WorkerId worker;
  RouterId router;  // of a forward
  Time offered = InfinitePast();
  int attempts = 0;
  int unreachable = 0;  // attempts that found nobody
  int status = 0;       // of the response; 0: none yet
  bool busy = false;    // the worker says: not now
  Duration retry_after = ZeroDuration();
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_EXCHANGE_H_
