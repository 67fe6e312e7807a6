// What a router shows Prometheus.
//
// Labels are bounded: tiers and regions of the fleet, outcomes, worker states; never a job, tenant or
// address. Counters count; gauges are set from the machine on every beat. The request counter is of jobs that
// entered at this router or were forwarded to it, told apart by the label `via`, so that a sum over
// `via="client"` counts each job of the fleet once.
//
// Threads: the loop sets, the HTTP thread reads (prometheus-cpp is thread-safe). Series are cached, so that a
// job costs no lookup of label sets after the first of its kind.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_ROUTER_METRICS_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_ROUTER_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "router/daemon/ledgers/ledger_sessions.h"
#include "router/router_machine.h"
#include "router/wire/job_header.h"

namespace ringway::router {

class RouterMetrics {
 public:
  explicit RouterMetrics(const KnownFleet& fleet);

  void CountRefused(Outcome outcome);  // before the machine saw it: broken requests, full arenas
  void CountEnd(const EndJob& end, const JobFacts& facts, Time now);
  void CountAttempt(const AttemptEnded& ended);
  void CountForward(const ForwardToRouter& forward);
  void CountTable(bool active);
  void CountReport() { reports_->Increment(); }
  // The gauges.
  void ShowOnce(const once::OnceMachine& once);
  void Show(const RouterMachine& machine, bool connected, std::size_t calls, Duration table_age);

  void Show(const std::vector<LedgerStatus>& ledgers);

  std::shared_ptr<const prometheus::Registry> registry() const { return registry_; }
  // For parts of the router that count on the same page.
  prometheus::Registry& page() { return *registry_; }

 private:
  using Key = std::pair<std::string, std::string>;
  prometheus::Counter& Requests(TierId tier, Outcome outcome, bool forwarded);
  prometheus::Histogram& TierSeconds(prometheus::Family<prometheus::Histogram>& family,
                                     std::map<std::string, prometheus::Histogram*>& cache, TierId tier);
  const std::string& TierName(TierId tier) const { return fleet_.fleet->tiers[tier].name; }

  const KnownFleet& fleet_;
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  prometheus::Family<prometheus::Counter>* requests_;
  prometheus::Family<prometheus::Counter>* probes_;
  prometheus::Family<prometheus::Counter>* forwards_;
  prometheus::Family<prometheus::Counter>* tables_;
  prometheus::Family<prometheus::Counter>* keyed_;
  prometheus::Counter* duplicates_;
  prometheus::Gauge* records_;
  once::Counts keyed_shown_;
  prometheus::Family<prometheus::Histogram>* duration_;
  prometheus::Family<prometheus::Histogram>* wait_;
  prometheus::Family<prometheus::Gauge>* held_;
  prometheus::Family<prometheus::Gauge>* busy_share_;
  prometheus::Family<prometheus::Gauge>* budget_;
  prometheus::Family<prometheus::Gauge>* workers_;
  prometheus::Family<prometheus::Gauge>* imports_;
  prometheus::Family<prometheus::Counter>* imports_refused_;
  prometheus::Family<prometheus::Gauge>* ledger_reached_;
  prometheus::Family<prometheus::Gauge>* ledger_holding_;
  prometheus::Family<prometheus::Gauge>* ledger_appointment_;
  prometheus::Family<prometheus::Gauge>* ledger_routers_;
  prometheus::Family<prometheus::Gauge>* ledger_slots_;
  prometheus::Family<prometheus::Gauge>* ledger_waiting_;
  prometheus::Family<prometheus::Counter>* ledger_grants_;
  prometheus::Family<prometheus::Counter>* ledger_revoked_;
  prometheus::Family<prometheus::Counter>* ledger_redirected_;
  prometheus::Counter* reports_;
  prometheus::Gauge* calls_;
  prometheus::Gauge* connected_;
  prometheus::Gauge* table_epoch_;
  prometheus::Gauge* table_version_;
  prometheus::Gauge* table_age_;
  std::map<std::string, prometheus::Histogram*> duration_of_;
  std::map<std::string, prometheus::Histogram*> wait_of_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_ROUTER_METRICS_H_
