// The videos API: creating jobs.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/front.h"
#include "gateway/jobs/picture_check.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

std::string Words(const absl::Status& status) { return std::string(status.message()); }

std::optional<ImageCallKind> CallOf(Route::Kind kind) {
  if (kind == Route::Kind::kImage) return ImageCallKind::kGeneration;
  if (kind == Route::Kind::kImageEdit) return ImageCallKind::kEdit;
  if (kind == Route::Kind::kImageVariation) return ImageCallKind::kVariation;
  return std::nullopt;
}

}  // namespace

void Front::Create(Exchange& exchange) {
  exchange.stage = Exchange::Stage::kReading;
  const std::uint64_t tag = exchange.client.tag;
  // The bytes are in memory until they have been read, whether the client stays so long or not.
  const std::size_t bytes = std::exchange(exchange.body_bytes, 0);
  orders_.Read(CallOf(exchange.route.kind), exchange.content_type, std::exchange(exchange.body, {}),
               [this, tag, bytes](absl::StatusOr<VideoOrder> order, std::string body) {
                 OnOrder(tag, bytes, std::move(order), std::move(body));
               });
}

void Front::OnOrder(std::uint64_t tag, std::size_t body_bytes, absl::StatusOr<VideoOrder> order,
                    std::string body) {
  const auto found = exchanges_.find(tag);
  if (found == exchanges_.end()) {
    body_bytes_ -= body_bytes;
    return;
  }
  Exchange& exchange = *found->second;
  exchange.body_bytes = body_bytes;
  if (!order.ok()) return RefuseField(exchange, order.status());
  const std::string owner = exchange.key.empty() ? settings_.router : OwnerOfKey(exchange.key);
  if (!IsOurs(owner) && !exchange.relayed) {
    exchange.body = std::move(body);
    return RelayTo(exchange, owner);
  }
  body_bytes_ -= std::exchange(exchange.body_bytes, 0);
  TakeOrder(exchange, *std::move(order));
}

void Front::TakeOrder(Exchange& exchange, VideoOrder order) {
  if (!order.webhook_url.empty()) {
    if (const absl::Status allowed = webhooks_.Allows(order.webhook_url); !allowed.ok()) {
      return RefuseField(exchange, allowed);
    }
  }
  const bool draws = order.images > 0;
  if (!draws && !exchange.key.empty() && AnswerFromKey(exchange, order)) return;
  Passage passage{
      .key = exchange.key, .traceparent = exchange.traceparent, .tracestate = exchange.tracestate};
  const FleetSummary::Tier* const tier = ChooseTier(exchange, order);
  if (tier == nullptr) return;
  if (const absl::Status fit = CheckPictures(order, tier->pictures); !fit.ok())
    return RefuseField(exchange, fit);
  passage.tier = tier->name;
  if (draws) return images_.Begin(exchange, order, passage);
  const bool sync = exchange.route.kind == Route::Kind::kCreateSync;
  const auto taken = jobs_.Take(std::move(order), passage, jobs_.table().OfKey(exchange.key));
  if (!taken.ok()) {
    const bool full = taken.status().code() == absl::StatusCode::kResourceExhausted;
    return Refuse(exchange, full ? 429 : 507, full ? "overloaded" : "storage_failed", Words(taken.status()),
                  1);
  }
  AwaitVideo(exchange, *taken, sync ? Exchange::Stage::kSync : Exchange::Stage::kVerdict);
}

// The tier whose name the model is, or whose workers hold it. A model that nobody is known to hold goes where
// that cannot be known here: to the only tier, to be refused there.
const FleetSummary::Tier* Front::ChooseTier(Exchange& exchange, const VideoOrder& order) {
  const FleetSummary::Tier* chosen = nullptr;
  std::set<std::string> names;
  for (const FleetSummary::Tier& served : summary_.tiers) {
    names.insert(served.name);
    names.insert(served.models.names().begin(), served.models.names().end());
    const bool called = served.name == order.model;
    const bool only = summary_.tiers.size() == 1 && served.models.Takes(served.name, order.model);
    const bool holds = served.models.Names(order.model) || served.models.any();
    if (called || only || (chosen == nullptr && !order.model.empty() && holds)) chosen = &served;
    if (called) break;
  }
  if (chosen == nullptr && !summary_.tiers.empty()) {
    const std::string serves = absl::StrCat("this fleet serves: ", absl::StrJoin(names, ", "));
    const bool named = !order.model.empty();
    Refuse(exchange, named ? 404 : 400, named ? "model_not_found" : "invalid_request",
           named ? absl::StrCat("model is '", order.model, "'; ", serves)
                 : absl::StrCat("model is missing; ", serves),
           0, "model");
    return nullptr;
  }
  if (chosen == nullptr || !chosen->has_backend) {
    Refuse(exchange, 503, "no_backend", "no worker can be reached that would make this", 5);
    return nullptr;
  }
  return chosen;
}

