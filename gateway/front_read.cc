// The videos API: reading, watching and deleting jobs.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/json.h"
#include "gateway/front.h"
#include "gateway/jobs/byte_range.h"
#include "gateway/jobs/film_type.h"
#include "gateway/jobs/video_id.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kWindowBytes = std::size_t{512} << 10;
// Unsent bytes at which a client of events is too slow for each of them.
constexpr std::size_t kEventsWindowBytes = std::size_t{16} << 10;

void ForbidGuesses(http::ServerConnection& client) { client.AddField("X-Content-Type-Options", "nosniff"); }

// The names to ask for: tiers, and what their workers hold.
std::set<std::string> ModelNames(const FleetSummary& summary) {
  std::set<std::string> names;
  for (const FleetSummary::Tier& tier : summary.tiers) {
    names.insert(tier.name);
    names.insert(tier.models.names().begin(), tier.models.names().end());
  }
  return names;
}

}  // namespace

// Its owner says what has become of it; nobody else can.
void Front::Read(Exchange& exchange) {
  const auto id = ParseVideoId(exchange.route.id);
  if (!id || id->image) return RefuseUnknown(exchange);
  if (!IsOurs(id->owner)) return RelayTo(exchange, id->owner);
  const Video* video = jobs_.table().Find(exchange.route.id);
  if (video == nullptr) return RefuseUnknown(exchange);
  if (video->state == State::kDeleted) {
    return Refuse(exchange, 404, "video_deleted", absl::StrCat("video ", video->id, " was deleted"));
  }
  switch (exchange.route.kind) {
    case Route::Kind::kContent:
      return Content(exchange, *video);
    case Route::Kind::kEvents:
      return BeginEvents(exchange, *video);
    case Route::Kind::kDelete: {
      const std::string deleted = video->id;
      jobs_.Delete(deleted);
      JsonWriter json(JsonWriter::Layout::kDense);
      json.BeginObject().Key("id").Text(deleted).Key("object").Text("video.deleted");
      json.Key("deleted").Flag(true).End();
      return Say(exchange, 200, "", json.text());
    }
    default:
      return SayVideo(exchange, *video);
  }
}

void Front::RefuseUnknown(Exchange& exchange) {
  const auto id = ParseVideoId(exchange.route.id);
  if (!id || id->image)
    return Refuse(exchange, 404, "video_not_found", "there is no video of this id: it is no id of a video");
  const std::int64_t age_s = absl::ToUnixSeconds(runtime::WallNow()) - id->created_s;
  const bool old = absl::Seconds(age_s) >= settings_.limits.expiry;
  Refuse(exchange, 404, old ? "video_expired" : "video_not_found",
         old ? "the time for which this video was kept is over" : "there is no video of this id");
}

void Front::Models(Exchange& exchange) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("object").Text("list").Key("data").BeginArray();
  for (const std::string& name : ModelNames(summary_)) {
    json.BeginObject().Key("id").Text(name).Key("object").Text("model");
    json.Key("created").Integer(0).Key("owned_by").Text("ringway").End();
  }
  json.End().End();
  Say(exchange, 200, "", json.text());
}

// ---- the result ----

void Front::Content(Exchange& exchange, const Video& video) {
  if (const auto variant = exchange.route.query.find("variant");
      variant != exchange.route.query.end() && variant->second != "video") {
    return Refuse(exchange, 400, "invalid_request", "variant is not 'video', the only one that is made here");
  }
  if (video.state == State::kFailed) return Refuse(exchange, 409, video.fault.code, video.fault.message);
  if (video.state != State::kCompleted) {
    return Refuse(exchange, 409, "video_not_ready",
                  absl::StrCat("video ", video.id, " is ", std::string(StateName(video.state))), 1);
  }
  if (!video.has_result) {
    return Refuse(exchange, 410, "result_gone", "the store was full and this result had to make room");
  }
  const auto fd = jobs_.store().OpenResult(video.id);
  if (!fd.ok()) return Refuse(exchange, 500, "storage_failed", std::string(fd.status().message()));
  exchange.file = std::make_unique<ResultFile>(*fd);
  SendContent(exchange, video);
}

void Front::SendContent(Exchange& exchange, const Video& video) {
  const std::uint64_t size = video.result_bytes;
  const bool same = exchange.if_range.empty() || exchange.if_range == absl::StrCat("\"", video.id, "\"");
  const ByteRange range = ReadRange(same ? std::string_view(exchange.range) : std::string_view(), size);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    return Say(exchange, 416, absl::StrCat("Content-Range: bytes */", size, "\r\n"),
               ErrorJson(416, "range_not_satisfiable", absl::StrCat("the video has ", size, " bytes")));
  }
  const bool part = range.kind == ByteRange::Kind::kPart;
  const int status = part ? 206 : 200;
  metrics_.CountRequest(exchange.route.kind, status);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(status, http::ReasonOf(status));
  const FilmType film = FilmTypeOf(video.content_type);
  client.AddField("Content-Type", film.type);
  ForbidGuesses(client);
  client.AddField("ETag", absl::StrCat("\"", video.id, "\""));
  client.AddField("Accept-Ranges", "bytes");
  client.AddField("Cache-Control", "private, max-age=31536000, immutable");
  client.AddField("X-Ringway-Video", video.id);
  client.AddField("Content-Disposition", absl::StrCat(std::string(film.disposition), "; filename=\"",
                                                      video.id, ".", std::string(film.ending), "\""));
  if (part) {
    client.AddField("Content-Range",
                    absl::StrCat("bytes ", range.first, "-", range.first + range.count - 1, "/", size));
  }
  client.EndHead(http::Framing::kLength, range.count);
  exchange.stage = Exchange::Stage::kContent;
  exchange.offset = range.first;
  exchange.end = exchange.head_only ? range.first : range.first + range.count;
  SendMore(exchange);
}

void Front::SendMore(Exchange& exchange) {
  http::ServerConnection& client = exchange.client;
  while (exchange.offset < exchange.end && client.queued() < kWindowBytes) {
    const std::size_t count = std::min<std::uint64_t>(kPieceBytes, exchange.end - exchange.offset);
    const std::string piece = exchange.file->Read(exchange.offset, count);
    if (piece.empty()) {
      log_.Error(
          absl::StrCat("videos: the result of ", exchange.route.id, " is shorter than its record says"));
      Release(client.tag);
      return client.Abort();
    }
    client.SendBody(piece);
    exchange.offset += piece.size();
    // When the kernel takes everything at once, nobody calls.
    if (client.queued() >= kWindowBytes) client.Push();
  }
  if (exchange.offset < exchange.end) return;
  Release(client.tag);
  client.EndResponse();
}

// ---- events ----

void Front::BeginEvents(Exchange& exchange, const Video& video) {
  metrics_.CountRequest(exchange.route.kind, 200);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(200, "OK");
  client.AddField("Content-Type", "text/event-stream");
  ForbidGuesses(client);
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
                               "\ndata: ", VideoJson(video, settings_.router), "\n\n"));
  if (!over) return client.Push();
  Release(client.tag);
  client.EndResponse();
}

}  // namespace ringway::gateway
