// Gives a server of the OpenAI-style videos API capacity one: submits, polls, downloads.
//
// For servers whose jobs take longer than a request may (vLLM-Omni, SGLang, another Ringway):
//
//   POST   {base}/v1/videos             the order, as a form (default) or as JSON; the answer has the id
//   GET    {base}/v1/videos/{id}        every poll_pause: status and progress, which are passed on
//   GET    {base}/v1/videos/{id}/content    the film, streamed in pieces
//   DELETE {base}/v1/videos/{id}        when the job is cancelled
//
// The order's parameters go as fields under their own names. What answers mean: 429 and 503 to the POST, and
// no connection, are busy (nothing was started); other 4xx rejected; "failed" and everything else failed.
// A poll that breaks is repeated: the job goes on at the server, so only answer_max gives up.
//
// Threads: the loop's. Bounds: answer_max for all of it, body_bytes_max of film, kReplyBytesMax of JSON; of
// the film one piece in memory.
#ifndef RINGWAY_WORKER_BACKENDS_VIDEOS_H_
#define RINGWAY_WORKER_BACKENDS_VIDEOS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/event_loop.h"
#include "runtime/http/client_call.h"
#include "worker/backends/backend.h"
#include "worker/backends/http.h"

namespace ringway::worker {

struct VideosUpstream {
  HttpSettings http;  // its upstream's target is the base
  bool json = false;  // the order's body; else a form
  Duration poll_pause = Milliseconds(250);
};

class VideosBackend final : public Backend {
 public:
  static constexpr std::size_t kReplyBytesMax = 1 << 20;

  VideosBackend(runtime::EventLoop& loop, const VideosUpstream& settings)
      : loop_(loop), settings_(settings), pause_(loop, [this] { Poll(); }) {}
  void Start(WorkOrder order, WorkSink& sink) override;
  void Cancel() override;

 private:
  using Next = void (VideosBackend::*)(const http::ClientAnswer&);

  void OnCreated(const http::ClientAnswer& answer);
  void Poll();
  void OnPolled(const http::ClientAnswer& answer);
  void Download();
  void OnFilm(const http::ClientAnswer& answer);
  void Delete();
  void OnDeleted(const http::ClientAnswer& answer);
  WorkEnd RefusedAs(const http::ClientAnswer& answer) const;
  void End(WorkEnd end);

  // About the job, once it has an id.
  http::ClientRequest Request(const char* method, Duration limit) const;
  void Ask(http::ClientRequest request, Next next, http::ClientCall::Take take = nullptr);

  runtime::EventLoop& loop_;
  const VideosUpstream settings_;
  WorkOrder order_;
  WorkSink* sink_ = nullptr;  // null: no order runs
  std::string job_;           // "/" and its id; empty: it has none yet
  Time give_up_;
  bool cancelled_ = false;
  bool deleting_ = false;
  runtime::Alarm pause_;  // until the next poll
  std::optional<http::ClientCall> call_;
};

// The bodies of a creation, with their content types.
struct VideoBody {
  std::string content_type;
  std::string bytes;
};
VideoBody FormBody(const WorkOrder& order);
VideoBody JsonVideoBody(const WorkOrder& order);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_VIDEOS_H_
