// The HTTP side of the videos API and of the images API: from a request to an answer.
//
// Requests about a job of another router are relayed to it; its id says whose it is. A creation waits
// kVerdictMax for a refusal, so that a client is told "full" or "cannot be done in time" as an HTTP status
// and not by a job that fails. Bodies are collected, within bounds that are checked before and while they
// come; what waits for a job holds no body. Events go to a client as fast as it reads: in between, the newest
// state replaces what it has missed.
//
// Source: requests (front.cc), creation (front_create.cc), images (image_calls.cc), reading and deleting
// (front_read.cc), films (film_calls.cc), relaying, keys and the shared store (front_relay.cc), lists
// (front_list.cc). Threads: the front's loop.
// Bounds: connections_max exchanges.
#ifndef RINGWAY_GATEWAY_FRONT_H_
#define RINGWAY_GATEWAY_FRONT_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/rng.h"
#include "gateway/exchange.h"
#include "gateway/film_calls.h"
#include "gateway/fleet_summary.h"
#include "gateway/image_calls.h"
#include "gateway/model_list.h"
#include "gateway/order_reader.h"
#include "gateway/peers.h"
#include "gateway/previews.h"
#include "gateway/settings.h"
#include "gateway/shared_films.h"
#include "gateway/video_jobs.h"
#include "gateway/videos_metrics.h"
#include "gateway/watchers.h"
#include "gateway/webhooks.h"
#include "runtime/event_loop.h"
#include "runtime/http/listener.h"
#include "runtime/log.h"

namespace ringway::gateway {

class Front final : private http::Application, private NewsSink, private RelaySink {
 public:
  static constexpr Duration kVerdictMax = Milliseconds(250);
  // A worker that has it refuses a request that it cannot read within so long.
  static constexpr Duration kStartedVerdictMax = Milliseconds(50);

  Front(runtime::EventLoop& loop, const VideosSettings& settings, VideosMetrics& metrics,
        const runtime::Logger& log);
  ~Front() override;

  // Before the loop starts. Errors: the folder, the address.
  absl::Status Open();
  // On the loop: where jobs are handed in.
  void Start(std::unique_ptr<v1::Ingress::Stub> ingress);
  void Use(const FleetSummary& summary);
  // No new jobs; everything else goes on.
  void Drain() { draining_ = true; }
  // Ends everything.
  void Close();

  const std::string& address() const { return listener_.address(); }
  VideoJobs& jobs() { return jobs_; }

 private:
  // http::Application.
  void OnRequest(http::ServerConnection& client, const http::Head& head) override;
  void OnRequestBody(http::ServerConnection& client, std::string_view bytes) override;
  void OnRequestEnd(http::ServerConnection& client) override;
  void OnClientGone(http::ServerConnection& client) override;
  void OnClientDrained(http::ServerConnection& client) override;

  // Requests.
  Exchange* Of(const http::ServerConnection& client);
  bool Admit(http::ServerConnection& client, const http::Head& head, const Route& route,
             const AnswerFields& fields);
  void Answer(Exchange& exchange);
  void Release(std::uint64_t tag);
  void OnTick();
  void TickExchange(Exchange& exchange, Time now);

  // Answers; each ends the exchange.
  void Say(Exchange& exchange, int status, std::string_view fields, std::string_view json);
  void Refuse(Exchange& exchange, int status, std::string_view code, std::string_view message,
              double retry_after_s = 0, std::string_view field = "");
  // 400, with the field that the status names.
  void RefuseField(Exchange& exchange, const absl::Status& status);
  void SayVideo(Exchange& exchange, const Video& video);

  // Creating.
  void Create(Exchange& exchange);
  void TakeOrder(Exchange& exchange, VideoOrder order);
  void OnOrder(std::uint64_t tag, std::size_t body_bytes, absl::StatusOr<VideoOrder> order, std::string body);
  // Null: the request has been answered.
  const FleetSummary::Tier* ChooseTier(Exchange& exchange, const VideoOrder& order);
  bool AnswerFromKey(Exchange& exchange, const VideoOrder& order);
  void AwaitVideo(Exchange& exchange, const std::string& id, Exchange::Stage stage);
  void OnVerdict(Exchange& exchange, const Video& video, std::string_view event);
  void OnSyncNews(Exchange& exchange, const Video& video);
  void ExpectVerdict(const Exchange& exchange, Duration within);
  void OnVerdictsDue();

  // Reading and deleting.
  void Read(Exchange& exchange);
  void Models(Exchange& exchange);
  void Content(Exchange& exchange, const Video& video);
  void Serve(Exchange& exchange, const Video& video);
  void BeginEvents(Exchange& exchange, const Video& video);
  void SendEvent(Exchange& exchange, const Video& video, std::string_view event);
  void RefuseUnknown(Exchange& exchange);

  // Lists.
  void List(Exchange& exchange);

  // Relaying.
  bool IsOurs(const std::string& owner) const { return owner == settings_.router; }
  void RelayTo(Exchange& exchange, const std::string& router);
  std::string OwnerOfKey(const std::string& key) const;
  void LookUp(Exchange& exchange);
  void OnLookedUp(Exchange& exchange, const absl::StatusOr<Video>& video);
  void OnRelayed(std::uint64_t tag) override;
  void OnOwnerSilent(std::uint64_t tag, const std::string& why) override;

  // NewsSink.
  void OnNews(const Video& video, std::string_view event) override;
  void OnWebhookDue(const Video& video) override;

  runtime::EventLoop& loop_;
  const VideosSettings settings_;
  VideosMetrics& metrics_;
  const runtime::Logger& log_;
  VideoJobs jobs_;
  const std::unique_ptr<SharedFilms> shared_;  // null: there is no such store
  Peers peers_;
  Webhooks webhooks_;
  OrderReader orders_;
  http::Listener listener_;
  FleetSummary summary_;
  ModelList models_;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;  // by tag
  Watchers watching_;
  ImageCalls images_;
  Previews previews_;
  FilmCalls films_;
  std::uint64_t last_tag_ = 0;
  Rng request_ids_;
  std::size_t body_bytes_ = 0;  // of all exchanges, and of those that left while theirs was read
  bool draining_ = false;
  std::unique_ptr<runtime::Alarm> tick_;
  std::set<std::pair<Time, std::uint64_t>> verdicts_;  // when which exchange has waited long enough
  std::unique_ptr<runtime::Alarm> verdict_alarm_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_FRONT_H_
