// What Prometheus can ask the controller: names under ringway_controller_, labels of bounded variety.
//
// Labels are tier, region, a kind of finding, or a fixed word; never a router, a worker or a person. Series
// by region are left out in worlds of more than kRegionSeriesMax (tier, region) pairs; those by tier stay. A
// new topology removes the series of what is gone. Threads: updates from the loop; the registry may be
// collected from any thread.
#ifndef RINGWAY_CONTROLLER_DAEMON_CONTROLLER_METRICS_H_
#define RINGWAY_CONTROLLER_DAEMON_CONTROLLER_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controller/journal/recorder.h"
#include "controller/machine.h"
#include "core/time.h"

namespace ringway::controller {

class ControllerMetrics {
 public:
  static constexpr std::size_t kRegionSeriesMax = 2000;

  ControllerMetrics();
  std::shared_ptr<const prometheus::Registry> registry() const { return registry_; }

  prometheus::Gauge& streams() { return *streams_; }
  void MessageTaken(bool good) { (good ? messages_good_ : messages_bad_)->Increment(); }
  void Acked(bool active) { (active ? acks_active_ : acks_refused_)->Increment(); }
  void TableSent() { tables_sent_->Increment(); }
  void StateSaved(bool good) {
    (good ? saves_good_ : saves_bad_)->Increment();
    state_on_disk_->Set(good ? 1 : 0);
  }
  void AuditWritten(bool good) { (good ? audits_good_ : audits_bad_)->Increment(); }
  void HistoryWritten(bool good) { (good ? histories_good_ : histories_bad_)->Increment(); }
  void TopologyReloaded(bool good) { (good ? reloads_good_ : reloads_bad_)->Increment(); }
  void Queried(bool good) { (good ? queries_good_ : queries_bad_)->Increment(); }
  void AdminCalled(const char* outcome) { admin_calls_->Add({{"outcome", outcome}}).Increment(); }
  void Stepped(Duration took) { step_seconds_->Observe(ToDoubleSeconds(took)); }
  void Planned(const ControllerMachine& machine, const PlanMade& made);
  void EpochEnded(const ControllerMachine& machine, const Recorder& journal, std::size_t inbox_depth);

 private:
  using Family = prometheus::Family<prometheus::Gauge>;
  // One gauge a tier, or a tier and region, found again without hashing labels each epoch.
  struct LabelledGauge {
    Family* family = nullptr;
    std::map<std::pair<std::string, std::string>, prometheus::Gauge*> series;
    void Set(const std::string& tier, const std::string& region, double value);
    void Clear();
  };
  void AddDiskSeries();
  Family* GaugeFamily(const char* name, const char* help);
  void AddCanarySeries();
  void SetCanary(const canary::Trial& trial);
  void SetTier(const TierLoop& loop);
  void SetRegions(const TierLoop& loop, Time now);

  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  prometheus::Gauge *streams_, *epoch_, *version_, *settling_, *corrected_, *inbox_, *routers_,
      *state_on_disk_;
  prometheus::Counter *messages_good_, *messages_bad_, *acks_active_, *acks_refused_, *tables_sent_;
  prometheus::Counter *saves_good_, *saves_bad_, *reloads_good_, *reloads_bad_, *queries_good_, *queries_bad_;
  prometheus::Counter *plans_, *journal_records_, *journal_dropped_, *audits_good_, *audits_bad_;
  prometheus::Counter *histories_good_, *histories_bad_;
  prometheus::Family<prometheus::Counter>* admin_calls_;
  prometheus::Family<prometheus::Counter>* findings_;
  prometheus::Histogram* step_seconds_;
  LabelledGauge mode_, threshold_, demand_, away_, shed_, rtt_cost_, rtt_optimal_, moves_;
  LabelledGauge load_, planned_, home_, served_, seen_, provisioned_, wanted_, cost_, health_, drained_,
      region_demand_;
  std::map<canary::Phase, prometheus::Gauge*> canary_;
  std::map<canary::Phase, prometheus::Counter*> verdicts_;
  LabelledGauge canary_chosen_, canary_rest_, canary_judged_;
  std::optional<canary::Phase> canary_seen_;  // none: before the first epoch of this life
  std::shared_ptr<const Fleet> fleet_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_CONTROLLER_METRICS_H_
