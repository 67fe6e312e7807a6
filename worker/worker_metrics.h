// What a worker shows on /metrics.
//
//   ringway_worker_busy                     0 or 1
//   ringway_worker_busy_seconds_total       time the slot was taken; its rate is the busy share of the GPU
//   ringway_worker_jobs_total{outcome}      jobs that ended here
//   ringway_worker_rejected_total{reason}   offers refused: busy, draining, resting, stale_lease, ...
//   ringway_worker_service_seconds          histogram of done jobs, start to end
//   ringway_worker_draining, _healthy       0 or 1
//   ringway_worker_payload_bytes_total, ringway_worker_result_bytes_total
//   ringway_worker_info{...}                1; who this worker is
//
// All label values come from fixed lists, so the number of series is bounded. Threads: the loop writes, the
// page reads; busy seconds are brought up to the moment of the scrape.
#ifndef RINGWAY_WORKER_WORKER_METRICS_H_
#define RINGWAY_WORKER_WORKER_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <memory>
#include <mutex>

#include "core/job.h"
#include "core/time.h"
#include "runtime/http_server.h"
#include "worker/messages.h"
#include "worker/slot.h"

namespace ringway::worker {

class WorkerMetrics {
 public:
  explicit WorkerMetrics(const Identity& worker);

  void Show(const SlotView& view, Time now);
  void CountRefused(Refusal reason);
  void CountMalformed();
  void CountEnded(Outcome outcome, Duration service);
  void CountPayload(std::size_t bytes) { payload_bytes_->Increment(static_cast<double>(bytes)); }
  void CountResult(std::size_t bytes) { result_bytes_->Increment(static_cast<double>(bytes)); }

  // The metrics page; calls `now` for the moment of the scrape.
  runtime::HttpServer::Page Page(Time (*now)());

 private:
  void BringBusySecondsUpTo(Time now);

  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  prometheus::Family<prometheus::Counter>* jobs_;
  prometheus::Family<prometheus::Counter>* rejected_;
  prometheus::Counter* busy_seconds_;
  prometheus::Counter* payload_bytes_;
  prometheus::Counter* result_bytes_;
  prometheus::Gauge* busy_;
  prometheus::Gauge* draining_;
  prometheus::Gauge* healthy_;
  prometheus::Histogram* service_seconds_;

  std::mutex mutex_;
  // Guarded by mutex_: the last view, and when it was taken.
  bool shown_busy_ = false;
  Duration shown_busy_total_;
  Time shown_at_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_WORKER_METRICS_H_
