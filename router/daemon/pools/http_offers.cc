#include "router/daemon/pools/http_offers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/job_codec.h"
#include "router/http/answer.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

v1::HttpResponse::Framing FramingOf(http::Framing framing) {
  switch (framing) {
    case http::Framing::kNone:
      return v1::HttpResponse::NONE;
    case http::Framing::kLength:
      return v1::HttpResponse::LENGTH;
    case http::Framing::kChunked:
      return v1::HttpResponse::CHUNKED;
    case http::Framing::kToClose:
      return v1::HttpResponse::TO_CLOSE;
  }
  return v1::HttpResponse::NONE;
}

}  // namespace

// One request that a worker has.
class HttpOffers::Offered final : public http::ExchangeSink {
 public:
  Offered(HttpOffers& offers, const OfferToWorker& offer, const v1::HttpRequest& request,
          const JobFacts& facts)
      : offers_(offers),
        job_(offer.job),
        attempt_(offer.attempt),
        worker_(offer.worker),
        arrived_(facts.arrived),
        offered_(runtime::MonotonicNow()),
        connection(offers.proxy_.ConnectionTo(offer.worker)) {
    connection->Begin(*this, request.head_only());
    connection->Write(request.head());
    connection->Write(
        absl::StrCat("X-Ringway-Deadline-Ms: ", ToInt64Milliseconds(facts.deadline - offered_), "\r\n\r\n"));
    connection->Push();
  }

  AttemptEnded Over(Outcome outcome) const {
    return {.job = job_, .attempt = attempt_, .worker = worker_, .outcome = outcome};
  }

  void OnResponseHead(const http::Head& head) override {
    status_ = head.status;
    busy_ = SaysBusy(offers_.proxy_.spec(), head);
    if (busy_) {
      retry_after_ = RetryAfterOf(head);
      return;
    }
    v1::JobDown down;
    v1::HttpResponse& response = *down.mutable_http();
    response.set_status(static_cast<std::uint32_t>(head.status));
    response.set_reason(std::string(head.reason));
    for (const http::Field& field : head.fields) {
      v1::HttpField& out = *response.add_fields();
      out.set_name(std::string(field.name));
      out.set_value(std::string(field.value));
    }
    response.set_framing(FramingOf(head.framing));
    response.set_length(head.length);
    v1::JobTrace& trace = *response.mutable_trace();
    trace.set_worker(offers_.proxy_.NameOf(worker_));
    trace.set_wait_s(ToDoubleSeconds(offered_ - arrived_));
    Relay(down);
  }
  void OnResponseBody(std::string_view bytes) override {
    if (busy_) return;
    gathered_.append(bytes);
    if (gathered_.size() >= wire::kChunkBytesMax / 2) SendGathered();
  }
  void OnResponsePart() override { SendGathered(); }
  void OnResponseEnd() override {
    SendGathered();
    const Duration took = runtime::MonotonicNow() - offered_;
    AttemptEnded over =
        Over(busy_ ? Outcome::kBusy : OutcomeOfAnswer(status_, took, offers_.proxy_.service_mean()));
    over.answered = true;
    over.may_have_started = !busy_;
    over.retry_after = retry_after_;
    if (busy_) {
      over.message = "the worker is busy";
    } else if (over.outcome != Outcome::kDone) {
      over.message = absl::StrCat("the worker answered ", status_);
    }
    v1::End end;
    end.set_whole(!busy_);
    end.mutable_trace()->set_worker(offers_.proxy_.NameOf(worker_));
    offers_.End(over, &end);
  }
  void OnExchangeBroken(bool sent, std::string_view why) override {
    AttemptEnded over = Over(Outcome::kFailed);
    over.may_have_started = sent;
    over.message = absl::StrCat("worker ", offers_.proxy_.NameOf(worker_), ": ", std::string(why));
    offers_.End(over, nullptr);
  }
  void OnRequestDrained() override { offers_.sink_.OnRoom(job_, attempt_); }

 private:
  void SendGathered() {
    if (gathered_.empty()) return;
    v1::JobDown down;
    down.set_chunk(std::exchange(gathered_, {}));
    Relay(down);
  }
  void Relay(v1::JobDown& down) {
    if (!offers_.sink_.OnRelay(job_, attempt_, down)) connection->PauseResponse();
  }

  HttpOffers& offers_;
  const JobId job_;
  const AttemptId attempt_;
  const WorkerId worker_;
  const Time arrived_;
  const Time offered_;
  int status_ = 0;
  bool busy_ = false;
  Duration retry_after_ = ZeroDuration();
  std::string gathered_;  // of the response; at most one chunk

 public:
  const std::shared_ptr<http::OriginConnection> connection;
  bool withdrawn = false;
};

HttpOffers::HttpOffers(runtime::EventLoop& loop, HttpProxy& proxy, AttemptSink& sink)
    : loop_(loop), proxy_(proxy), sink_(sink) {}

HttpOffers::~HttpOffers() {
  for (const auto& [attempt, offered] : offered_) offered->connection->Abandon();
}

HttpOffers::Offered* HttpOffers::Find(AttemptId attempt) const {
  const auto found = offered_.find(attempt);
  return found == offered_.end() || found->second->withdrawn ? nullptr : found->second.get();
}

// A plain worker does not say that it has accepted: it has the request, and that is all.
void HttpOffers::Offer(const OfferToWorker& offer, const v1::HttpRequest& request, const JobFacts& facts) {
  offered_[offer.attempt] = std::make_unique<Offered>(*this, offer, request, facts);
  (void)loop_.Post([this, job = offer.job, id = offer.attempt, worker = offer.worker,
                    alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired() || Find(id) == nullptr) return;
    v1::Accepted accepted;
    accepted.set_worker(proxy_.NameOf(worker));
    accepted.set_region(std::string(proxy_.region()));
    sink_.OnAccepted(job, id, accepted);
  });
}

bool HttpOffers::HasRoom(AttemptId attempt) const {
  const Offered* offered = Find(attempt);
  return offered != nullptr && offered->connection->queued() < kWindowBytes;
}

void HttpOffers::SendChunk(AttemptId attempt, const std::string& bytes) {
  Offered* offered = Find(attempt);
  if (offered == nullptr) return;
  offered->connection->Write(bytes);
  offered->connection->Push();
}

void HttpOffers::ReadNext(AttemptId attempt) {
  Offered* offered = Find(attempt);
  if (offered != nullptr && offered->connection->response_paused()) offered->connection->ResumeResponse();
}

void HttpOffers::Withdraw(AttemptId attempt, Outcome why) {
  Offered* offered = Find(attempt);
  if (offered == nullptr) return;
  offered->withdrawn = true;
  offered->connection->Abandon();
  // Not here: the machine's actions are being performed.
  (void)loop_.Post([this, attempt, why, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    const auto found = offered_.find(attempt);
    if (found == offered_.end()) return;
    AttemptEnded over = found->second->Over(why);
    over.message = "withdrawn";
    End(over, nullptr);
  });
}

void HttpOffers::End(const AttemptEnded& ended, const v1::End* end) {
  const auto node = offered_.extract(ended.attempt);  // lives to the end of this call
  sink_.OnEnded(ended, end);
}

}  // namespace ringway::router