// True: the key's job answers. One that failed is not an answer: nothing came of it, so it runs again.
bool Front::AnswerFromKey(Exchange& exchange, const VideoOrder& order) {
  const Video* known = jobs_.table().OfKey(exchange.key);
  if (known == nullptr) return false;
  if (known->fingerprint != order.fingerprint) {
    Refuse(exchange, 409, "idempotency_key_reused",
           absl::StrCat("this Idempotency-Key belongs to video ", known->id, ", which was another request"));
    return true;
  }
  if (known->state == State::kDeleted) {
    Refuse(exchange, 409, "video_deleted",
           absl::StrCat("the video of this Idempotency-Key, ", known->id, ", was deleted; use another key"));
    return true;
  }
  if (known->state == State::kFailed) return false;
  metrics_.CountRepeat();
  if (exchange.route.kind == Route::Kind::kCreate) {
    SayVideo(exchange, *known);
  } else if (known->state == State::kCompleted) {
    Content(exchange, *known);
  } else {
    AwaitVideo(exchange, known->id, Exchange::Stage::kSync);
  }
  return true;
}

void Front::AwaitVideo(Exchange& exchange, const std::string& id, Exchange::Stage stage) {
  exchange.stage = stage;
  exchange.since = runtime::MonotonicNow();
  exchange.video = id;
  watching_.Add(exchange.client.tag, id);
  if (stage == Exchange::Stage::kVerdict) ExpectVerdict(exchange, kVerdictMax);
}

void Front::ExpectVerdict(const Exchange& exchange, Duration within) {
  verdicts_.insert({runtime::MonotonicNow() + within, exchange.client.tag});
  if (verdict_alarm_) verdict_alarm_->Arm(verdicts_.begin()->first);
}

// No refusal came in time: the job is what it is.
void Front::OnVerdictsDue() {
  const Time now = runtime::MonotonicNow();
  while (!verdicts_.empty() && verdicts_.begin()->first <= now) {
    const std::uint64_t tag = verdicts_.begin()->second;
    verdicts_.erase(verdicts_.begin());
    const auto found = exchanges_.find(tag);
    if (found == exchanges_.end() || found->second->stage != Exchange::Stage::kVerdict) continue;
    if (const Video* video = jobs_.table().Find(found->second->video)) SayVideo(*found->second, *video);
  }
  if (!verdicts_.empty()) verdict_alarm_->Arm(verdicts_.begin()->first);
}

// What ends at once without having begun is an answer to this request, and leaves no job behind.
void Front::OnVerdict(Exchange& exchange, const Video& video, std::string_view event) {
  if (event == "video.in_progress") return ExpectVerdict(exchange, kStartedVerdictMax);
  if (video.state == State::kQueued) return;
  if (video.state != State::kFailed || !video.refused) return SayVideo(exchange, video);
  const std::string id = video.id;
  const Fault fault = video.fault;
  Refuse(exchange, HttpStatusOf(fault), fault.code, fault.message, fault.retry_after_s, fault.field);
  jobs_.Forget(id);
}

void Front::OnSyncNews(Exchange& exchange, const Video& video) {
  if (!IsOver(video.state)) return;
  if (video.state == State::kCompleted) return Content(exchange, video);
  const Fault fault = video.fault;
  const std::string forget = video.refused ? video.id : "";
  Refuse(exchange, HttpStatusOf(fault), fault.code, fault.message, fault.retry_after_s, fault.field);
  if (!forget.empty()) jobs_.Forget(forget);
}

}  // namespace ringway::gateway
