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
constexpr Duration kJobMax = Hours(24);
// An owner that restarts is waited for.
constexpr Duration kOwnerWaitMax = Seconds(4);
// Where its finished videos are elsewhere too, these are looked for first; then it is waited for.
constexpr Duration kOwnerWaitBeforeLookup = Seconds(1);

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
    const std::int64_t age_s = ToUnixSeconds(runtime::WallNow()) - (id ? id->created_s : 0);
    if (Seconds(age_s) > settings_.limits.expiry + kJobMax) return RefuseUnknown(exchange);
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
  add(kRequestIdField.data(), exchange.fields.request_id);
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
                              exchange.fields, exchange.client.tag, static_cast<RelaySink&>(*this));
  const bool look_soon = shared_ != nullptr && !exchange.route.creates() && exchange.silences == 0;
  exchange.relay->Begin(runtime::MonotonicNow(), look_soon ? kOwnerWaitBeforeLookup : kOwnerWaitMax);
}

// Of an owner that is away, or of a life of this router that has been forgotten.
void Front::LookUp(Exchange& exchange) {
  exchange.stage = Exchange::Stage::kLookup;
  exchange.relay.reset();
  shared_->Find(exchange.route.id, [this, tag = exchange.client.tag](const absl::StatusOr<Video>& video) {
    if (const auto found = exchanges_.find(tag); found != exchanges_.end()) OnLookedUp(*found->second, video);
  });
}

void Front::OnLookedUp(Exchange& exchange, const absl::StatusOr<Video>& video) {
  const std::string owner = OwnerOf(exchange.route.id);
  if (video.ok()) {
    metrics_.CountFromShared();
    if (exchange.route.kind != Route::Kind::kDelete) return Serve(exchange, *video);
    return shared_->DeleteForOwner(
        video->id, [this, id = video->id, tag = exchange.client.tag](const absl::Status& deleted) {
          const auto found = exchanges_.find(tag);
          if (found == exchanges_.end()) return;
          if (deleted.ok()) return Say(*found->second, 200, "", DeletedJson(id));
          Refuse(*found->second, 503, "store_unreachable",
                 absl::StrCat("the store that has this video does not serve: ", deleted.message()), 2);
        });
  }
  const bool nowhere = absl::IsNotFound(video.status());
  exchange.silences = 1;
  if (!IsOurs(owner)) {
    // It may run, at an owner that is on its way back.
    if (peers_.Knows(owner) || nowhere) return RelayTo(exchange, owner);
  } else if (nowhere) {
    return RefuseUnknown(exchange);
  }
  Refuse(exchange, 503, "store_unreachable",
         absl::StrCat("the store that would have this video does not serve: ", video.status().message()), 2);
}

void Front::OnRelayed(std::uint64_t tag) { Release(tag); }

void Front::OnOwnerSilent(std::uint64_t tag, const std::string& why) {
  const auto found = exchanges_.find(tag);
  if (found == exchanges_.end()) return;
  metrics_.CountOwnerSilent();
  const bool first = found->second->silences++ == 0;
  if (shared_ != nullptr && first && !found->second->route.creates()) return LookUp(*found->second);
  Refuse(*found->second, 503, "owner_unreachable",
         absl::StrCat("the router that owns this video does not answer: ", why), 1);
}

}  // namespace ringway::gateway
