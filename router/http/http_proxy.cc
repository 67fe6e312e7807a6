#include "router/http/http_proxy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/check.h"
#include "core/header_text.h"
#include "router/http/answer.h"
#include "router/http/forwarded_head.h"
#include "router/http/refusal.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

std::uint32_t Ticks(Duration span) {
  return static_cast<std::uint32_t>(
      std::ceil(std::clamp(FDivDuration(span, http::Listener::kTick), 1.0, 1e9)));
}

http::ListenerSettings ListenerSettingsOf(const HttpPoolSpec& spec) {
  return {.listen = spec.listen,
          .connections_max = spec.connections_max,
          .header_bytes_max = spec.header_bytes_max,
          .header_timeout = spec.header_timeout,
          .idle_timeout = spec.idle_timeout,
          .stall_timeout = spec.stall_timeout};
}

std::string_view Number(std::int64_t value, char (&text)[24]) {
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, static_cast<std::size_t>(end - text)};
}

}  // namespace

HttpProxy::HttpProxy(runtime::EventLoop& loop, const HttpPoolSpec& spec, TierId tier, JobTable& jobs,
                     ProxyHost& host)
    : loop_(loop),
      spec_(spec),
      tier_(tier),
      jobs_(jobs),
      host_(host),
      health_(loop, spec.health_path, spec.health_period,
              [&host](WorkerId worker, bool healthy) { host.SetHealth(worker, healthy); }),
      listener_(loop, ListenerSettingsOf(spec), static_cast<http::Application&>(*this)) {
  for (std::size_t i = 0; i < jobs_.jobs_max(); ++i) exchanges_.push_back(nullptr);
}

HttpProxy::~HttpProxy() {
  // No connection may call back from here on.
  for (Worker& worker : workers_) {
    if (worker.connection != nullptr) worker.connection->Abandon();
  }
}

void HttpProxy::SetWorker(WorkerId id, const std::string& name,
                          const boost::asio::ip::tcp::endpoint& endpoint) {
  if (!workers_.contains(id)) workers_.resize(id.index() + 1);
  Worker& worker = workers_[id];
  worker.name = name;
  health_.Set(id, name, endpoint);
  if (worker.endpoint == endpoint) return;
  worker.endpoint = endpoint;
  if (worker.connection != nullptr && worker.connection->ready()) worker.connection->Abandon();
}

// ---- the machine's actions ----

std::shared_ptr<http::OriginConnection> HttpProxy::ConnectionTo(WorkerId id) {
  Worker& worker = workers_[id];
  if (worker.connection == nullptr || !worker.connection->ready()) {
    worker.connection =
        std::make_shared<http::OriginConnection>(loop_.context(), worker.endpoint, spec_.header_bytes_max);
  }
  return worker.connection;
}

void HttpProxy::Perform(const OfferToWorker& offer) {
  if (!Knows(offer.worker)) return host_.Tell(WrongDoor(offer));
  Exchange& exchange = *exchanges_[offer.job];
  const std::shared_ptr<http::OriginConnection> worker = ConnectionTo(offer.worker);
  http::OriginConnection& connection = *worker;
  exchange.upstream = worker;
  exchange.attempt = offer.attempt;
  exchange.worker = offer.worker;
  exchange.router = RouterId();
  exchange.offered = runtime::MonotonicNow();
  exchange.busy = false;
  ++exchange.attempts;
  connection.Begin(exchange, exchange.head_only);
  connection.Write(exchange.head);
  char text[24];
  connection.Write("X-Ringway-Deadline-Ms: ");
  connection.Write(Number(ToInt64Milliseconds(exchange.facts.deadline - exchange.offered), text));
  connection.Write("\r\n\r\n");
  connection.Write(exchange.body);
  connection.Push();
  if (!exchange.body_complete && exchange.client != nullptr) exchange.client->ResumeUpload();
  host_.Tell(AttemptAccepted{offer.job, offer.attempt});
}

void HttpProxy::Perform(const ForwardToRouter& forward) {
  Exchange& exchange = *exchanges_[forward.job];
  exchange.attempt = forward.attempt;
  exchange.worker = WorkerId();
  exchange.router = forward.router;
  exchange.offered = runtime::MonotonicNow();
  exchange.busy = false;
  exchange.upstream = host_.Forward(forward, exchange);
  exchange.upstream->Write(exchange.body);
  if (exchange.body_complete) exchange.upstream->EndRequest();
  exchange.upstream->Push();
  if (!exchange.body_complete && exchange.client != nullptr) exchange.client->ResumeUpload();
}

