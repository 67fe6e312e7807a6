#include "controller/fleet_view.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "controller/merge_run.h"

namespace ringway::controller {
namespace {

void AddCounts(const TierCounts& counts, TierFlow& flow) {
  for (std::size_t p = 0; p < kMaxPriorities; ++p) flow.entered[p] += static_cast<double>(counts.entered[p]);
  for (const SentCount& sent : counts.sent) AddTo(flow.sent, sent.target, static_cast<double>(sent.count));
  flow.ran += static_cast<double>(counts.ran);
  flow.held_s += counts.held_s_sum;
}

TierFlow PerSecond(TierFlow flow, double seconds) {
  for (double& entered : flow.entered) entered /= seconds;
  for (TargetRps& cell : flow.sent) cell.rps /= seconds;
  flow.ran /= seconds;
  flow.held_s /= seconds;
  return flow;
}

bool Recent(const RouterState& router, absl::Time now, absl::Duration stale_after) {
  return now - router.reported_at <= stale_after;
}

// Whether two reports of a worker make the same entry of a directory.
bool ListedAlike(const WorkerSeen& a, const WorkerSeen& b) {
  return a.healthy == b.healthy && a.draining == b.draining && a.adopted == b.adopted && a.plain == b.plain &&
         a.tier == b.tier && a.name == b.name && a.address == b.address;
}

}  // namespace

struct FleetView::LivingWorker {
  RegionId region;
  const WorkerSeen* worker;
  const RouterState* router;
};

std::optional<StreamId> FleetView::Connect(absl::Time now, StreamId stream, RouterHello hello) {
  const auto known = routers_.find(hello.router);
  if (known == routers_.end() && routers_.size() >= kRoutersMax) return std::nullopt;
  ++listing_;
  RouterState& router = known == routers_.end() ? routers_[hello.router] : known->second;
  std::optional<StreamId> replaced;
  if (router.stream != 0) {
    replaced = router.stream;
    streams_.erase(router.stream);
  }
  // What it reported from another place says nothing about this one.
  if (!router.hello.router.empty() && router.hello.region != hello.region) router = RouterState{};
  router.stream = stream;
  router.silent = false;
  router.left_at = now;
  router.active = hello.table;
  router.sent = {};
  router.window.resize(tiers_);
  router.rates.resize(tiers_);
  streams_[stream] = hello.router;
  router.hello = std::move(hello);
  return replaced;
}

void FleetView::Disconnect(absl::Time now, StreamId stream) {
  if (RouterState* router = Find(stream)) {
    router->stream = 0;
    router->left_at = now;
    streams_.erase(stream);
    ++listing_;
  }
}

void FleetView::NoteSilence(absl::Time before) {
  for (auto& [name, router] : routers_) {
    const bool spoke = router.reported_at != absl::InfinitePast();
    const bool silent = router.stream != 0 && spoke && router.reported_at < before;
    if (std::exchange(router.silent, silent) != silent) ++listing_;
  }
}

// The workers that `to` has adopted are no longer those of routers that are gone.
void FleetView::HandOver(const RouterState& to) {
  const bool adopts =
      std::any_of(to.workers.begin(), to.workers.end(), [](const WorkerSeen& w) { return w.adopted; });
  if (!adopts) return;
  for (auto& [name, router] : routers_) {
    if (router.present() || router.hello.region != to.hello.region) continue;
    listing_ += std::erase_if(router.workers, [&](const WorkerSeen& left) {
      return std::any_of(to.workers.begin(), to.workers.end(),
                         [&](const WorkerSeen& w) { return w.adopted && w.name == left.name; });
    });
  }
}

RouterState* FleetView::Find(StreamId stream) {
  const auto name = streams_.find(stream);
  if (name == streams_.end()) return nullptr;
  return &routers_.find(name->second)->second;
}

bool FleetView::Report(absl::Time now, StreamId stream, RouterReport report) {
  RouterState* router = Find(stream);
  if (router == nullptr) return false;
  router->reported_at = now;
  router->active = report.table;
  router->period_s = report.period_s;
  router->window_s += report.period_s;
  for (const TierCounts& counts : report.tiers) AddCounts(counts, router->window[counts.tier]);
  const bool same = std::equal(report.workers.begin(), report.workers.end(), router->workers.begin(),
                               router->workers.end(), ListedAlike);
  if (!same) ++listing_;
  router->workers = std::move(report.workers);
  HandOver(*router);
  return true;
}

void FleetView::CloseWindow() {
  for (auto& [name, router] : routers_) {
    if (router.window_s <= 0) continue;
    for (TierId tier(0); tier != router.window.end_id(); tier = TierId(tier.index() + 1)) {
      router.rates[tier] = PerSecond(std::exchange(router.window[tier], {}), router.window_s);
    }
    router.window_s = 0;
  }
}

std::vector<FleetView::LivingWorker> FleetView::Living(TierId tier, std::size_t regions, absl::Time now,
                                                       absl::Duration stale_after) const {
  const auto by_name_newest_first = [](const LivingWorker& a, const LivingWorker& b) {
    const int order = a.worker->name.compare(b.worker->name);
    if (order != 0) return order < 0;
    return std::tie(b.router->reported_at, a.router->hello.router) <
           std::tie(a.router->reported_at, b.router->hello.router);
  };
  IdVector<RegionId, std::vector<LivingWorker>> seen(regions);
  for (const auto& [name, router] : routers_) {
    if (!Recent(router, now, stale_after)) continue;
    std::vector<LivingWorker>& list = seen[router.hello.region];
    const std::size_t run = list.size();
    for (const WorkerSeen& worker : router.workers) {
      if (worker.tier == tier) list.push_back({router.hello.region, &worker, &router});
    }
    MergeRun(list, run, by_name_newest_first);
  }
  std::vector<LivingWorker> living;
  for (const std::vector<LivingWorker>& list : seen) {
    const WorkerSeen* last = nullptr;
    for (const LivingWorker& w : list) {
      const bool again = last != nullptr && last->name == w.worker->name;
      last = w.worker;
      if (!again && w.worker->healthy && !w.worker->draining) living.push_back(w);
    }
  }
  return living;
}

IdVector<RegionId, RegionTraffic> FleetView::Collect(const Fleet& fleet, TierId tier, absl::Time now,
                                                     absl::Duration stale_after) const {
  const std::vector<MetricSpec>& metrics = fleet.tiers[tier].metrics;
  IdVector<RegionId, RegionTraffic> regions(fleet.world.regions.size());
  for (RegionTraffic& region : regions) region.values.resize(metrics.size());
  for (const auto& [name, router] : routers_) {
    RegionTraffic& region = regions[router.hello.region];
    region.reported_at = std::max(region.reported_at, router.reported_at);
    if (!Recent(router, now, stale_after)) continue;
    region.fresh = true;
    for (std::size_t p = 0; p < kMaxPriorities; ++p) region.demand_rps[p] += router.rates[tier].entered[p];
    for (const TargetRps& cell : router.rates[tier].sent) AddTo(region.sent_rps, cell.target, cell.rps);
    region.ran_rps += router.rates[tier].ran;
    region.held_s += router.rates[tier].held_s;
  }
  std::vector<bool> given;
  for (const LivingWorker& living : Living(tier, regions.size(), now, stale_after)) {
    RegionTraffic& region = regions[living.region];
    ++region.alive;
    const absl::Duration report_age = now - living.router->reported_at;
    given.assign(metrics.size(), false);
    for (const MetricSeen& seen : living.worker->metrics) {
      given[seen.metric] = true;
      region.values[seen.metric].push_back({seen.value, seen.age + report_age});
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (given[m] || metrics[m].name != kBusyMetric) continue;
      // The router's clock and its worker's are read one after the other: a little over 1 is 1.
      const double share = living.worker->busy_s / living.router->period_s;
      region.values[m].push_back({share > 1 ? 1 : share, report_age});
    }
  }
  return regions;
}

void FleetView::Forget(absl::Time before) {
  listing_ += std::erase_if(
      routers_, [&](const auto& entry) { return entry.second.stream == 0 && entry.second.left_at < before; });
}

void FleetView::Restore(RouterState state) {
  ++listing_;
  state.window.resize(tiers_);
  state.rates.resize(tiers_);
  if (state.stream != 0) streams_[state.stream] = state.hello.router;
  std::string name = state.hello.router;
  routers_[std::move(name)] = std::move(state);
}

}  // namespace ringway::controller
