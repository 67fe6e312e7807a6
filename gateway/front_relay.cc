// The videos API: what another router has to answer.
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/front.h"
#include "gateway/jobs/video_id.h"
#include "router/once/rendezvous.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

// Jobs of an owner that is not known here are not asked about for longer than it can have kept them.
constexpr absl::Duration kJobMax = absl::Hours(24);

}  // namespace

// Of the routers of this region, the one that ranks highest for the key: whoever of them is asked, it is the
// same one that knows the key's job. A key that comes back in another region is a job of its own there, and
// the replicas of once see to it that it does not run twice.
std::string Front::OwnerOfKey(const std::string& key) const {
  std::string owner = settings_.router;
  const auto score = [&key](const std::string& router) {
    return router::once::StableHash(key, router::once::StableHash(router));
  };
  for (const std::string& router : peers_.Of(settings_.region)) {
    const std::uint64_t theirs = score(router), best = score(owner);
    if (theirs > best || (theirs == best && router < owner)) owner = router;
  }
  return owner;
}

void Front::RelayTo(Exchange& exchange, const std::string& router) {
  if (exchange.relayed) {
    // Two routers that take each other for the owner would hand it to and fro.
    return Refuse(exchange, 421, "misdirected",
                  absl::StrCat("router ", settings_.router, " is not ", router));
  }
  if (!peers_.Knows(router)) {
    const auto id = ParseVideoId(exchange.route.id);
    const std::int64_t age_s = absl::ToUnixSeconds(runtime::WallNow()) - (id ? id->created_s : 0);
    if (absl::Seconds(age_s) > settings_.limits.expiry + kJobMax) return RefuseUnknown(exchange);
    return Refuse(exchange, 503, "owner_unknown",
                  absl::StrCat("this video belongs to router ", router, ", which is not known here (yet)"),
                  2);
  }
  const std::string method = exchange.route.creates()                      ? "POST"
                             : exchange.route.kind == Route::Kind::kDelete ? "DELETE"
                             : exchange.head_only                          ? "HEAD"
                                                                           : "GET";
  std::string request = absl::StrCat(method, " ", exchange.target, " HTTP/1.1\r\nHost: ringway\r\n",
                                     std::string(kRelayedField), ": ", settings_.router, "\r\n");
  const auto add = [&request](const char* name, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&request, name, ": ", value, "\r\n");
  };
  add("Authorization", exchange.authorization);
  add("Idempotency-Key", exchange.key);
  add("traceparent", exchange.traceparent);
  add("tracestate", exchange.tracestate);
  add("Range", exchange.range);
  add("If-Range", exchange.if_range);
  if (exchange.route.creates()) {
    add("Content-Type", exchange.content_type);
    add("Content-Length", absl::StrCat(exchange.body.size()));
  }
  absl::StrAppend(&request, "\r\n");
  request += std::exchange(exchange.body, {});  // still counted: it is kept until the owner has answered
  metrics_.CountRelay();
  exchange.stage = Exchange::Stage::kRelay;
  exchange.relay =
      std::make_shared<Relay>(peers_, router, std::move(request), exchange.head_only, exchange.client,
                              exchange.client.tag, static_cast<RelaySink&>(*this));
  exchange.relay->Begin(runtime::MonotonicNow());
}

void Front::OnRelayed(std::uint64_t tag) { Release(tag); }

void Front::OnOwnerSilent(std::uint64_t tag, const std::string& why) {
  const auto found = exchanges_.find(tag);
  if (found == exchanges_.end()) return;
  metrics_.CountOwnerSilent();
  Refuse(*found->second, 503, "owner_unreachable",
         absl::StrCat("the router that owns this video does not answer: ", why), 1);
}

}  // namespace ringway::gateway