void HttpProxy::Perform(const WithdrawAttempt& withdraw) {
  Exchange& exchange = *exchanges_[withdraw.job];
  if (exchange.attempt != withdraw.attempt || exchange.upstream == nullptr) return;
  exchange.upstream->Abandon();
  EndAttempt(exchange, {.outcome = Outcome::kCancelled, .message = "withdrawn"});
}

void HttpProxy::Perform(EndJob& end) {
  Exchange& exchange = *exchanges_[end.job];
  host_.CountEnd(end, exchange.facts);
  if (const auto client = std::move(exchange.client); client != nullptr) {
    client->tag = 0;
    if (client->response_begun()) {
      client->Abort();
    } else {
      const RefusalFacts facts{
          .overload_status = spec_.overload_status,
          .sent = end.trace.service > ZeroDuration(),
          .draining = host_.machine().draining(),
          .unreachable = exchange.attempts > 0 && exchange.unreachable == exchange.attempts};
      const Refusal refusal = RefusalOf(end, facts);
      client->Reply(refusal.status, "application/json", refusal.fields, refusal.body);
    }
  }
  Free(exchange);
}

void HttpProxy::Free(Exchange& exchange) {
  exchange.client.reset();
  exchange.upstream.reset();
  exchange.attempt = 0;
  // What was kept of an unusually large request is given back.
  if (exchange.body.capacity() > (std::size_t{64} << 10)) std::string().swap(exchange.body);
  jobs_.Free(exchange.job);
  --live_;
}

// ---- the attempt ----

void HttpProxy::EndAttempt(Exchange& exchange, AttemptEnded ended) {
  ended.job = exchange.job;
  ended.attempt = exchange.attempt;
  ended.worker = exchange.worker;
  ended.router = exchange.router;
  exchange.upstream.reset();
  exchange.attempt = 0;
  host_.CountAttempt(ended);
  host_.Tell(ended);
}

void HttpProxy::OnResponseHead(Exchange& exchange, const http::Head& head) {
  exchange.status = head.status;
  exchange.busy = SaysBusy(spec_, head);
  if (exchange.busy) {
    exchange.retry_after = RetryAfterOf(head);
    return;
  }
  DeliverHead(exchange, head,
              {.region = host_.region(),
               .worker = workers_[exchange.worker].name,
               .attempts = exchange.attempts,
               .wait = exchange.offered - exchange.facts.arrived});
}

void HttpProxy::DeliverHead(Exchange& exchange, const http::Head& head, const ServedBy& served) {
  http::ServerConnection& client = *exchange.client;
  BeginForwardedResponse(head, client);
  AddTrace(exchange, served, client);
  const bool bare = exchange.head_only || head.status == 204 || head.status == 304;
  if (head.framing == http::Framing::kNone && !bare && head.Find("Content-Length") == nullptr) {
    client.EndHead(http::Framing::kLength, 0);
  } else {
    client.EndHead(head.framing, head.length);
  }
}

void HttpProxy::AddTrace(const Exchange& exchange, const ServedBy& served, http::ServerConnection& client) {
  const RouterMachine& machine = host_.machine();
  char text[24];
  client.AddField("X-Ringway-Region", HeaderText::Escaped(served.region).text());
  client.AddField("X-Ringway-Worker", HeaderText::Escaped(served.worker).text());
  client.AddField("X-Ringway-Offers", Number(served.attempts, text));
  client.AddField("X-Ringway-Wait-Ms", Number(ToInt64Milliseconds(served.wait), text));
  client.AddField("X-Ringway-Reason", machine.job(exchange.job).route.reason);
  const TableVersion table = machine.table();
  if (table.epoch == 0 && table.version == 0) return;
  char version[56];
  const int size = absl::SNPrintF(version, sizeof(version), "%d.%d", table.epoch, table.version);
  client.AddField("X-Ringway-Table", {version, static_cast<std::size_t>(size)});
}

