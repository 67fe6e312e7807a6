#include "sim/fleet/control_reports.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace ringway::sim {

RouterReports::RouterReports(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers,
                             Registries& registries, const Leaders& leaders)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      registries_(registries),
      leaders_(leaders),
      kept_(routers.places().size()),
      frozen_(scenario.fleet->world.regions.size(), false) {}

// A worker's name is its own, whoever reports it; in the order of their numbers, as the controller sorts
// them.
void RouterReports::Name(controller::WorkerSeen& seen, WorkerId worker) const {
  const WorkerPlace& place = workers_.places()[worker];
  seen.name = absl::StrFormat("r%d/%06d", place.local.value(), worker.index());
  seen.address = AddressOf(worker);
  seen.tier = place.tier;
}

// The list of the last report comes back when the controller has read it; names are written anew only where
// the list is about others.
std::vector<controller::WorkerSeen> RouterReports::SeeWorkers(RouterId router) {
  Kept& kept = kept_[router];
  reported_.clear();
  registries_.Report(router, reported_);
  // A tier that the fleet does not have is not read (controller/wire/report_codec.cc).
  std::erase_if(reported_, [](const router::WorkerReported& said) { return !said.tier.valid(); });
  std::vector<controller::WorkerSeen> workers = std::exchange(kept.workers, {});
  const bool same = workers.size() == kept.reported.size();
  workers.resize(reported_.size());
  kept.reported.resize(reported_.size());
  for (std::size_t i = 0; i < reported_.size(); ++i) {
    const router::WorkerReported& said = reported_[i];
    const WorkerId worker = workers_.Global(routers_.places()[router], said.worker);
    controller::WorkerSeen& seen = workers[i];
    if (!same || kept.reported[i] != worker) Name(seen, worker);
    kept.reported[i] = worker;
    seen.healthy = said.healthy;
    seen.draining = said.draining;
    seen.busy = said.busy;
    seen.adopted = said.adopted;
    seen.busy_s = ToDoubleSeconds(said.busy_time);
    seen.plain = false;
  }
  SeePools(router, workers);
  if (frozen_[routers_.places()[router]]) {
    FreezeBusy(kept.frozen_busy_s, workers);
  } else {
    kept.frozen_busy_s.clear();
  }
  return workers;
}

// How busy they are stays as it was in the first report of the freeze; whether they live is no metric.
void RouterReports::FreezeBusy(std::vector<double>& busy_s, std::vector<controller::WorkerSeen>& workers) {
  const bool others = busy_s.size() != workers.size();
  busy_s.resize(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (others) busy_s[i] = workers[i].busy_s;
    workers[i].busy_s = busy_s[i];
  }
}

// The leader reports a pool, once for all of its routers; while it is not heard of, whoever knows it does
// (router/daemon/pools/http_pool.cc). Plain servers do not say how busy they are: leases do.
void RouterReports::SeePools(RouterId router, std::vector<controller::WorkerSeen>& workers) const {
  const RegionId region = routers_.places()[router];
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const bool holds = leaders_.Holds(router, tier);
    if (!scenario_.service[tier].plain || (leaders_.Hears(router, tier) && !holds)) continue;
    double share = routers_.machine(router).workers().BusyShare(tier);
    if (holds) {
      const ledger::LedgerView view = leaders_.View(router, tier);
      const auto leased = static_cast<double>(view.leased);
      share = leased / std::max(1.0, leased + static_cast<double>(view.idle));
    }
    const auto [begin, end] = workers_.Range(region, tier);
    for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
      controller::WorkerSeen& seen = workers.emplace_back();
      Name(seen, worker);
      seen.healthy = registries_.Well(router, workers_.InRegion(worker));
      seen.busy_s = share * scenario_.report_period_s;
      seen.plain = true;
    }
  }
}

controller::RouterReport RouterReports::Of(RouterId router, const router::SendReport& sent) {
  controller::RouterReport report;
  report.sequence = sent.sequence;
  report.period_s = ToDoubleSeconds(sent.period);
  report.table = sent.table;
  report.epoch_seen_max = sent.epoch_seen_max;
  report.view = sent.view;
  for (TierId tier(0); tier != sent.tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const dispatch::TrafficCounters& counts = sent.tiers[tier].counters;
    controller::TierCounts out;
    out.tier = tier;
    out.entered = counts.entered;
    for (RegionId region(0); region != counts.sent.end_id(); region = RegionId(region.index() + 1)) {
      if (counts.sent[region] > 0) out.sent.push_back({region, counts.sent[region]});
    }
    out.done = counts.done;
    out.offers = counts.attempts;
    out.busy = counts.busy;
    out.failed = counts.failed;
    out.timeouts = counts.timeouts;
    out.cancelled = counts.cancelled;
    out.shed = counts.shed;
    out.spilled = counts.spilled;
    out.waiting = sent.tiers[tier].waiting;
    out.wait_s_sum = ToDoubleSeconds(counts.wait);
    out.service_s_sum = ToDoubleSeconds(counts.service);
    out.ran = counts.ran;
    out.held_s_sum = ToDoubleSeconds(counts.held);
    out.own_done = counts.own_done;
    out.own_lost = counts.own_lost;
    out.appointment = sent.tiers[tier].appointment;
    report.tiers.push_back(std::move(out));
  }
  report.workers = SeeWorkers(router);
  trips_.clear();
  routers_.reporter(router).ReportRoundTrips(stage_.Now(), trips_);
  for (const router::RoundTrip& trip : trips_) {
    report.round_trips.push_back({trip.to, ToDoubleMilliseconds(trip.time)});
  }
  return report;
}

}  // namespace ringway::sim
