#include "gateway/videos_metrics.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace ringway::gateway {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* text) {
  return BuildCounter().Name(name).Help(text).Register(registry);
}

prometheus::Gauge* Gauge(prometheus::Registry& registry, const char* name, const char* text) {
  return &BuildGauge().Name(name).Help(text).Register(registry).Add({});
}

}  // namespace

VideosMetrics::VideosMetrics(prometheus::Registry& registry)
    : registry_(registry),
      requests_(&Counters(registry, "ringway_videos_requests_total", "requests to the videos API")),
      ends_(&Counters(registry, "ringway_videos_jobs_total", "video jobs of this router, by how they ended")),
      images_(&Counters(registry, "ringway_images_jobs_total", "images of this router, by how they ended")),
      webhooks_(&Counters(registry, "ringway_videos_webhooks_total", "completion webhooks")),
      relays_(&Counters(registry, "ringway_videos_relays_total",
                        "requests handed to the router that owns the job")
                   .Add({})),
      silent_(&Counters(registry, "ringway_videos_owner_unreachable_total",
                        "relayed requests whose owner did not answer in time")
                   .Add({})),
      repeats_(&Counters(registry, "ringway_videos_repeats_total",
                         "creations answered by the job of their idempotency key")
                    .Add({})),
      connections_(Gauge(registry, "ringway_videos_connections", "open connections to the videos API")),
      streams_(Gauge(registry, "ringway_videos_event_streams", "open streams of events")),
      live_(Gauge(registry, "ringway_videos_jobs_live", "video jobs of this router that are queued or run")),
      records_(Gauge(registry, "ringway_videos_records", "video jobs on record at this router")),
      stored_bytes_(Gauge(registry, "ringway_videos_store_bytes", "results in the store")),
      body_bytes_(Gauge(registry, "ringway_videos_body_bytes", "request bodies in memory")) {}

void VideosMetrics::CountRequest(Route::Kind route, int status) {
  prometheus::Counter*& counter = request_of_[{route, status}];
  if (counter == nullptr) {
    counter = &requests_->Add({{"route", std::string(RouteName(route))}, {"code", absl::StrCat(status)}});
  }
  counter->Increment();
}

void VideosMetrics::CountEvent(std::string_view event, bool image) {
  if (event == "video.completed" || event == "video.failed" || event == "video.deleted") {
    (image ? images_ : ends_)->Add({{"outcome", std::string(event.substr(event.find('.') + 1))}}).Increment();
  }
}

void VideosMetrics::CountWebhook(bool delivered) {
  webhooks_->Add({{"result", delivered ? "delivered" : "given_up"}}).Increment();
}

void VideosMetrics::Show(const VideosGauges& gauges) {
  connections_->Set(static_cast<double>(gauges.connections));
  streams_->Set(static_cast<double>(gauges.streams));
  live_->Set(static_cast<double>(gauges.live));
  records_->Set(static_cast<double>(gauges.records));
  stored_bytes_->Set(static_cast<double>(gauges.stored_bytes));
  body_bytes_->Set(static_cast<double>(gauges.body_bytes));
}

void VideosMetrics::CountShared(bool arrived) {
  if (shared_arrived_ == nullptr) return;
  (arrived ? shared_arrived_ : shared_failed_)->Increment();
}

void VideosMetrics::CountFromShared() {
  if (shared_found_ != nullptr) shared_found_->Increment();
}

void VideosMetrics::ShowShared(const SharedGauges& gauges) {
  if (shared_up_ == nullptr) {
    shared_waiting_ = Gauge(registry_, "ringway_videos_shared_waiting",
                            "finished films that are not in the shared store yet");
    shared_up_ = Gauge(registry_, "ringway_videos_shared_up", "1 while the shared store serves this router");
    auto& films =
        Counters(registry_, "ringway_videos_shared_total", "films on their way to the shared store");
    shared_arrived_ = &films.Add({{"result", "arrived"}});
    shared_failed_ = &films.Add({{"result", "failed"}});
    shared_found_ = &Counters(registry_, "ringway_videos_shared_found_total",
                              "requests answered from the shared store, for an owner that is away")
                         .Add({});
  }
  shared_waiting_->Set(static_cast<double>(gauges.waiting));
  shared_up_->Set(gauges.up ? 1 : 0);
}

}  // namespace ringway::gateway