void HttpProxy::OnResponseBody(Exchange& exchange, std::string_view bytes) {
  if (exchange.busy) return;
  http::ServerConnection& client = *exchange.client;
  client.SendBody(bytes);
}

// A response that is here whole goes out with its end, in one piece; what is streamed goes out now.
void HttpProxy::OnResponsePart(Exchange& exchange) {
  if (exchange.busy || exchange.client == nullptr) return;
  exchange.client->Push();
  if (exchange.client->queued() >= spec_.response_window) exchange.upstream->PauseResponse();
}

void HttpProxy::OnResponseEnd(Exchange& exchange) {
  if (exchange.busy) {
    EndAttempt(exchange, {.outcome = Outcome::kBusy,
                          .answered = true,
                          .may_have_started = false,
                          .retry_after = exchange.retry_after,
                          .message = "the worker is busy"});
    return;
  }
  // The slot is given to the next request before this one's last bytes go out: a system call is a long time.
  const std::shared_ptr<http::ServerConnection> client = std::move(exchange.client);
  client->tag = 0;
  const Duration took = runtime::MonotonicNow() - exchange.offered;
  const Outcome outcome = OutcomeOfAnswer(exchange.status, took, service_mean());
  if (outcome == Outcome::kFailed)
    host_.Tell(RepeatRuledOut{exchange.job, "its response has been delivered"});
  EndAttempt(
      exchange,
      {.outcome = outcome,
       .answered = true,
       .message = outcome == Outcome::kDone ? "" : absl::StrCat("the worker answered ", exchange.status)});
  client->EndResponse();
}

// The other router has said its last word about the request, or the way to it broke.
void HttpProxy::OnForwardEnded(Exchange& exchange, const AttemptEnded& ended, bool whole) {
  const bool begun = exchange.client != nullptr && exchange.client->response_begun();
  if (begun) host_.Tell(RepeatRuledOut{exchange.job, "its response has begun to be delivered"});
  std::shared_ptr<http::ServerConnection> client;
  if (begun && whole) {
    client = std::move(exchange.client);
    client->tag = 0;
  }
  EndAttempt(exchange, ended);
  if (client != nullptr) client->EndResponse();
}

void HttpProxy::OnBroken(Exchange& exchange, bool sent, std::string_view why) {
  if (!sent) ++exchange.unreachable;
  if (exchange.client != nullptr && exchange.client->response_begun()) {
    host_.Tell(RepeatRuledOut{exchange.job, "its response has begun to be delivered"});
  }
  EndAttempt(exchange,
             {.outcome = Outcome::kFailed,
              .may_have_started = sent,
              .message = absl::StrCat("worker ", workers_[exchange.worker].name, ": ", std::string(why))});
}

void HttpProxy::OnRequestDrained(Exchange& exchange) {
  if (exchange.client != nullptr && !exchange.body_complete) exchange.client->ResumeUpload();
}

// ---- time and end ----

void HttpProxy::OnTick(Time now) {
  for (Worker& worker : workers_) {
    if (worker.connection == nullptr) continue;
    worker.connection->OnTick(Ticks(spec_.connect_timeout), Ticks(spec_.worker_idle),
                              Ticks(spec_.stall_timeout));
  }
  health_.OnTick(now, [this](WorkerId worker) { return host_.machine().workers().held(worker) == 0; });
  // An upload that would end after its deadline is of no use; the machine does not know of it yet.
  for (const auto& exchange : exchanges_) {
    if (exchange == nullptr || exchange->client == nullptr || exchange->arrived) continue;
    if (now < exchange->facts.deadline) continue;
    const auto client = std::move(exchange->client);
    client->tag = 0;
    client->Reply(
        408, "application/json", "X-Ringway-Reason: slow_upload\r\n",
        ErrorBody("the deadline passed before the request had been sent", "timeout", "slow_upload"));
    Free(*exchange);
  }
}

void HttpProxy::BreakAll() {
  for (const auto& exchange : exchanges_) {
    if (exchange == nullptr || exchange->client == nullptr) continue;
    const auto client = std::move(exchange->client);
    client->tag = 0;
    client->Abort();
    if (exchange->arrived) {
      host_.Tell(ClientGone{exchange->job});
    } else {
      Free(*exchange);
    }
  }
}

}  // namespace ringway::router
