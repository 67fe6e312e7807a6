#include "controller/daemon/controller_metrics.h"

#include "controller/tiers/region_status.h"

namespace ringway::controller {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

prometheus::Family<prometheus::Counter>& CounterFamily(prometheus::Registry& registry, const char* name,
                                                       const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Gauge* OneGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return &BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

// Brings a counter up to a total that is kept elsewhere.
void RaiseTo(prometheus::Counter& counter, std::uint64_t total) {
  counter.Increment(static_cast<double>(total) - counter.Value());
}

}  // namespace

ControllerMetrics::Family* ControllerMetrics::GaugeFamily(const char* name, const char* help) {
  return &BuildGauge().Name(name).Help(help).Register(*registry_);
}

void ControllerMetrics::LabelledGauge::Set(const std::string& tier, const std::string& region, double value) {
  prometheus::Gauge*& gauge = series[{tier, region}];
  if (gauge == nullptr) {
    gauge =
        region.empty() ? &family->Add({{"tier", tier}}) : &family->Add({{"tier", tier}, {"region", region}});
  }
  gauge->Set(value);
}

void ControllerMetrics::LabelledGauge::Clear() {
  for (auto& [key, gauge] : series) family->Remove(gauge);
  series.clear();
}

// What reaches the disk, and what does not.
void ControllerMetrics::AddDiskSeries() {
  prometheus::Registry& r = *registry_;
  auto& saves = CounterFamily(r, "ringway_controller_state_saves_total", "Writes of the state file.");
  saves_good_ = &saves.Add({{"outcome", "saved"}});
  saves_bad_ = &saves.Add({{"outcome", "failed"}});
  state_on_disk_ = OneGauge(r, "ringway_controller_state_on_disk",
                            "0 since a save failed: a restart would lose what was decided since.");
  auto& audits = CounterFamily(r, "ringway_controller_audit_writes_total", "Entries of the audit log.");
  audits_good_ = &audits.Add({{"outcome", "written"}});
  audits_bad_ = &audits.Add({{"outcome", "failed"}});
  auto& histories =
      CounterFamily(r, "ringway_controller_history_writes_total", "Tables for the history on disk.");
  histories_good_ = &histories.Add({{"outcome", "written"}});
  histories_bad_ = &histories.Add({{"outcome", "failed"}});
  journal_records_ =
      &CounterFamily(r, "ringway_controller_journal_records_total", "Records given to the journal.").Add({});
  journal_dropped_ =
      &CounterFamily(r, "ringway_controller_journal_dropped_total", "Records the journal could not take.")
           .Add({});
}

ControllerMetrics::ControllerMetrics() {
  AddDiskSeries();
  AddCanarySeries();
  prometheus::Registry& r = *registry_;
  streams_ = OneGauge(r, "ringway_controller_streams", "Open streams of routers.");
  routers_ = OneGauge(r, "ringway_controller_routers", "Routers that are listed in the directory.");
  epoch_ = OneGauge(r, "ringway_controller_epoch", "Leader epoch of this controller.");
  version_ =
      OneGauge(r, "ringway_controller_table_version", "Version of the table in force, within the epoch.");
  corrected_ = OneGauge(r, "ringway_controller_rtt_corrected_pairs",
                        "Pairs of regions that go by a measured round trip, not by the topology's.");
  settling_ = OneGauge(r, "ringway_controller_settling", "1 while it waits to hear of every region.");
  inbox_ = OneGauge(r, "ringway_controller_inbox_depth", "Tasks that wait for the control loop.");
  auto& messages = CounterFamily(r, "ringway_controller_messages_total", "Messages of routers, by outcome.");
  messages_good_ = &messages.Add({{"outcome", "taken"}});
  messages_bad_ = &messages.Add({{"outcome", "refused"}});
  auto& acks = CounterFamily(r, "ringway_controller_acks_total", "Acknowledgements of tables, by outcome.");
  acks_active_ = &acks.Add({{"outcome", "active"}});
  acks_refused_ = &acks.Add({{"outcome", "refused"}});
  tables_sent_ =
      &CounterFamily(r, "ringway_controller_tables_sent_total", "Tables sent, to one router or to all.")
           .Add({});
  auto& reloads = CounterFamily(r, "ringway_controller_topology_reloads_total", "Reloads of the topology.");
  reloads_good_ = &reloads.Add({{"outcome", "taken"}});
  reloads_bad_ = &reloads.Add({{"outcome", "refused"}});
  auto& queries = CounterFamily(r, "ringway_controller_prometheus_queries_total", "Queries, by outcome.");
  queries_good_ = &queries.Add({{"outcome", "answered"}});
  queries_bad_ = &queries.Add({{"outcome", "failed"}});
  plans_ = &CounterFamily(r, "ringway_controller_plans_total", "Plans made, one a tier and epoch.").Add({});
  admin_calls_ = &CounterFamily(r, "ringway_controller_admin_calls_total", "Calls of operators, by outcome.");
  findings_ = &CounterFamily(r, "ringway_controller_findings_total", "Findings of plans, by kind.");
  // Present from the start, so that the first of its kind is an increase that an alert can see.
  for (const char* outcome : {"answered", "refused"}) admin_calls_->Add({{"outcome", outcome}});
  using Kind = planner::Finding::Kind;
  for (const Kind kind :
       {Kind::kBadInput, Kind::kStaleInput, Kind::kStepLimited, Kind::kOverloaded, Kind::kKeptPrevious}) {
    findings_->Add({{"kind", std::string(planner::FindingKindName(kind))}});
  }
  step_seconds_ = &BuildHistogram()
                       .Name("ringway_controller_step_seconds")
                       .Help("Time to take one event and carry out what follows; planning is in the tail.")
                       .Register(r)
                       .Add({}, prometheus::Histogram::BucketBoundaries{1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3,
                                                                        0.01, 0.03, 0.1, 0.3, 1});
  threshold_.family = GaugeFamily("ringway_controller_tier_overload_threshold",
                                  "Load above which a region sends traffic away.");
  mode_.family = GaugeFamily("ringway_controller_tier_mode", "0 active, 1 observe, 2 frozen.");
  demand_.family = GaugeFamily("ringway_controller_tier_demand_rps", "Demand of a tier.");
  away_.family = GaugeFamily("ringway_controller_tier_away_rps", "Away: demand that goes to other regions.");
  shed_.family = GaugeFamily("ringway_controller_tier_shed_rps", "Shed: demand that no region has room for.");
  rtt_cost_.family = GaugeFamily("ringway_controller_tier_rtt_cost", "Sum of RPS x RTT in ms of the plan.");
  rtt_optimal_.family =
      GaugeFamily("ringway_controller_tier_rtt_cost_optimal", "The least that it could be.");
  moves_.family = GaugeFamily("ringway_controller_tier_moves", "Pieces that the offload loop moved.");
  load_.family = GaugeFamily("ringway_controller_region_load", "Measured load, of provisioned capacity.");
  planned_.family =
      GaugeFamily("ringway_controller_region_planned_load", "Planned load: under the last plan.");
  home_.family = GaugeFamily("ringway_controller_region_home_load", "Home load: if all demand stayed home.");
  region_demand_.family =
      GaugeFamily("ringway_controller_region_demand_rps", "Demand: jobs that first enter here.");
  served_.family = GaugeFamily("ringway_controller_region_served_rps", "Arriving here, from all regions.");
  seen_.family = GaugeFamily("ringway_controller_region_workers_seen", "Workers that are alive.");
  provisioned_.family = GaugeFamily("ringway_controller_region_workers", "Workers that are provisioned.");
  wanted_.family = GaugeFamily("ringway_controller_region_workers_wanted",
                               "Workers that should run, of tiers that are scaled.");
  cost_.family = GaugeFamily("ringway_controller_region_load_cost", "Load of one more request per second.");
  health_.family = GaugeFamily("ringway_controller_region_input_health", "0 fresh, 1 stale, 2 missing.");
  drained_.family = GaugeFamily("ringway_controller_region_drained_share", "0 serving, 1 fully drained.");
}

void ControllerMetrics::AddCanarySeries() {
  using canary::Phase;
  auto& phases = prometheus::BuildGauge()
                     .Name("ringway_controller_canary")
                     .Help("1 for the state of the last canary of a configuration.")
                     .Register(*registry_);
  auto& verdicts = CounterFamily(*registry_, "ringway_controller_canary_verdicts_total",
                                 "Canaries of configurations that ended, by outcome.");
  for (const Phase phase : {Phase::kNone, Phase::kMeasuring, Phase::kRunning, Phase::kPassed,
                            Phase::kPromoted, Phase::kReverted, Phase::kAborted}) {
    const std::string name(canary::PhaseName(phase));
    canary_[phase] = &phases.Add({{"state", name}});
    if (phase > Phase::kRunning) verdicts_[phase] = &verdicts.Add({{"outcome", name}});
  }
  canary_chosen_.family = GaugeFamily("ringway_controller_canary_chosen_lost_share",
                                      "Of the jobs that entered at the routers of the canary, lost.");
  canary_rest_.family =
      GaugeFamily("ringway_controller_canary_rest_lost_share",
                  "Of the jobs that entered at the other routers of the same regions, lost.");
  canary_judged_.family =
      GaugeFamily("ringway_controller_canary_judged_seconds", "Time of the canary that has counted.");
}

void ControllerMetrics::SetCanary(const canary::Trial& trial) {
  const canary::Phase phase = trial.state().phase;
  for (const auto& [known, gauge] : canary_) gauge->Set(known == phase ? 1 : 0);
  const std::optional<canary::Phase> before = std::exchange(canary_seen_, phase);
  if (before && before != phase && phase > canary::Phase::kRunning) verdicts_[phase]->Increment();
  const auto lost = [](const canary::JobCount& jobs) {
    return jobs.ended() > 0 ? jobs.lost / jobs.ended() : 0;
  };
  for (const auto& [tier, evidence] : trial.state().evidence) {
    canary_chosen_.Set(tier, "", lost(evidence.state().chosen));
    canary_rest_.Set(tier, "", lost(evidence.state().rest));
    canary_judged_.Set(tier, "", evidence.state().judged_s);
  }
}

void ControllerMetrics::Planned(const ControllerMachine&, const PlanMade& made) {
  plans_->Increment();
  for (const planner::Finding& finding : made.plan->findings) {
    findings_->Add({{"kind", std::string(planner::FindingKindName(finding.kind))}}).Increment();
  }
}

void ControllerMetrics::SetTier(const TierLoop& loop) {
  const std::string& tier = loop.tier().name;
  mode_.Set(tier, "", static_cast<double>(loop.mode()));
  threshold_.Set(tier, "", loop.tier().route.overload_threshold);
  if (loop.plan() == nullptr) return;
  const planner::PlanFacts& facts = loop.plan()->facts;
  demand_.Set(tier, "", facts.demand_rps);
  away_.Set(tier, "", facts.away_rps);
  shed_.Set(tier, "", facts.shed_rps);
  rtt_cost_.Set(tier, "", facts.rtt_cost);
  rtt_optimal_.Set(tier, "", facts.rtt_cost_optimal);
  moves_.Set(tier, "", facts.moves);
}

void ControllerMetrics::SetRegions(const TierLoop& loop, Time now) {
  const std::string& tier = loop.tier().name;
  const TierSnapshot snapshot = loop.Unpinned(now);
  for (RegionId id(0); id != snapshot.regions.end_id(); id = RegionId(id.index() + 1)) {
    const std::string& region = loop.fleet().world.regions[id].name;
    const RegionStatus status =
        StatusUnder(loop, snapshot, loop.plan().get(), loop.in_force().get(), id, now);
    load_.Set(tier, region, status.load);
    planned_.Set(tier, region, status.planned_load);
    home_.Set(tier, region, status.home_load);
    region_demand_.Set(tier, region, status.demand_rps);
    served_.Set(tier, region, status.served_rps);
    seen_.Set(tier, region, status.workers_seen);
    provisioned_.Set(tier, region, status.workers);
    if (status.workers_wanted) wanted_.Set(tier, region, *status.workers_wanted);
    cost_.Set(tier, region, status.load_cost);
    health_.Set(tier, region, static_cast<double>(status.health));
    drained_.Set(tier, region, status.drain_share);
  }
}

void ControllerMetrics::EpochEnded(const ControllerMachine& machine, const Recorder& journal,
                                   std::size_t inbox_depth) {
  if (fleet_ != machine.loaded_fleet()) {
    fleet_ = machine.loaded_fleet();
    for (LabelledGauge* gauge :
         {&mode_,        &threshold_,     &demand_,      &away_,         &shed_, &rtt_cost_,
          &rtt_optimal_, &moves_,         &load_,        &planned_,      &home_, &region_demand_,
          &served_,      &seen_,          &provisioned_, &wanted_,       &cost_, &health_,
          &drained_,     &canary_chosen_, &canary_rest_, &canary_judged_}) {
      gauge->Clear();
    }
  }
  epoch_->Set(static_cast<double>(machine.epoch()));
  version_->Set(machine.table() != nullptr ? static_cast<double>(machine.table()->version.version) : 0);
  settling_->Set(machine.settling() ? 1 : 0);
  corrected_->Set(static_cast<double>(
      machine.measured_rtt().InUse(machine.loaded_fleet()->world.rtt, machine.fleet()->world.rtt).size()));
  inbox_->Set(static_cast<double>(inbox_depth));
  SetCanary(machine.trial());
  routers_->Set(static_cast<double>(machine.view().routers().size()));
  RaiseTo(*journal_records_, journal.records());
  RaiseTo(*journal_dropped_, journal.dropped());
  const bool by_region = machine.tiers().size() * fleet_->world.regions.size() <= kRegionSeriesMax;
  for (const TierLoop& loop : machine.tiers()) {
    SetTier(loop);
    if (by_region) SetRegions(loop, machine.last_epoch_at());
  }
}

}  // namespace ringway::controller
