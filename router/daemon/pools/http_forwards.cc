#include "router/daemon/pools/http_forwards.h"

#include <algorithm>
#include <string>
#include <utility>

#include "proto/job_codec.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

http::Framing FramingOf(v1::HttpResponse::Framing framing) {
  switch (framing) {
    case v1::HttpResponse::LENGTH:
      return http::Framing::kLength;
    case v1::HttpResponse::CHUNKED:
      return http::Framing::kChunked;
    case v1::HttpResponse::TO_CLOSE:
      return http::Framing::kToClose;
    default:
      return http::Framing::kNone;
  }
}

// Views into the message.
http::Head HeadOf(const v1::HttpResponse& response) {
  http::Head head;
  head.status = static_cast<int>(response.status());
  head.reason = response.reason();
  head.framing = FramingOf(response.framing());
  head.length = response.length();
  for (const v1::HttpField& field : response.fields()) {
    if (head.fields.size() < http::kFieldsMax) head.fields.push_back({field.name(), field.value()});
  }
  return head;
}

// Fields are checked where they are written.
bool Sane(const v1::HttpResponse& response) { return response.status() >= 200 && response.status() <= 999; }

}  // namespace

class HttpForwards::Forwarded final : public http::Upstream {
 public:
  Forwarded(HttpForwards& forwards, AttemptId attempt, Exchange& by)
      : forwards_(forwards), id(attempt), exchange(&by) {}

  void Write(std::string_view bytes) override { waiting.append(bytes); }
  void EndRequest() override { request_ended = true; }
  void Push() override { forwards_.Pump(*this); }
  std::size_t queued() const override { return waiting.size() - taken; }
  void PauseResponse() override { paused = true; }
  void ResumeResponse() override {
    if (std::exchange(paused, false)) forwards_.attempts_.ReadNext(id);
  }
  bool response_paused() const override { return paused; }
  void Abandon() override {
    exchange = nullptr;
    forwards_.attempts_.Withdraw(id, Outcome::kCancelled);
  }

 private:
  HttpForwards& forwards_;

 public:
  const AttemptId id;
  Exchange* exchange;     // null: abandoned
  std::string waiting;    // of the request, for room on the wire
  std::size_t taken = 0;  // of `waiting`
  bool request_ended = false;
  bool closed = false;  // the wire has been told of the request's end
  bool paused = false;
  bool accepted = false;
  bool headed = false;  // the response's head has come
};

HttpForwards::~HttpForwards() {
  for (const auto& [id, forwarded] : forwarded_) forwarded->exchange = nullptr;
}

HttpForwards::Forwarded* HttpForwards::Find(AttemptId attempt) const {
  const auto found = forwarded_.find(attempt);
  return found == forwarded_.end() ? nullptr : found->second.get();
}

std::shared_ptr<http::Upstream> HttpForwards::Begin(const ForwardToRouter& forward,
                                                    const std::shared_ptr<v1::Peer::Stub>& router,
                                                    v1::JobUp header, Duration one_way, Exchange& exchange) {
  auto forwarded = std::make_shared<Forwarded>(*this, forward.attempt, exchange);
  forwarded_[forward.attempt] = forwarded;
  attempts_.Forward(forward, router, std::move(header), one_way);
  return forwarded;
}

void HttpForwards::Pump(Forwarded& forwarded) {
  if (Find(forwarded.id) != &forwarded || forwarded.closed) return;
  while (forwarded.queued() > 0 && attempts_.HasRoom(forwarded.id)) {
    const std::size_t size = std::min(forwarded.queued(), wire::kChunkBytesMax);
    attempts_.SendChunk(forwarded.id, forwarded.waiting.substr(forwarded.taken, size));
    forwarded.taken += size;
  }
  if (forwarded.queued() > 0) return;
  forwarded.waiting.clear();
  forwarded.taken = 0;
  if (!forwarded.request_ended) return;
  forwarded.closed = true;
  attempts_.CloseUpload(forwarded.id);
}

void HttpForwards::OnAccepted(JobId job, AttemptId attempt, const v1::Accepted&) {
  Forwarded* forwarded = Find(attempt);
  if (forwarded == nullptr || forwarded->exchange == nullptr) return;
  forwarded->accepted = true;
  tell_(AttemptAccepted{job, attempt});
}

bool HttpForwards::OnRelay(JobId, AttemptId attempt, v1::JobDown& message) {
  Forwarded* forwarded = Find(attempt);
  if (forwarded == nullptr || forwarded->exchange == nullptr)
    return true;  // thrown away, so that the call can end
  Exchange& exchange = *forwarded->exchange;
  if (exchange.client == nullptr) return true;
  if (message.has_http() && !forwarded->headed && Sane(message.http())) {
    forwarded->headed = true;
    const v1::JobTrace& trace = message.http().trace();
    exchange.OnForwardHead(HeadOf(message.http()), {.region = trace.region(),
                                                    .worker = trace.worker(),
                                                    .attempts = static_cast<int>(trace.offers()),
                                                    .wait = Seconds(trace.wait_s())});
  } else if (message.has_chunk() && forwarded->headed) {
    exchange.OnResponseBody(message.chunk());
    exchange.OnResponsePart();
  }
  return !forwarded->paused;
}

void HttpForwards::OnRoom(JobId, AttemptId attempt) {
  Forwarded* forwarded = Find(attempt);
  if (forwarded == nullptr || forwarded->exchange == nullptr) return;
  Pump(*forwarded);
  if (forwarded->queued() == 0 && !forwarded->closed) forwarded->exchange->OnRequestDrained();
}

void HttpForwards::OnEnded(const AttemptEnded& ended, const v1::End* end) {
  const auto node = forwarded_.extract(ended.attempt);
  if (node.empty() || node.mapped()->exchange == nullptr) return;
  Forwarded& forwarded = *node.mapped();
  Exchange& exchange = *std::exchange(forwarded.exchange, nullptr);
  AttemptEnded over = ended;
  // A plain worker may act on a part of a request.
  if (!over.answered) over.may_have_started = over.may_have_started || forwarded.accepted;
  exchange.OnForwardEnded(over, forwarded.headed && end != nullptr && end->whole());
}

v1::JobHeader HeaderOf(const Exchange& exchange) {
  v1::JobHeader header;
  header.set_wire_version(wire::kWireVersion);
  v1::HttpRequest& request = *header.mutable_http();
  request.set_head(exchange.head);
  request.set_head_only(exchange.head_only);
  request.set_safe(exchange.facts.safe);
  request.set_keyed(exchange.facts.keyed);
  request.set_priority(exchange.facts.priority);
  return header;
}

}  // namespace ringway::router
