// Plain HTTP requests on their way to a router of another region, as calls on the wire.
//
// A request goes as a job: its head in the job's header, its body as the payload, byte by byte as it stands
// on the worker's wire; the response comes back as its head, chunks and an end (http_offers.h is the other
// side). To the proxy each forward is an upstream like a worker's connection, with windows in both
// directions. Peers speak gRPC to each other already, so this needs no second port and no second address in
// the directory, and a slow link carries many requests over one warm connection.
//
// Bounds: kWindowBytes (attempts.h) on the wire, the proxy's windows beyond. Invariant: the exchange hears of
// the end once, unless it has abandoned the forward. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_POOLS_HTTP_FORWARDS_H_
#define RINGWAY_ROUTER_DAEMON_POOLS_HTTP_FORWARDS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>

#include "core/time.h"
#include "router/daemon/jobs/attempts.h"
#include "router/http/exchange.h"
#include "router/router_action.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class HttpForwards final : private AttemptSink {
 public:
  using Tell = std::function<void(const RouterEvent&)>;

  HttpForwards(runtime::EventLoop& loop, StreamCount& client_streams, Tell tell)
      : tell_(std::move(tell)), attempts_(loop, client_streams, *this) {}
  ~HttpForwards() override;

  // `header`: of the job, complete. `one_way`: the emulated distance.
  std::shared_ptr<http::Upstream> Begin(const ForwardToRouter& forward,
                                        const std::shared_ptr<v1::Peer::Stub>& router, v1::JobUp header,
                                        Duration one_way, Exchange& exchange);
  // For the end of the process: nobody waits for abandoned forwards any more.
  void Close() { attempts_.Close(); }

 private:
  class Forwarded;
  Forwarded* Find(AttemptId attempt) const;
  void Pump(Forwarded& forwarded);

  // AttemptSink.
  void OnAccepted(JobId job, AttemptId attempt, const v1::Accepted& accepted) override;
  bool OnRelay(JobId job, AttemptId attempt, v1::JobDown& message) override;
  void OnRoom(JobId job, AttemptId attempt) override;
  void OnEnded(const AttemptEnded& ended, const v1::End* end) override;

  const Tell tell_;
  Attempts attempts_;
  std::unordered_map<AttemptId, std::shared_ptr<Forwarded>> forwarded_;
};

// The job's header of a plain request: who asks for what by when, its head, and nothing of its body.
v1::JobHeader HeaderOf(const Exchange& exchange);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_POOLS_HTTP_FORWARDS_H_
