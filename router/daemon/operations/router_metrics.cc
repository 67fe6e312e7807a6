#include "router/daemon/operations/router_metrics.h"

namespace ringway::router {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

// A film takes minutes: the buckets reach further than those made for web pages.
const prometheus::Histogram::BucketBoundaries kBuckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                                          2.5,   5,    10,    20,   40,  80,   160, 320};

prometheus::Gauge* OneGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return &BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Family<prometheus::Gauge>* Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help) {
  return &BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Counter>* Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return &BuildCounter().Name(name).Help(help).Register(registry);
}

void CatchUp(prometheus::Counter& counter, std::uint64_t total) {
  counter.Increment(static_cast<double>(total) - counter.Value());
}

std::string Text(std::string_view view) { return std::string(view); }

}  // namespace

RouterMetrics::RouterMetrics(const KnownFleet& fleet) : fleet_(fleet) {
  prometheus::Registry& r = *registry_;
  requests_ = Counters(r, "ringway_router_requests_total", "Jobs that ended here, by tier and outcome.");
  probes_ = Counters(r, "ringway_router_offers_total", "Offers made to workers, by how they ended.");
  forwards_ = Counters(r, "ringway_router_forwards_total", "Jobs sent to another region, and why.");
  tables_ = Counters(r, "ringway_router_tables_total", "Routing tables received, by what became of them.");
  // Present from the start, so that the first of its kind is an increase that an alert can see.
  for (const char* result : {"active", "refused"}) tables_->Add({{"result", result}});
  for (const Outcome outcome : {Outcome::kDone, Outcome::kBusy, Outcome::kFailed}) {
    probes_->Add({{"result", Text(OutcomeName(outcome))}});
  }
  keyed_ =
      Counters(r, "ringway_router_once_total", "Jobs with an idempotency key, by what their key allowed.");
  duplicates_ = &Counters(r, "ringway_router_duplicate_suppressed_total",
                          "Requests that did not run because their key's job runs or has run.")
                     ->Add({});
  records_ = OneGauge(r, "ringway_router_once_records", "Keys that this router keeps a record of.");
  duration_ = &BuildHistogram()
                   .Name("ringway_router_request_duration_seconds")
                   .Help("Done jobs, from entry to end.")
                   .Register(r);
  wait_ = &BuildHistogram()
               .Name("ringway_router_queue_wait_seconds")
               .Help("Jobs that ran, from entry to start.")
               .Register(r);
  held_ = Gauges(r, "ringway_router_queue_depth", "Jobs that no worker has started yet.");
  busy_share_ = Gauges(r, "ringway_router_busy_share", "Share of the region's known workers that are busy.");
  budget_ = Gauges(r, "ringway_router_retry_budget", "Offers beyond a job's first that may be made now.");
  workers_ = Gauges(r, "ringway_router_workers", "Workers of this region that may be asked.");
  imports_ = Gauges(r, "ringway_router_imports", "Jobs of other regions that are at this router.");
  imports_refused_ = Counters(r, "ringway_router_imports_refused_total",
                              "Spilled jobs refused because the region has taken in its cap.");
  ledger_reached_ = Gauges(r, "ringway_router_ledger_reached", "1 while the tier's ledger answers.");
  ledger_holding_ =
      Gauges(r, "ringway_router_ledger_holding", "1 while this router holds the tier's ledger.");
  ledger_appointment_ =
      Gauges(r, "ringway_ledger_appointment", "Number of the leader's appointment; 0: not the leader.");
  ledger_routers_ = Gauges(r, "ringway_ledger_routers", "Routers that ask here for slots.");
  ledger_slots_ = Gauges(r, "ringway_ledger_slots", "Slots that the leader knows, by state.");
  ledger_waiting_ = Gauges(r, "ringway_ledger_waiting", "Jobs in the leader's line.");
  ledger_grants_ = Counters(r, "ringway_ledger_grants_total", "Slots granted here.");
  ledger_revoked_ = Counters(r, "ringway_ledger_revoked_total", "Leases called back here.");
  ledger_redirected_ =
      Counters(r, "ringway_ledger_redirected_total",
               "Jobs that found no idle worker here and were sent to a region that has one.");
  reports_ = &Counters(r, "ringway_router_reports_total", "Reports sent to the controller.")->Add({});
  calls_ = OneGauge(r, "ringway_router_calls", "Calls that are open.");
  connected_ = OneGauge(r, "ringway_router_controller_connected", "1 while a controller answers.");
  table_epoch_ = OneGauge(r, "ringway_router_table_epoch", "Leader epoch of the active table.");
  table_version_ = OneGauge(r, "ringway_router_table_version", "Version of the active table.");
  table_age_ = OneGauge(r, "ringway_router_table_age_seconds", "Since the active table came; -1: none.");
}

prometheus::Counter& RouterMetrics::Requests(TierId tier, Outcome outcome, bool forwarded) {
  return requests_->Add({{"tier", TierName(tier)},
                         {"outcome", Text(OutcomeName(outcome))},
                         {"via", forwarded ? "router" : "client"}});
}

