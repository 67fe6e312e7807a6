// The videos API: creating jobs.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "router/videos/book/multipart.h"
#include "router/videos/front.h"
#include "router/videos/json_order.h"
#include "runtime/clock.h"

namespace ringway::router::videos {
namespace {

bool SaysJson(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type.empty() || http::SameName(type, "application/json") || http::SameName(type, "text/json");
}

std::string Words(const absl::Status& status) { return std::string(status.message()); }

absl::StatusOr<VideoOrder> OrderOfForm(std::string_view body, std::string_view boundary) {
  const auto parts = ReadForm(body, boundary);
  if (!parts.ok()) return parts.status();
  VideoOrder order;
  for (const FormPart& part : *parts) {
    const bool file =
        part.name == "input_reference" && (!part.file_name.empty() || !part.content_type.empty());
    absl::Status added =
        file ? AddPicture(order, part.bytes, part.content_type) : AddField(order, part.name, part.bytes);
    if (!added.ok()) return added;
  }
  if (absl::Status complete = Complete(order); !complete.ok()) return complete;
  return order;
}

}  // namespace

absl::StatusOr<VideoOrder> Front::ReadBody(const Exchange& exchange) const {
  if (const std::string boundary = BoundaryOf(exchange.content_type); !boundary.empty()) {
    return OrderOfForm(exchange.body, boundary);
  }
  if (!SaysJson(exchange.content_type)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Content-Type is not one that is read here; allowed: application/json, multipart/form-data with a "
        "boundary"));
  }
  return OrderOfJson(exchange.body);
}

void Front::Create(Exchange& exchange) {
  auto order = ReadBody(exchange);
  if (!order.ok()) return Refuse(exchange, 400, "invalid_request", Words(order.status()));
  const std::string owner = exchange.key.empty() ? settings_.router : OwnerOfKey(exchange.key);
  if (!IsOurs(owner) && !exchange.relayed) return RelayTo(exchange, owner);
  body_bytes_ -= std::exchange(exchange.body_bytes, 0);
  exchange.body = {};
  TakeOrder(exchange, *std::move(order));
}

void Front::TakeOrder(Exchange& exchange, VideoOrder order) {
  if (!order.webhook_url.empty()) {
    if (const absl::Status allowed = webhooks_.Allows(order.webhook_url); !allowed.ok()) {
      return Refuse(exchange, 400, "invalid_request", Words(allowed));
    }
  }
  if (!exchange.key.empty() && AnswerFromKey(exchange, order)) return;
  Passage passage{
      .key = exchange.key, .traceparent = exchange.traceparent, .tracestate = exchange.tracestate};
  if (!ChooseTier(exchange, order, passage.tier)) return;
  const bool sync = exchange.route.kind == Route::Kind::kCreateSync;
  const auto taken = desk_.Take(std::move(order), passage, desk_.book().OfKey(exchange.key));
  if (!taken.ok()) {
    const bool full = taken.status().code() == absl::StatusCode::kResourceExhausted;
    return Refuse(exchange, full ? 429 : 507, full ? "overloaded" : "storage_failed", Words(taken.status()),
                  1);
  }
  AwaitVideo(exchange, *taken, sync ? Exchange::Stage::kSync : Exchange::Stage::kVerdict);
}

// A model that is called like a tier means that tier; else there must be only one, and the model is for the
// worker. False: the request has been answered.
bool Front::ChooseTier(Exchange& exchange, const VideoOrder& order, std::string& tier) {
  const FleetGlance::Tier* chosen = glance_.tiers.size() == 1 ? &glance_.tiers.front() : nullptr;
  std::vector<std::string> names;
  for (const FleetGlance::Tier& served : glance_.tiers) {
    names.push_back(served.name);
    if (served.name == order.model) chosen = &served;
  }
  if (chosen == nullptr && !glance_.tiers.empty()) {
    Refuse(exchange, 400, "model_not_found",
           absl::StrCat("model is '", order.model, "'; this fleet serves: ", absl::StrJoin(names, ", ")));
    return false;
  }
  if (chosen == nullptr || !chosen->has_backend) {
    Refuse(exchange, 503, "no_backend", "no worker can be reached that would make this", 5);
    return false;
  }
  tier = chosen->name;
  return true;
}

// True: the key's job answers. One that failed is not an answer: nothing came of it, so it runs again.
bool Front::AnswerFromKey(Exchange& exchange, const VideoOrder& order) {
  const Video* known = desk_.book().OfKey(exchange.key);
  if (known == nullptr) return false;
  if (known->fingerprint != order.Fingerprint()) {
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
  watching_[id].insert(exchange.client.tag);
  if (stage == Exchange::Stage::kVerdict) ExpectVerdict(exchange, kVerdictMax);
}

void Front::ExpectVerdict(const Exchange& exchange, absl::Duration within) {
  verdicts_.insert({runtime::MonotonicNow() + within, exchange.client.tag});
  if (verdict_alarm_) verdict_alarm_->Arm(verdicts_.begin()->first);
}

// No refusal came in time: the job is what it is.
void Front::OnVerdictsDue() {
  const absl::Time now = runtime::MonotonicNow();
  while (!verdicts_.empty() && verdicts_.begin()->first <= now) {
    const std::uint64_t tag = verdicts_.begin()->second;
    verdicts_.erase(verdicts_.begin());
    const auto found = exchanges_.find(tag);
    if (found == exchanges_.end() || found->second->stage != Exchange::Stage::kVerdict) continue;
    if (const Video* video = desk_.book().Find(found->second->video)) SayVideo(*found->second, *video);
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
  Refuse(exchange, HttpStatusOf(fault), fault.code, fault.message, fault.retry_after_s);
  desk_.Forget(id);
}

void Front::OnSyncNews(Exchange& exchange, const Video& video) {
  if (!IsOver(video.state)) return;
  if (video.state == State::kCompleted) return Content(exchange, video);
  const Fault fault = video.fault;
  const std::string forget = video.refused ? video.id : "";
  Refuse(exchange, HttpStatusOf(fault), fault.code, fault.message, fault.retry_after_s);
  if (!forget.empty()) desk_.Forget(forget);
}

}  // namespace ringway::router::videos
