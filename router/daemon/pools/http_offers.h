// Offers of requests to plain HTTP workers, for requests that came in at a router of another region.
//
// Such a request is a job with a stream like any other (job_calls.h); here its payload becomes the body of a
// request on a worker's connection, and the worker's response becomes messages: its head with who served it,
// its body in chunks, and an end that says what the answer means for the worker (answer.h). A busy answer is
// not relayed. The client of the request is served by the router where it entered (http_forwards.h).
//
// Bounds: one connection a worker, kWindowBytes of a request under way, one chunk of a response gathered.
// Invariant: one AttemptEnded for each offer, also for one that was withdrawn. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_POOLS_HTTP_OFFERS_H_
#define RINGWAY_ROUTER_DAEMON_POOLS_HTTP_OFFERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "router/daemon/jobs/attempt_carrier.h"
#include "router/http/http_proxy.h"
#include "router/router_action.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class HttpOffers final : public AttemptCarrier {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

  HttpOffers(runtime::EventLoop& loop, HttpProxy& proxy, AttemptSink& sink);
  ~HttpOffers() override;

  void Offer(const OfferToWorker& offer, const v1::HttpRequest& request, const JobFacts& facts);

  // The worker is one of the pool.
  bool Knows(WorkerId worker) const { return proxy_.Knows(worker); }

  bool HasRoom(AttemptId attempt) const override;
  void SendChunk(AttemptId attempt, const std::string& bytes) override;
  void CloseUpload(AttemptId) override {}
  void ReadNext(AttemptId attempt) override;
  void Withdraw(AttemptId attempt, Outcome why) override;

 private:
  class Offered;
  Offered* Find(AttemptId attempt) const;
  // The attempt is over: forgets it and tells.
  void End(const AttemptEnded& ended, const v1::End* end);

  runtime::EventLoop& loop_;
  HttpProxy& proxy_;
  AttemptSink& sink_;
  std::unordered_map<AttemptId, std::unique_ptr<Offered>> offered_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what was posted
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_POOLS_HTTP_OFFERS_H_
