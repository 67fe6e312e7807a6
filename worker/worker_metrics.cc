#include "worker/worker_metrics.h"

#include "runtime/metrics_page.h"

namespace ringway::worker {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const char* ReasonLabel(Refusal reason) {
  switch (reason) {
    case Refusal::kBusy:
      return "busy";
    case Refusal::kDraining:
      return "draining";
    case Refusal::kResting:
      return "resting";
    case Refusal::kStaleLease:
      return "stale_lease";
    case Refusal::kDoubleGrant:
      return "double_grant";
    case Refusal::kExpired:
      return "expired";
  }
  return "unknown";
}

prometheus::Counter* OneCounter(prometheus::Registry& registry, const char* name, const char* help) {
  return &BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge* OneGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return &BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

WorkerMetrics::WorkerMetrics(const Identity& worker) {
  prometheus::Registry& r = *registry_;
  jobs_ =
      &BuildCounter().Name("ringway_worker_jobs_total").Help("Jobs that ended here, by outcome.").Register(r);
  rejected_ =
      &BuildCounter().Name("ringway_worker_rejected_total").Help("Offers refused, by reason.").Register(r);
  busy_seconds_ =
      OneCounter(r, "ringway_worker_busy_seconds_total", "Seconds during which the slot was taken.");
  payload_bytes_ = OneCounter(r, "ringway_worker_payload_bytes_total", "Bytes of payloads received.");
  result_bytes_ = OneCounter(r, "ringway_worker_result_bytes_total", "Bytes of results made.");
  busy_ = OneGauge(r, "ringway_worker_busy", "1 while the slot is taken.");
  draining_ = OneGauge(r, "ringway_worker_draining", "1 while no job is admitted because of a drain.");
  healthy_ = OneGauge(r, "ringway_worker_healthy", "0 while the worker rests after failures in a row.");
  service_seconds_ =
      &BuildHistogram()
           .Name("ringway_worker_service_seconds")
           .Help("Service time of done jobs.")
           .Register(r)
           .Add({}, prometheus::Histogram::BucketBoundaries{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300});
  // Every series exists from the start, so that a rate over it is right from the first event on.
  for (const Outcome outcome : {Outcome::kDone, Outcome::kBusy, Outcome::kFailed, Outcome::kTimeout,
                                Outcome::kCancelled, Outcome::kRejected}) {
    jobs_->Add({{"outcome", std::string(OutcomeName(outcome))}});
  }
  for (const Refusal reason : {Refusal::kBusy, Refusal::kDraining, Refusal::kResting, Refusal::kStaleLease,
                               Refusal::kDoubleGrant, Refusal::kExpired}) {
    rejected_->Add({{"reason", ReasonLabel(reason)}});
  }
  BuildGauge()
      .Name("ringway_worker_info")
      .Help("Always 1; the labels say who this worker is.")
      .Register(r)
      .Add({{"worker", worker.name},
            {"tier", worker.tier},
            {"region", worker.region},
            {"model", worker.model},
            {"backend", worker.backend}})
      .Set(1);
  healthy_->Set(1);
}

void WorkerMetrics::Show(const SlotView& view, Time now) {
  busy_->Set(view.busy ? 1 : 0);
  draining_->Set(view.draining ? 1 : 0);
  healthy_->Set(view.resting ? 0 : 1);
  const std::lock_guard lock(mutex_);
  shown_busy_ = view.busy;
  shown_busy_total_ = view.busy_total;
  shown_at_ = now;
}

void WorkerMetrics::CountRefused(Refusal reason) {
  rejected_->Add({{"reason", ReasonLabel(reason)}}).Increment();
}

void WorkerMetrics::CountMalformed() { rejected_->Add({{"reason", "malformed"}}).Increment(); }

void WorkerMetrics::CountEnded(Outcome outcome, Duration service) {
  jobs_->Add({{"outcome", std::string(OutcomeName(outcome))}}).Increment();
  if (outcome == Outcome::kDone) service_seconds_->Observe(ToDoubleSeconds(service));
}

void WorkerMetrics::BringBusySecondsUpTo(Time now) {
  const std::lock_guard lock(mutex_);
  Duration total = shown_busy_total_;
  if (shown_busy_ && now > shown_at_) total += now - shown_at_;
  const double more = ToDoubleSeconds(total) - busy_seconds_->Value();
  if (more > 0) busy_seconds_->Increment(more);
}

runtime::HttpServer::Page WorkerMetrics::Page(Time (*now)()) {
  return [this, now, page = runtime::MetricsPage(registry_)] {
    BringBusySecondsUpTo(now());
    return page();
  };
}

}  // namespace ringway::worker
