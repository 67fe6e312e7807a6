#include "gateway/film_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "gateway/jobs/object_key.h"

namespace ringway::gateway {
namespace {

constexpr std::size_t kFilmPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kFilmWindowBytes = std::size_t{512} << 10;
constexpr double kPreviewAgainSeconds = 2;

// How it is said that there is no picture of a film.
struct PreviewRefusal {
  int status;
  const char* code;
  double retry_after_s;
  const char* says;
  bool why = true;  // the cause is for the client; else it is of this machine, and the log has it
};

PreviewRefusal RefusalOf(absl::StatusCode cause) {
  switch (cause) {
    case absl::StatusCode::kInvalidArgument:
      return {
          422, "film_not_decoded", 0,
          " cannot be made, the film as it is stored cannot be decoded; allowed: MP4, WebM, GIF, PNG, WebP, "
          "JPEG, and variant 'video' for any: "};
    case absl::StatusCode::kResourceExhausted:
      return {503, "overloaded", kPreviewAgainSeconds, " is not made now; ask again: "};
    case absl::StatusCode::kNotFound:
      return {410, "result_gone", 0, " cannot be made, its film has gone: "};
    case absl::StatusCode::kUnavailable:
      return {503, "store_unreachable", kPreviewAgainSeconds, " is not made now; ask again: "};
    case absl::StatusCode::kUnimplemented:
      return {501, "not_built_in", 0, " is not made here; allowed: variant 'video'", false};
    default:
      return {500, "preview_failed", 0, " could not be made; the log of the router says why", false};
  }
}

}  // namespace

// One film on its way from the shared store to a client.
class FilmCalls::FromStore final : public RemoteFilm, private objects::ObjectSink {
 public:
  FromStore(FilmCalls& calls, Exchange& exchange, const Content& film, const ByteRange& range)
      : calls_(calls), exchange_(exchange), film_(film), range_(range) {}
  ~FromStore() override {
    if (call_ != nullptr) call_->Abandon();
  }
  void Begin() {
    call_ = calls_.shared_->store().Get(FilmKey(film_.video), range_.first, range_.count,
                                        static_cast<objects::ObjectSink&>(*this));
  }
  void OnDrained() override {
    if (call_->paused()) call_->Resume();
  }

 private:
  void OnObjectBegin() override {
    begun_ = true;
    calls_.SendHead(exchange_, film_, range_);
  }
  void OnObjectBytes(std::string_view bytes) override {
    exchange_.client.SendBody(bytes);
    exchange_.client.Push();
    if (exchange_.client.queued() > kFilmWindowBytes) call_->Pause();
  }
  // Ends this object.
  void OnObjectEnd(const absl::Status& status) override {
    http::ServerConnection& client = exchange_.client;
    const FilmCalls& calls = calls_;
    call_.reset();
    if (!begun_) {
      const bool gone = absl::IsNotFound(status);
      return calls.endings_.refuse(
          exchange_, gone ? 410 : 503, gone ? "result_gone" : "store_unreachable",
          gone ? "this result is not in the store any more"
               : absl::StrCat("the store that has this film does not serve: ", status.message()),
          gone ? 0 : 2, "");
    }
    if (!status.ok()) {
      calls.log_.Error(absl::StrCat("videos: the film of ", film_.video, " broke off: ", status.message()));
      calls.endings_.release(client.tag);
      return client.Abort();
    }
    calls.endings_.release(client.tag);
    client.EndResponse();
  }

