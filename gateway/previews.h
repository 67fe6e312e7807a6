// Makes the pictures that stand for a film (thumbnail, spritesheet), when they are asked for.
//
// A program of its own decodes the film (preview_run.h), one at a time; who asks for the same picture
// meanwhile waits for the same run. A picture is kept beside its film and goes when that goes. A film that
// only the shared store has is fetched first, and neither it nor its picture is kept.
//
// Threads: the front's loop; one more waits for the program. Bounds: kLineMax pictures to be made, each with
// the requests that the listener admits; on disk the store's films, two pictures of each, and one film that
// was fetched.
#ifndef RINGWAY_GATEWAY_PREVIEWS_H_
#define RINGWAY_GATEWAY_PREVIEWS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/objects/object_store.h"
#include "gateway/preview_run.h"
#include "gateway/shared_films.h"
#include "gateway/video_jobs.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::gateway {

class Previews final : private objects::ObjectSink {
 public:
  static constexpr std::size_t kLineMax = 16;
  // The picture. Errors: ResourceExhausted (the line is full), InvalidArgument (the film cannot be decoded),
  // NotFound and Unavailable (of the shared store), Unimplemented (the program is not there), Internal.
  using Done = std::function<void(const absl::StatusOr<std::shared_ptr<const ResultFile>>&)>;

  // `shared` may be null.
  Previews(runtime::EventLoop& loop, const VideoJobs& jobs, SharedFilms* shared, const runtime::Logger& log);
  ~Previews() override;

  void Start() { thread_.Start(); }
  // `video` is completed and its film is here or in the shared store; `variant` is a name of kPreviewTypes.
  // `done` may be called at once.
  void Make(const Video& video, std::string_view variant, Done done);
  // Ends the run; no `done` is called any more.
  void Close();

 private:
  struct Order {
    std::string id;
    std::string variant;
    std::uint64_t film_bytes = 0;
    bool fetched = false;
    std::vector<Done> done = {};
  };
  void Begin();
  void Fetch();
  void Run();
  void Finish(const absl::Status& status);
  absl::StatusOr<std::shared_ptr<const ResultFile>> Take(const Order& order) const;
  absl::Status Cause(const Order& order, const absl::Status& status) const;
  std::string Scratch(std::string_view name) const;
  void OnObjectBegin() override {}
  void OnObjectBytes(std::string_view bytes) override;
  void OnObjectEnd(const absl::Status& status) override;

  runtime::EventLoop& loop_;
  const VideoJobs& jobs_;
  SharedFilms* const shared_;
  const runtime::Logger& log_;
  const std::string program_;
  std::deque<Order> line_;  // the first is being made
  objects::ObjectStore::Call fetch_;
  int film_ = -1;  // being fetched into
  absl::Status film_written_;
  std::atomic<bool> stop_ = false;
  bool closed_ = false;
  runtime::EventLoop thread_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_PREVIEWS_H_