prometheus::Histogram& RouterMetrics::TierSeconds(prometheus::Family<prometheus::Histogram>& family,
                                                  std::map<std::string, prometheus::Histogram*>& cache,
                                                  TierId tier) {
  prometheus::Histogram*& found = cache[TierName(tier)];
  if (found == nullptr) found = &family.Add({{"tier", TierName(tier)}}, kBuckets);
  return *found;
}

void RouterMetrics::CountRefused(Outcome outcome) {
  requests_->Add({{"tier", ""}, {"outcome", Text(OutcomeName(outcome))}, {"via", "client"}}).Increment();
}

void RouterMetrics::CountEnd(const EndJob& end, const JobFacts& facts, Time now) {
  Requests(facts.tier, end.outcome, facts.forwarded).Increment();
  const bool ran = end.trace.service > ZeroDuration();
  if (ran) TierSeconds(*wait_, wait_of_, facts.tier).Observe(ToDoubleSeconds(end.trace.wait));
  if (end.outcome != Outcome::kDone) return;
  TierSeconds(*duration_, duration_of_, facts.tier).Observe(ToDoubleSeconds(now - facts.arrived));
}

void RouterMetrics::CountAttempt(const AttemptEnded& ended) {
  if (!ended.worker.valid()) return;
  probes_->Add({{"result", Text(OutcomeName(ended.outcome))}}).Increment();
}

void RouterMetrics::CountForward(const ForwardToRouter& forward) {
  forwards_
      ->Add({{"to", fleet_.fleet->world.regions[forward.route.target].name},
             {"reason", Text(forward.route.reason)}})
      .Increment();
}

void RouterMetrics::CountTable(bool active) {
  tables_->Add({{"result", active ? "active" : "refused"}}).Increment();
}

void RouterMetrics::ShowOnce(const once::OnceMachine& once) {
  const once::Counts& now = once.counts();
  const auto count = [this](const char* result, std::uint64_t value, std::uint64_t shown) {
    if (value > shown) keyed_->Add({{"result", result}}).Increment(static_cast<double>(value - shown));
  };
  count("granted", now.granted, keyed_shown_.granted);
  count("attached", now.attached, keyed_shown_.attached);
  count("answered", now.answered, keyed_shown_.answered);
  count("refused", now.refused, keyed_shown_.refused);
  count("unsettled", now.unsettled, keyed_shown_.unsettled);
  duplicates_->Increment(static_cast<double>(now.answered - keyed_shown_.answered));
  records_->Set(static_cast<double>(once.records()));
  keyed_shown_ = now;
}

void RouterMetrics::Show(const RouterMachine& machine, bool connected, std::size_t calls,
                         Duration table_age) {
  for (TierId t(0); t != fleet_.fleet->tiers.end_id(); t = TierId(t.index() + 1)) {
    const prometheus::Labels tier = {{"tier", TierName(t)}};
    held_->Add(tier).Set(static_cast<double>(machine.tier(t).held));
    busy_share_->Add(tier).Set(machine.workers().BusyShare(t));
    budget_->Add(tier).Set(machine.tier(t).slots.retry_balance());
    workers_->Add(tier).Set(static_cast<double>(machine.workers().listed_workers(t)));
    imports_->Add(tier).Set(machine.tier(t).imports.inside);
    CatchUp(imports_refused_->Add(tier), machine.tier(t).imports.refused);
  }
  if (machine.once().on()) ShowOnce(machine.once());
  calls_->Set(static_cast<double>(calls));
  connected_->Set(connected ? 1 : 0);
  table_epoch_->Set(static_cast<double>(machine.table().epoch));
  table_version_->Set(static_cast<double>(machine.table().version));
  table_age_->Set(table_age == InfiniteDuration() ? -1 : ToDoubleSeconds(table_age));
}

void RouterMetrics::Show(const std::vector<LedgerStatus>& ledgers) {
  for (const LedgerStatus& ledger : ledgers) {
    const prometheus::Labels tier = {{"tier", TierName(ledger.tier)}};
    const auto slots = [&](const char* state, std::size_t count) {
      ledger_slots_->Add({{"tier", TierName(ledger.tier)}, {"state", state}}).Set(static_cast<double>(count));
    };
    const ledger::LedgerView& view = ledger.view;
    const bool holds = ledger.holding;
    ledger_reached_->Add(tier).Set(ledger.reached ? 1 : 0);
    ledger_holding_->Add(tier).Set(holds ? 1 : 0);
    ledger_appointment_->Add(tier).Set(holds ? static_cast<double>(view.appointment.appointment) : 0);
    ledger_routers_->Add(tier).Set(holds ? static_cast<double>(ledger.routers) : 0);
    slots("idle", holds ? view.idle : 0);
    slots("leased", holds ? view.leased : 0);
    slots("resting", holds ? view.resting : 0);
    ledger_waiting_->Add(tier).Set(holds ? static_cast<double>(view.waiting) : 0);
    CatchUp(ledger_grants_->Add(tier), view.grants_total);
    CatchUp(ledger_revoked_->Add(tier), view.revoked_total);
    CatchUp(ledger_redirected_->Add(tier), view.redirected_total);
  }
}

}  // namespace ringway::router
