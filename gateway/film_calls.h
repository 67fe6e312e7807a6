// Sends films: the result of a finished video, whole or a range, from this router's disk or from the store
// that all routers share; and the pictures that stand for them, which are made first.
//
// From the disk as fast as the client reads; from the store as it comes, and not faster than the client
// reads. A status is said when the bytes are there, so a film that has gone is 410 and a store that is away
// 503; what breaks off later breaks the answer off, which its length shows. The front hands over what
// concerns such an exchange, and lends what ends one.
//
// Threads: the front's loop. Bounds: kFilmWindowBytes unsent for each client; nothing is held whole.
#ifndef RINGWAY_GATEWAY_FILM_CALLS_H_
#define RINGWAY_GATEWAY_FILM_CALLS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/exchange.h"
#include "gateway/jobs/byte_range.h"
#include "gateway/jobs/film_type.h"
#include "gateway/previews.h"
#include "gateway/shared_films.h"
#include "gateway/video_jobs.h"
#include "gateway/videos_metrics.h"
#include "runtime/log.h"

namespace ringway::gateway {

class FilmCalls {
 public:
  struct Endings {
    std::function<void(Exchange&, int status, std::string_view fields, std::string_view json)> say;
    std::function<void(Exchange&, int status, std::string_view code, std::string_view message,
                       double retry_after_s, std::string_view field)>
        refuse;
    std::function<void(std::uint64_t tag)> release;
    std::function<Exchange*(std::uint64_t tag)> find;  // null: it has ended
  };
  // `shared` may be null.
  FilmCalls(VideoJobs& jobs, SharedFilms* shared, Previews& previews, VideosMetrics& metrics,
            const runtime::Logger& log, Endings endings)
      : jobs_(jobs),
        shared_(shared),
        previews_(previews),
        metrics_(metrics),
        log_(log),
        endings_(std::move(endings)) {}

  // Both may end the exchange.
  void Begin(Exchange& exchange, const Video& video);
  void BeginPreview(Exchange& exchange, const Video& video, const PreviewType& preview);
  void OnDrained(Exchange& exchange);

 private:
  class FromStore;
  // What goes out, and what is said of it.
  struct Content {
    std::string video;
    std::string name;  // of this content among all: its ETag, and the file's name where it is saved
    FilmType type;
    std::uint64_t bytes = 0;
  };
  static Content FilmOf(const Video& video);
  // False: the exchange has been answered.
  bool IsThere(Exchange& exchange, const Video& video);
  // Nothing: there is no such range, which has been answered.
  std::optional<ByteRange> RangeOf(Exchange& exchange, const Content& content);
  void OnPreview(Exchange& exchange, const Content& content, const PreviewType& preview,
                 const absl::StatusOr<std::shared_ptr<const ResultFile>>& picture);
  void SendHead(Exchange& exchange, const Content& content, const ByteRange& range);
  void SendMore(Exchange& exchange);

  VideoJobs& jobs_;
  SharedFilms* const shared_;
  Previews& previews_;
  VideosMetrics& metrics_;
  const runtime::Logger& log_;
  const Endings endings_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_FILM_CALLS_H_
