#include "router/http/exchange.h"

#include "router/http/http_proxy.h"

namespace ringway::router {

void Exchange::Reset(http::ServerConnection& by) {
  client = std::static_pointer_cast<http::ServerConnection>(by.shared_from_this());
  facts = JobFacts();
  head.clear();
  body.clear();
  chunked = head_only = body_complete = passed_on = arrived = busy = false;
  upstream.reset();
  attempt = 0;
  worker = WorkerId();
  router = RouterId();
  offered = InfinitePast();
  attempts = unreachable = status = 0;
  retry_after = ZeroDuration();
}

void Exchange::OnResponseHead(const http::Head& answer) { proxy_.OnResponseHead(*this, answer); }
void Exchange::OnResponseBody(std::string_view bytes) { proxy_.OnResponseBody(*this, bytes); }
void Exchange::OnResponsePart() { proxy_.OnResponsePart(*this); }
void Exchange::OnResponseEnd() { proxy_.OnResponseEnd(*this); }
void Exchange::OnExchangeBroken(bool sent, std::string_view why) { proxy_.OnBroken(*this, sent, why); }
void Exchange::OnForwardHead(const http::Head& answer, const ServedBy& served) {
  proxy_.DeliverHead(*this, answer, served);
}
void Exchange::OnForwardEnded(const AttemptEnded& ended, bool whole) {
  proxy_.OnForwardEnded(*this, ended, whole);
}
void Exchange::OnRequestDrained() { proxy_.OnRequestDrained(*this); }

}  // namespace ringway::router
