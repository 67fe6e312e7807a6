// The videos API: reading, watching and deleting jobs.
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "gateway/front.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/film_type.h"
#include "gateway/jobs/video_id.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

// Unsent bytes at which a client of events is too slow for each of them.
constexpr std::size_t kEventsWindowBytes = std::size_t{16} << 10;

}  // namespace

// Its owner says what has become of it; nobody else can.
void Front::Read(Exchange& exchange) {
  const auto id = ParseVideoId(exchange.route.id);
  if (!id || id->image) return RefuseUnknown(exchange);
  if (!IsOurs(id->owner)) {
    // An owner that has left the directory need not be waited for.
    const bool left = shared_ != nullptr && !exchange.relayed && !peers_.Lists(id->owner);
    return left ? LookUp(exchange) : RelayTo(exchange, id->owner);
  }
  const Video* video = jobs_.table().Find(exchange.route.id);
  // It may be of a life of this router whose disk is gone.
  if (video == nullptr) return shared_ != nullptr ? LookUp(exchange) : RefuseUnknown(exchange);
  if (video->state == State::kDeleted) {
    return Refuse(exchange, 404, "video_deleted", absl::StrCat("video ", video->id, " was deleted"));
  }
  Serve(exchange, *video);
}

void Front::Serve(Exchange& exchange, const Video& video) {
  switch (exchange.route.kind) {
    case Route::Kind::kContent:
      return Content(exchange, video);
    case Route::Kind::kEvents:
      return BeginEvents(exchange, video);
    case Route::Kind::kDelete: {
      const std::string deleted = video.id;
      jobs_.Delete(deleted);
      return Say(exchange, 200, "", DeletedJson(deleted));
    }
    default:
      return SayVideo(exchange, video);
  }
}

void Front::RefuseUnknown(Exchange& exchange) {
  const auto id = ParseVideoId(exchange.route.id);
  if (!id || id->image)
    return Refuse(exchange, 404, "video_not_found", "there is no video of this id: it is no id of a video");
  const std::int64_t age_s = ToUnixSeconds(runtime::WallNow()) - id->created_s;
  const bool old = Seconds(age_s) >= settings_.limits.expiry;
  Refuse(exchange, 404, old ? "video_expired" : "video_not_found",
         old ? "the time for which this video was kept is over" : "there is no video of this id");
}

void Front::Models(Exchange& exchange) {
  if (exchange.route.kind != Route::Kind::kModel) return Say(exchange, 200, "", models_.all());
  const std::string& asked = exchange.route.id;
  if (models_.Has(asked)) return Say(exchange, 200, "", ModelList::One(asked));
  Refuse(exchange, 404, "model_not_found",
         absl::StrCat("model is '", HeaderText::Escaped(asked).text(),
                      "'; this fleet serves: ", models_.Names()),
         0, "model");
}

// ---- the result ----

void Front::Content(Exchange& exchange, const Video& video) {
  const auto variant = exchange.route.query.find("variant");
  if (variant == exchange.route.query.end() || variant->second == "video")
    return films_.Begin(exchange, video);
  if (const PreviewType* const preview = PreviewTypeOf(variant->second))
    return films_.BeginPreview(exchange, video, *preview);
  RefuseField(exchange,
              FieldError("variant", absl::StrCat("variant is '", HeaderText::Escaped(variant->second).text(),
                                                 "'; allowed: video, thumbnail, spritesheet")));
}

// ---- events ----

void Front::BeginEvents(Exchange& exchange, const Video& video) {
  metrics_.CountRequest(exchange.route.kind, 200);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(200, "OK");
  client.AddField("Content-Type", "text/event-stream");
  exchange.fields.AddTo(client);
  client.AddField("Cache-Control", "no-store");
  client.EndHead(http::Framing::kToClose);
  if (exchange.head_only) {
    Release(client.tag);
    return client.EndResponse();
  }
  AwaitVideo(exchange, video.id, Exchange::Stage::kEvents);
  // Where it stands, whoever comes and whenever: a client that comes back needs nothing else.
  SendEvent(exchange, video, absl::StrCat("video.", std::string(StateName(video.state))));
}

void Front::SendEvent(Exchange& exchange, const Video& video, std::string_view event) {
  http::ServerConnection& client = exchange.client;
  const bool over = IsOver(video.state);
  if (!over && client.queued() > kEventsWindowBytes) {
    exchange.behind = true;
    return;
  }
  exchange.said_at = runtime::MonotonicNow();
  client.SendBody(absl::StrCat("id: ", ++exchange.last_event, "\nevent: ", std::string(event),
                               "\ndata: ", VideoJson(video, OwnerOf(video.id)), "\n\n"));
  if (!over) return client.Push();
  Release(client.tag);
  client.EndResponse();
}

}  // namespace ringway::gateway
