// What the videos API shows Prometheus, on its router's page.
//
// Names begin with ringway_videos_; docs/operating.md says what to do about each.
// Labels are bounded: routes of the API, HTTP statuses, events; never a job or a client. Threads: the front's
// loop sets, the page's thread reads (prometheus-cpp is thread-safe).
#ifndef RINGWAY_GATEWAY_VIDEOS_METRICS_H_
#define RINGWAY_GATEWAY_VIDEOS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "gateway/jobs/route.h"

namespace ringway::gateway {

// Of this moment.
struct VideosGauges {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::size_t live = 0;
  std::size_t records = 0;
  std::uint64_t stored_bytes = 0;
  std::size_t body_bytes = 0;
};

// The store that the routers share; shown once there is one.
struct SharedGauges {
  std::size_t waiting = 0;  // finished films that are on this router alone
  bool up = true;
};

class VideosMetrics {
 public:
  explicit VideosMetrics(prometheus::Registry& registry);

  void CountRequest(Route::Kind route, int status);
  // A job has changed: "video.completed" and its like.
  void CountEvent(std::string_view event, bool image);
  void CountRelay() { relays_->Increment(); }
  // A video of an owner that is away was found in the shared store.
  void CountFromShared();
  void CountOwnerSilent() { silent_->Increment(); }
  void CountRepeat() { repeats_->Increment(); }
  void CountWebhook(bool delivered);
  void Show(const VideosGauges& gauges);
  // A film has gone to the shared store, or could not.
  void CountShared(bool arrived);
  void ShowShared(const SharedGauges& gauges);

 private:
  prometheus::Registry& registry_;
  prometheus::Family<prometheus::Counter>* requests_;
  prometheus::Family<prometheus::Counter>* ends_;
  prometheus::Family<prometheus::Counter>* images_;
  prometheus::Family<prometheus::Counter>* webhooks_;
  prometheus::Counter* relays_;
  prometheus::Counter* silent_;
  prometheus::Counter* repeats_;
  prometheus::Gauge* connections_;
  prometheus::Gauge* streams_;
  prometheus::Gauge* live_;
  prometheus::Gauge* records_;
  prometheus::Gauge* stored_bytes_;
  prometheus::Gauge* body_bytes_;
  prometheus::Gauge* shared_waiting_ = nullptr;
  prometheus::Gauge* shared_up_ = nullptr;
  prometheus::Counter* shared_arrived_ = nullptr;
  prometheus::Counter* shared_failed_ = nullptr;
  prometheus::Counter* shared_found_ = nullptr;
  std::map<std::pair<Route::Kind, int>, prometheus::Counter*> request_of_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_VIDEOS_METRICS_H_
