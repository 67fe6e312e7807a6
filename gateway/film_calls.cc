#include "gateway/film_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/film_type.h"
#include "gateway/jobs/object_key.h"

namespace ringway::gateway {
namespace {

constexpr std::size_t kFilmPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kFilmWindowBytes = std::size_t{512} << 10;

}  // namespace

// One film on its way from the shared store to a client.
class FilmCalls::FromStore final : public RemoteFilm, private objects::ObjectSink {
 public:
  FromStore(FilmCalls& calls, Exchange& exchange, const Video& video, const ByteRange& range)
      : calls_(calls), exchange_(exchange), video_(video), range_(range) {}
  ~FromStore() override {
    if (call_ != nullptr) call_->Abandon();
  }
  void Begin() {
    call_ = calls_.shared_->store().Get(FilmKey(video_.id), range_.first, range_.count,
                                        static_cast<objects::ObjectSink&>(*this));
  }
  void OnDrained() override {
    if (call_->paused()) call_->Resume();
  }

 private:
  void OnObjectBegin() override {
    begun_ = true;
    calls_.SendHead(exchange_, video_, range_);
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
      calls.log_.Error(absl::StrCat("videos: the film of ", video_.id, " broke off: ", status.message()));
      calls.endings_.release(client.tag);
      return client.Abort();
    }
    calls.endings_.release(client.tag);
    client.EndResponse();
  }

  FilmCalls& calls_;
  Exchange& exchange_;
  const Video video_;
  const ByteRange range_;
  objects::ObjectStore::Call call_;
  bool begun_ = false;
};

void FilmCalls::Begin(Exchange& exchange, const Video& video) {
  if (video.state == State::kFailed)
    return endings_.refuse(exchange, 409, video.fault.code, video.fault.message, 0, video.fault.field);
  if (video.state != State::kCompleted) {
    return endings_.refuse(exchange, 409, "video_not_ready",
                           absl::StrCat("video ", video.id, " is ", std::string(StateName(video.state))), 1,
                           "");
  }
  const bool remote = !video.has_result;
  if (remote && (!video.shared || shared_ == nullptr)) {
    return endings_.refuse(exchange, 410, "result_gone",
                           "the store was full and this result had to make room", 0, "");
  }
  const std::uint64_t size = video.result_bytes;
  const bool same = exchange.if_range.empty() || exchange.if_range == absl::StrCat("\"", video.id, "\"");
  const ByteRange range = ReadRange(same ? std::string_view(exchange.range) : std::string_view(), size);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    return endings_.say(
        exchange, 416, absl::StrCat("Content-Range: bytes */", size, "\r\n"),
        ErrorJson(416, "range_not_satisfiable", absl::StrCat("the video has ", size, " bytes")));
  }
  exchange.stage = Exchange::Stage::kContent;
  exchange.offset = range.first;
  exchange.end = exchange.head_only ? range.first : range.first + range.count;
  if (remote && exchange.offset < exchange.end) {
    auto film = std::make_unique<FromStore>(*this, exchange, video, range);
    FromStore& begun = *film;
    exchange.remote = std::move(film);
    return begun.Begin();
  }
  if (!remote) {
    const auto fd = jobs_.store().OpenResult(video.id);
    if (!fd.ok())
      return endings_.refuse(exchange, 500, "storage_failed", std::string(fd.status().message()), 0, "");
    exchange.file = std::make_unique<ResultFile>(*fd);
  }
  SendHead(exchange, video, range);
  SendMore(exchange);
}

void FilmCalls::SendHead(Exchange& exchange, const Video& video, const ByteRange& range) {
  const bool part = range.kind == ByteRange::Kind::kPart;
  const int status = part ? 206 : 200;
  metrics_.CountRequest(exchange.route.kind, status);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(status, http::ReasonOf(status));
  const FilmType film = FilmTypeOf(video.content_type);
  client.AddField("Content-Type", film.type);
  exchange.fields.AddTo(client);
  client.AddField("ETag", absl::StrCat("\"", video.id, "\""));
  client.AddField("Accept-Ranges", "bytes");
  client.AddField("Cache-Control", "private, max-age=31536000, immutable");
  client.AddField("X-Ringway-Video", video.id);
  client.AddField("Content-Disposition", absl::StrCat(std::string(film.disposition), "; filename=\"",
                                                      video.id, ".", std::string(film.ending), "\""));
  if (part) {
    client.AddField("Content-Range", absl::StrCat("bytes ", range.first, "-", range.first + range.count - 1,
                                                  "/", video.result_bytes));
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
