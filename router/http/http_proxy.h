// Requests of HTTP clients as jobs of the router, and workers that are plain HTTP servers.
//
// The proxy carries bytes; the machine decides. A request is shown to the machine when its body has arrived,
// or as much of it as is kept, so that a slow upload never holds a worker; from the offer on bodies stream
// both ways, and each side that is slow holds back the other at a window. A worker's answer ends the attempt:
// a busy status is BUSY and the request goes elsewhere, an instant server error is a failure (a worker that
// fails fast must not look like the fastest of all), everything else is the client's response. A client that
// leaves closes the connection to its worker.
//
// Bounds: requests_max exchanges; for each request_keep_max of body, response_window of response, and one
// read beyond each. Invariants: one AttemptEnded for each offer; a JobId is free again when the machine has
// ended the job. Threads: the loop's.
#ifndef RINGWAY_ROUTER_HTTP_HTTP_PROXY_H_
#define RINGWAY_ROUTER_HTTP_HTTP_PROXY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/http_pool.h"
#include "router/http/exchange.h"
#include "router/http/health_checks.h"
#include "router/jobs/job_table.h"
#include "router/router_machine.h"
#include "runtime/event_loop.h"
#include "runtime/http/listener.h"

namespace ringway::router {

// What the proxy needs of the router around it.
class ProxyHost {
 public:
  virtual ~ProxyHost() = default;
  // Steps the machine now, or after the actions that are being performed.
  virtual void Tell(const RouterEvent& event) = 0;
  virtual const RouterMachine& machine() const = 0;
  virtual std::string_view region() const = 0;
  virtual void CountEnd(const EndJob& end, const JobFacts& facts) = 0;
  virtual void CountAttempt(const AttemptEnded& ended) = 0;
  virtual void SetHealth(WorkerId worker, bool healthy) = 0;
  // Begins to send the request to another router; what comes back is the exchange's.
  virtual std::shared_ptr<http::Upstream> Forward(const ForwardToRouter& forward, Exchange& exchange) = 0;
};

class HttpProxy final : public JobDoor, public http::Application {
 public:
  HttpProxy(runtime::EventLoop& loop, const HttpPoolSpec& spec, TierId tier, JobTable& jobs, ProxyHost& host);
  ~HttpProxy() override;

  absl::Status Listen() { return listener_.Listen(); }
  http::Listener& listener() { return listener_; }
  // Where `worker` is reached, if the machine offers it a request.
  void SetWorker(WorkerId worker, const std::string& name, const boost::asio::ip::tcp::endpoint& endpoint);
  // It has left the pool; a request that it has is let run.
  void ForgetWorker(WorkerId worker) { health_.Forget(worker); }
  bool Knows(WorkerId worker) const { return workers_.contains(worker) && !workers_[worker].name.empty(); }

  // A connection to the worker that has no exchange. For requests that came in at another region's router,
  // which are not among those of this proxy.
  std::shared_ptr<http::OriginConnection> ConnectionTo(WorkerId worker);
  const std::string& NameOf(WorkerId worker) const { return workers_[worker].name; }
  const HttpPoolSpec& spec() const { return spec_; }
  std::string_view region() const { return host_.region(); }
  Duration service_mean() const { return host_.machine().tier(tier_).service.mean(); }

  void Perform(const OfferToWorker& offer) override;
  void Perform(const ForwardToRouter& forward) override;
  void Perform(const WithdrawAttempt& withdraw) override;
  void Perform(EndJob& end) override;

  // Requests that are not over.
  std::size_t live() const { return live_; }
  void BreakAll();
  // Every quarter of a second.
  void OnTick(Time now);

 private:
  friend class Exchange;
  struct Worker {
    std::string name;
    boost::asio::ip::tcp::endpoint endpoint;
    std::shared_ptr<http::OriginConnection> connection;
  };

  // http::Application: the client's side (http_requests.cc).
  void OnRequest(http::ServerConnection& client, const http::Head& head) override;
  void OnRequestBody(http::ServerConnection& client, std::string_view bytes) override;
  void OnRequestEnd(http::ServerConnection& client) override;
  void OnClientGone(http::ServerConnection& client) override;
  void OnClientDrained(http::ServerConnection& client) override;
  Exchange* Of(const http::ServerConnection& client);
  bool ReadFacts(http::ServerConnection& client, const http::Head& head, JobFacts& facts);
  void Arrive(Exchange& exchange);
  void PassOn(Exchange& exchange, std::string_view bytes);

  // The attempt's side (http_proxy.cc).
  void OnResponseHead(Exchange& exchange, const http::Head& head);
  void DeliverHead(Exchange& exchange, const http::Head& head, const ServedBy& served);
  void OnForwardEnded(Exchange& exchange, const AttemptEnded& ended, bool whole);
  void OnResponseBody(Exchange& exchange, std::string_view bytes);
  void OnResponsePart(Exchange& exchange);
  void OnResponseEnd(Exchange& exchange);
  void OnBroken(Exchange& exchange, bool sent, std::string_view why);
  void OnRequestDrained(Exchange& exchange);
  void EndAttempt(Exchange& exchange, AttemptEnded ended);
  void AddTrace(const Exchange& exchange, const ServedBy& served, http::ServerConnection& client);
  void Free(Exchange& exchange);

  runtime::EventLoop& loop_;
  const HttpPoolSpec spec_;
  const TierId tier_;
  JobTable& jobs_;
  ProxyHost& host_;
  IdVector<JobId, std::unique_ptr<Exchange>> exchanges_;
  std::size_t live_ = 0;
  IdVector<WorkerId, Worker> workers_;
  HealthChecks health_;
  http::Listener listener_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_HTTP_PROXY_H_
