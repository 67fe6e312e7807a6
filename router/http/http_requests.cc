// The proxy, towards clients: from a request's head to a job, and its body to whoever has it.
#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "router/http/forwarded_head.h"
#include "router/http/http_proxy.h"
#include "router/http/refusal.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::int64_t kDeadlineMsMax = 24 * 3600 * 1000;
// Bytes of a request that may wait for a slow worker.
constexpr std::size_t kRequestWindow = std::size_t{256} << 10;

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A piece of a body as it stands on the wire of a worker.
void AppendPiece(bool chunked, std::string_view bytes, std::string& out) {
  if (!chunked) {
    out.append(bytes);
    return;
  }
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), bytes.size(), 16).ptr;
  out.append(text, end).append("\r\n").append(bytes).append("\r\n");
}

}  // namespace

Exchange* HttpProxy::Of(const http::ServerConnection& client) {
  return client.tag == 0 ? nullptr : exchanges_[JobId(client.tag - 1)].get();
}

// False: the request has been answered, because a field of it cannot be understood.
bool HttpProxy::ReadFacts(http::ServerConnection& client, const http::Head& head, JobFacts& facts) {
  const auto refuse = [&client](const std::string& why) {
    client.Reply(400, kJson, "", ErrorBody(why, "invalid_request", "bad_header"));
    return false;
  };
  facts.tier = tier_;
  facts.arrived = runtime::MonotonicNow();
  facts.deadline = facts.arrived + spec_.deadline;
  if (const http::Field* field = head.Find("X-Ringway-Deadline-Ms")) {
    const auto ms = WholeNumber(field->value);
    if (!ms || *ms <= 0 || *ms > kDeadlineMsMax) {
      return refuse(absl::StrCat("X-Ringway-Deadline-Ms is '", std::string(field->value),
                                 "'; allowed are whole milliseconds from 1 to ", kDeadlineMsMax));
    }
    facts.deadline = facts.arrived + Milliseconds(*ms);
  }
  if (const http::Field* field = head.Find("X-Ringway-Priority")) {
    const auto priority = WholeNumber(field->value);
    if (!priority || *priority < 0 || *priority >= static_cast<std::int64_t>(kMaxPriorities)) {
      return refuse(absl::StrCat("X-Ringway-Priority is '", std::string(field->value), "'; allowed are 0 to ",
                                 kMaxPriorities - 1, ", 0 is the most important"));
    }
    facts.priority = static_cast<Priority>(*priority);
  }
  facts.keyed = !head.Value("Idempotency-Key").empty();
  facts.safe = http::IsSafe(head.method);
  return true;
}

void HttpProxy::OnRequest(http::ServerConnection& client, const http::Head& head) {
  client.tag = 0;
  if (head.method == "CONNECT") {
    client.Reply(405, kJson, "",
                 ErrorBody("this is no forward proxy: CONNECT is not served", "invalid_request", "method"));
    return;
  }
  JobFacts facts;
  if (!ReadFacts(client, head, facts)) return;
  const JobId id = live_ < spec_.requests_max ? jobs_.Take(*this) : JobId();
  if (!id.valid()) {
    client.Reply(
        spec_.overload_status, kJson, "Retry-After: 1\r\nX-Ringway-Reason: too_many_requests\r\n",
        ErrorBody(absl::StrCat("this router has ", spec_.requests_max, " requests at a time, and no more"),
                  "overloaded", "too_many_requests"));
    return;
  }
  ++live_;
  std::unique_ptr<Exchange>& place = exchanges_[id];
  if (place == nullptr) place = std::make_unique<Exchange>(*this, id);
  Exchange& exchange = *place;
  exchange.Reset(client);
  client.tag = id.value() + 1;
  exchange.facts = facts;
  exchange.head_only = head.method == "HEAD";
  exchange.chunked = head.framing == http::Framing::kChunked;
  AppendRequestHead(head, client.peer(), exchange.head);
  if (head.framing == http::Framing::kNone) {
    exchange.body_complete = true;
    Arrive(exchange);
  } else {
    client.Continue();
  }
}

void HttpProxy::OnRequestBody(http::ServerConnection& client, std::string_view bytes) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr) return;
  if (exchange->upstream != nullptr) return PassOn(*exchange, bytes);
  AppendPiece(exchange->chunked, bytes, exchange->body);
  if (exchange->body.size() < spec_.request_keep_max) return;
  // The rest waits at the client until a worker takes it.
  client.PauseUpload();
  if (!exchange->arrived) Arrive(*exchange);
}

void HttpProxy::OnRequestEnd(http::ServerConnection& client) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr || exchange->body_complete) return;
  exchange->body_complete = true;
  const std::string_view last = exchange->chunked ? "0\r\n\r\n" : "";
  if (exchange->upstream != nullptr) {
    exchange->upstream->Write(last);
    exchange->upstream->EndRequest();
    exchange->upstream->Push();
    return;
  }
  exchange->body.append(last);
  if (!exchange->arrived) Arrive(*exchange);
}

void HttpProxy::Arrive(Exchange& exchange) {
  exchange.arrived = true;
  host_.Tell(JobArrived{exchange.job, exchange.facts});
}

// Somebody has the request already, and more of it has come.
void HttpProxy::PassOn(Exchange& exchange, std::string_view bytes) {
  if (!exchange.passed_on) {
    exchange.passed_on = true;
    host_.Tell(RepeatRuledOut{exchange.job, "the request is too large to be kept"});
    if (exchange.upstream == nullptr) return;
  }
  if (exchange.chunked) {
    std::string piece;
    AppendPiece(true, bytes, piece);
    exchange.upstream->Write(piece);
  } else {
    exchange.upstream->Write(bytes);
  }
  exchange.upstream->Push();
  if (exchange.upstream->queued() >= kRequestWindow) exchange.client->PauseUpload();
}

void HttpProxy::OnClientGone(http::ServerConnection& client) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr) return;
  client.tag = 0;
  exchange->client.reset();
  if (exchange->arrived) {
    host_.Tell(ClientGone{exchange->job});
  } else {
    Free(*exchange);
  }
}

void HttpProxy::OnClientDrained(http::ServerConnection& client) {
  Exchange* const exchange = Of(client);
  if (exchange != nullptr && exchange->upstream != nullptr && exchange->upstream->response_paused()) {
    exchange->upstream->ResumeResponse();
  }
}

}  // namespace ringway::router