  FilmCalls& calls_;
  Exchange& exchange_;
  const Content film_;
  const ByteRange range_;
  objects::ObjectStore::Call call_;
  bool begun_ = false;
};

FilmCalls::Content FilmCalls::FilmOf(const Video& video) {
  return {.video = video.id,
          .name = video.id,
          .type = FilmTypeOf(video.content_type),
          .bytes = video.result_bytes};
}

bool FilmCalls::IsThere(Exchange& exchange, const Video& video) {
  if (video.state == State::kFailed) {
    endings_.refuse(exchange, 409, video.fault.code, video.fault.message, 0, video.fault.field);
  } else if (video.state != State::kCompleted) {
    endings_.refuse(exchange, 409, "video_not_ready",
                    absl::StrCat("video ", video.id, " is ", std::string(StateName(video.state))), 1, "");
  } else if (!video.has_result && (!video.shared || shared_ == nullptr)) {
    endings_.refuse(exchange, 410, "result_gone", "the store was full and this result had to make room", 0,
                    "");
  } else {
    return true;
  }
  return false;
}

std::optional<ByteRange> FilmCalls::RangeOf(Exchange& exchange, const Content& content) {
  const bool same = exchange.if_range.empty() || exchange.if_range == absl::StrCat("\"", content.name, "\"");
  const ByteRange range =
      ReadRange(same ? std::string_view(exchange.range) : std::string_view(), content.bytes);
  if (range.kind != ByteRange::Kind::kUnsatisfiable) return range;
  endings_.say(
      exchange, 416, absl::StrCat("Content-Range: bytes */", content.bytes, "\r\n"),
      ErrorJson(416, "range_not_satisfiable", absl::StrCat("the video has ", content.bytes, " bytes")));
  return std::nullopt;
}

void FilmCalls::Begin(Exchange& exchange, const Video& video) {
  if (!IsThere(exchange, video)) return;
  const Content film = FilmOf(video);
  const auto range = RangeOf(exchange, film);
  if (!range) return;
  exchange.stage = Exchange::Stage::kContent;
  exchange.offset = range->first;
  exchange.end = exchange.head_only ? range->first : range->first + range->count;
  if (!video.has_result && exchange.offset < exchange.end) {
    auto remote = std::make_unique<FromStore>(*this, exchange, film, *range);
    FromStore& begun = *remote;
    exchange.remote = std::move(remote);
    return begun.Begin();
  }
  if (video.has_result) {
    const auto fd = jobs_.store().OpenResult(video.id);
    if (!fd.ok())
      return endings_.refuse(exchange, 500, "storage_failed", std::string(fd.status().message()), 0, "");
    exchange.file = std::make_shared<const ResultFile>(*fd);
  }
  SendHead(exchange, film, *range);
  SendMore(exchange);
}

void FilmCalls::BeginPreview(Exchange& exchange, const Video& video, const PreviewType& preview) {
  if (!IsThere(exchange, video)) return;
  exchange.stage = Exchange::Stage::kPreview;
  const Content content = {.video = video.id,
                           .name = absl::StrCat(video.id, "-", AbslView(preview.variant)),
                           .type = preview.type};
  previews_.Make(video, preview.variant,
                 [this, content, &preview, tag = exchange.client.tag](const auto& picture) {
                   if (Exchange* const waits = endings_.find(tag))
                     OnPreview(*waits, content, preview, picture);
                 });
}

void FilmCalls::OnPreview(Exchange& exchange, const Content& content, const PreviewType& preview,
                          const absl::StatusOr<std::shared_ptr<const ResultFile>>& picture) {
  if (!picture.ok()) {
    const PreviewRefusal refusal = RefusalOf(picture.status().code());
    return endings_.refuse(exchange, refusal.status, refusal.code,
                           absl::StrCat("variant '", AbslView(preview.variant), "' of ", content.video,
                                        refusal.says, refusal.why ? picture.status().message() : ""),
                           refusal.retry_after_s, "variant");
  }
  Content made = content;
  made.bytes = (*picture)->size();
  const auto range = RangeOf(exchange, made);
  if (!range) return;
  exchange.stage = Exchange::Stage::kContent;
  exchange.offset = range->first;
  exchange.end = exchange.head_only ? range->first : range->first + range->count;
  exchange.file = *picture;
  SendHead(exchange, made, *range);
  SendMore(exchange);
}

void FilmCalls::SendHead(Exchange& exchange, const Content& content, const ByteRange& range) {
  const bool part = range.kind == ByteRange::Kind::kPart;
  const int status = part ? 206 : 200;
  metrics_.CountRequest(exchange.route.kind, status);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(status, http::ReasonOf(status));
  client.AddField("Content-Type", content.type.type);
  exchange.fields.AddTo(client);
  client.AddField("ETag", absl::StrCat("\"", content.name, "\""));
  client.AddField("Accept-Ranges", "bytes");
  client.AddField("Cache-Control", "private, max-age=31536000, immutable");
  client.AddField("X-Ringway-Video", content.video);
  client.AddField("Content-Disposition",
                  absl::StrCat(AbslView(content.type.disposition), "; filename=\"", content.name, ".",
                               AbslView(content.type.ending), "\""));
  if (part) {
    client.AddField("Content-Range", absl::StrCat("bytes ", range.first, "-", range.first + range.count - 1,
                                                  "/", content.bytes));
  }
  client.EndHead(http::Framing::kLength, range.count);
}

void FilmCalls::OnDrained(Exchange& exchange) {
  if (exchange.remote != nullptr) return exchange.remote->OnDrained();
  SendMore(exchange);
}

void FilmCalls::SendMore(Exchange& exchange) {
  http::ServerConnection& client = exchange.client;
  while (exchange.offset < exchange.end && client.queued() < kFilmWindowBytes) {
    const std::size_t count = std::min<std::uint64_t>(kFilmPieceBytes, exchange.end - exchange.offset);
    const std::string piece = exchange.file->Read(exchange.offset, count);
    if (piece.empty()) {
      log_.Error(
          absl::StrCat("videos: the result of ", exchange.route.id, " is shorter than its record says"));
      endings_.release(client.tag);
      return client.Abort();
    }
    client.SendBody(piece);
    exchange.offset += piece.size();
    // When the kernel takes everything at once, nobody calls.
    if (client.queued() >= kFilmWindowBytes) client.Push();
  }
  if (exchange.offset < exchange.end) return;
  endings_.release(client.tag);
  client.EndResponse();
}

}  // namespace ringway::gateway
