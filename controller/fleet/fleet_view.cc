#include "controller/fleet/fleet_view.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/fleet/merge_run.h"

namespace ringway::controller {
namespace {

void AddCounts(const TierCounts& counts, TierFlow& flow) {
  for (std::size_t p = 0; p < kMaxPriorities; ++p) flow.entered[p] += static_cast<double>(counts.entered[p]);
  for (const SentCount& sent : counts.sent) AddTo(flow.sent, sent.target, static_cast<double>(sent.count));
  flow.ran += static_cast<double>(counts.ran);
}

TierFlow PerSecond(TierFlow flow, double seconds) {
  for (double& entered : flow.entered) entered /= seconds;
  for (TargetRps& cell : flow.sent) cell.rps /= seconds;
  flow.ran /= seconds;
  return flow;
}

bool Recent(const RouterState& router, Time now, Duration stale_after) {
  return now - router.reported_at <= stale_after;
}

// Whether two reports of a worker make the same entry of a directory.
bool ListedAlike(const WorkerSeen& a, const WorkerSeen& b) {
  return a.healthy == b.healthy && a.draining == b.draining && a.adopted == b.adopted && a.plain == b.plain &&
         a.tier == b.tier && a.name == b.name && a.address == b.address;
}

// True: both lists name the same workers, and what was measured of them has been taken over. To copy all the
// names anew, every second, was most of what a report costs.
bool TakeOverMeasured(const std::vector<WorkerSeen>& said, std::vector<WorkerSeen>& known) {
  if (said.size() != known.size()) return false;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!ListedAlike(said[i], known[i])) return false;
    known[i].busy = said[i].busy;
    known[i].busy_s = said[i].busy_s;
    if (!said[i].metrics.empty() || !known[i].metrics.empty()) known[i].metrics = said[i].metrics;
  }
  return true;
}

// Metrics that are told by how busy a worker was, unless it tells them itself.
std::vector<std::size_t> ToldByBusyTime(const std::vector<MetricSpec>& metrics) {
  std::vector<std::size_t> told;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].name == kBusyMetric) told.push_back(m);
  }
  return told;
}

// The router's clock and its worker's are read one after the other: a little over 1 is 1.
double BusyShare(const RouterState& router, const WorkerSeen& worker) {
  const double share = worker.busy_s / router.period_s;
  return share > 1 ? 1 : share;
}

void AddWorker(const WorkerSeen& worker, double busy_share, Duration report_age,
               const std::vector<std::size_t>& told_by_busy_time, RegionTraffic& region) {
  ++region.alive;
  for (const MetricSeen& seen : worker.metrics) {
    region.values[seen.metric].push_back({seen.value, seen.age + report_age});
  }
  for (const std::size_t m : told_by_busy_time) {
    const bool given = std::any_of(worker.metrics.begin(), worker.metrics.end(),
                                   [m](const MetricSeen& seen) { return seen.metric == m; });
    if (!given) region.values[m].push_back({busy_share, report_age});
  }
}

}  // namespace

std::optional<StreamId> FleetView::Connect(Time now, StreamId stream, RouterHello hello) {
  const auto known = routers_.find(hello.router);
  if (known == routers_.end() && routers_.size() >= kRoutersMax) return std::nullopt;
  ++listing_;
  if (known == routers_.end()) routers_.insert(gone_.extract(hello.router));
  RouterState& router = routers_[hello.router];
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

void FleetView::Disconnect(Time now, StreamId stream) {
  if (RouterState* router = Find(stream)) {
    router->stream = 0;
    router->left_at = now;
    streams_.erase(stream);
    ++listing_;
  }
}

void FleetView::NoteSilence(Time before) {
  for (auto& [name, router] : routers_) {
    // One that has hung since it connected speaks for nobody either.
    const bool silent = router.stream != 0 && std::max(router.reported_at, router.left_at) < before;
    if (std::exchange(router.silent, silent) != silent) ++listing_;
  }
}

// The workers that `to` has adopted are no longer those of routers that are gone.
void FleetView::HandOver(const RouterState& to) {
  const bool adopts =
      std::any_of(to.workers.begin(), to.workers.end(), [](const WorkerSeen& w) { return w.adopted; });
  if (!adopts) return;
  for (auto& [name, router] : routers_) {
    if (&router == &to || router.present() || router.hello.region != to.hello.region) continue;
    listing_ += std::erase_if(router.workers, [&](const WorkerSeen& left) {
      return std::any_of(to.workers.begin(), to.workers.end(),
                         [&](const WorkerSeen& w) { return w.adopted && w.name == left.name; });
    });
  }
}

// Whoever names a worker of a router that is gone, as its own or as adopted, has it; so has he who names
// another one at its address, for routers know workers by that.
void FleetView::HandOverGone(const RouterState& to) {
  const auto here = [&to](const auto& entry) { return entry.second.hello.region == to.hello.region; };
  if (std::none_of(gone_.begin(), gone_.end(), here)) return;
  std::set<std::string_view> named;
  std::set<std::string_view> addresses;
  for (const WorkerSeen& worker : to.workers) {
    named.insert(worker.name);
    addresses.insert(worker.address);
  }
  for (auto& entry : gone_) {
    if (!here(entry)) continue;
    listing_ += std::erase_if(entry.second.workers, [&](const WorkerSeen& left) {
      return named.contains(left.name) || addresses.contains(left.address);
    });
  }
  std::erase_if(gone_, [](const auto& entry) { return entry.second.workers.empty(); });
}

// A worker that was unwell is in no directory, so nobody would tell the router of it.
void FleetView::KeepForgotten(Time now, const RouterState& router, const RouterReport& report) {
  const auto names = [](const std::vector<WorkerSeen>& workers, const WorkerSeen& lost) {
    return std::any_of(workers.begin(), workers.end(),
                       [&](const WorkerSeen& w) { return w.name == lost.name || w.address == lost.address; });
  };
  const auto speaks_for = [&](const RouterState& other, const WorkerSeen& lost) {
    return &other != &router && other.present() && other.hello.region == router.hello.region &&
           names(other.workers, lost);
  };
  RouterState kept;
  kept.hello.router = absl::StrCat(router.hello.router, "#adopted");
  kept.hello.region = router.hello.region;
  kept.left_at = now;
  for (const WorkerSeen& lost : router.workers) {
    if (!lost.adopted || names(report.workers, lost)) continue;
    if (std::any_of(routers_.begin(), routers_.end(),
                    [&](const auto& other) { return speaks_for(other.second, lost); }))
      continue;
    kept.workers.push_back(lost);
    kept.workers.back().healthy = false;
    kept.workers.back().adopted = false;
  }
  if (kept.workers.empty()) return;
  if (const auto before = gone_.find(kept.hello.router); before != gone_.end()) {
    for (const WorkerSeen& worker : before->second.workers) {
      if (!names(kept.workers, worker)) kept.workers.push_back(worker);
    }
  }
  std::sort(kept.workers.begin(), kept.workers.end(),
            [](const WorkerSeen& a, const WorkerSeen& b) { return a.name < b.name; });
  RestoreGone(std::move(kept));
}

RouterState* FleetView::Find(StreamId stream) {
  const auto name = streams_.find(stream);
  if (name == streams_.end()) return nullptr;
  return &routers_.find(name->second)->second;
}

bool FleetView::Report(Time now, StreamId stream, const RouterReport& report) {
  RouterState* router = Find(stream);
  if (router == nullptr) return false;
  if (router->reported_at <= router->left_at) KeepForgotten(now, *router, report);
  router->reported_at = now;
  if (std::exchange(router->silent, false)) ++listing_;
  router->active = report.table;
  router->period_s = report.period_s;
  if (router->window_s <= 0) router->window_at = now;
  router->window_s += report.period_s;
  for (const TierCounts& counts : report.tiers) AddCounts(counts, router->window[counts.tier]);
  if (!TakeOverMeasured(report.workers, router->workers)) {
    ++listing_;
    router->workers = report.workers;
  }
  HandOver(*router);
  HandOverGone(*router);
  return true;
}

void FleetView::CloseWindow(Time now, Duration report_period) {
  IdVector<RegionId, char> awaited(regions_), overdue(regions_);
  for (const auto& [name, router] : routers_) {
    if (router.window_s > 0) {
      if (now - router.window_at >= 2 * report_period) overdue[router.hello.region] = 1;
    } else if (router.present() && router.reported_at != InfinitePast()) {
      awaited[router.hello.region] = 1;
    }
  }
  for (auto& [name, router] : routers_) {
    router.taken_s = 0;
    const RegionId region = router.hello.region;
    if (router.window_s <= 0 || (awaited[region] && !overdue[region])) continue;
    for (TierId tier(0); tier != router.window.end_id(); tier = TierId(tier.index() + 1)) {
      router.rates[tier] = PerSecond(std::exchange(router.window[tier], {}), router.window_s);
    }
    router.taken_s = std::exchange(router.window_s, 0.0);
  }
}

FleetView::Roll FleetView::MakeRoll(TierId tier, std::size_t regions, const Believed& routers) {
  const auto worker_of = [&routers](const LivingWorker& w) -> const WorkerSeen& {
    return routers[w.router]->workers[w.worker];
  };
  const auto by_name_newest_first = [&](const LivingWorker& a, const LivingWorker& b) {
    const int order = worker_of(a).name.compare(worker_of(b).name);
    if (order != 0) return order < 0;
    const RouterState& router_a = *routers[a.router];
    const RouterState& router_b = *routers[b.router];
    return std::tie(router_b.reported_at, router_a.hello.router) <
           std::tie(router_a.reported_at, router_b.hello.router);
  };
  Roll roll;
  IdVector<RegionId, std::vector<LivingWorker>> seen(regions);
  for (std::uint32_t r = 0; r < routers.size(); ++r) {
    roll.believed.push_back(routers[r] != nullptr);
    if (routers[r] == nullptr) continue;
    std::vector<LivingWorker>& list = seen[routers[r]->hello.region];
    const std::size_t run = list.size();
    for (std::uint32_t w = 0; w < routers[r]->workers.size(); ++w) {
      if (routers[r]->workers[w].tier == tier) list.push_back({r, w, false});
    }
    MergeRun(list, run, by_name_newest_first);
  }
  bool twice = false;
  for (const std::vector<LivingWorker>& list : seen) {
    const WorkerSeen* last = nullptr;
    for (const LivingWorker& w : list) {
      const WorkerSeen& worker = worker_of(w);
      const bool again = last != nullptr && last->name == worker.name;
      last = &worker;
      twice = twice || again;
      if (!again) roll.living.push_back({w.router, w.worker, worker.healthy && !worker.draining});
    }
  }
  roll.twice = twice;
  return roll;
}

const std::vector<FleetView::LivingWorker>& FleetView::Living(TierId tier, std::size_t regions,
                                                              const Believed& routers) const {
  Roll& roll = rolls_[tier];
  const auto as_before = [](const RouterState* router, bool before) { return (router != nullptr) == before; };
  const bool stands =
      roll.listing == listing_ &&
      std::equal(routers.begin(), routers.end(), roll.believed.begin(), roll.believed.end(), as_before);
  if (stands) return roll.living;
  roll = MakeRoll(tier, regions, routers);
  // Of two routers that name a worker the one that spoke last is believed, whatever else stands still.
  roll.listing = roll.twice ? 0 : listing_;
  return roll.living;
}

IdVector<RegionId, char> FleetView::Reachable() const {
  IdVector<RegionId, char> reachable(regions_);
  for (const auto& [name, router] : routers_) {
    if (router.present()) reachable[router.hello.region] = 1;
  }
  return reachable;
}

IdVector<RegionId, RegionTraffic> FleetView::Collect(const Fleet& fleet, TierId tier, Time now,
                                                     Duration stale_after) const {
  const std::vector<MetricSpec>& metrics = fleet.tiers[tier].metrics;
  IdVector<RegionId, RegionTraffic> regions(fleet.world.regions.size());
  for (RegionTraffic& region : regions) region.values.resize(metrics.size());
  Believed believed;
  IdVector<RegionId, int> taken(regions.size());
  for (const auto& [name, router] : routers_) {
    RegionTraffic& region = regions[router.hello.region];
    region.reported_at = std::max(region.reported_at, router.reported_at);
    region.reachable = region.reachable || router.present();
    believed.push_back(Recent(router, now, stale_after) ? &router : nullptr);
    if (believed.back() == nullptr) continue;
    region.fresh = true;
    for (std::size_t p = 0; p < kMaxPriorities; ++p) region.demand_rps[p] += router.rates[tier].entered[p];
    for (const TargetRps& cell : router.rates[tier].sent) AddTo(region.sent_rps, cell.target, cell.rps);
    region.ran_rps += router.rates[tier].ran;
    if (router.taken_s <= 0) continue;
    // Of routers that counted over different times the mean counts: their rates are what is added up.
    region.counted_s += (router.taken_s - region.counted_s) / ++taken[router.hello.region];
  }
  const std::vector<std::size_t> told_by_busy_time = ToldByBusyTime(metrics);
  const RouterState* router = nullptr;
  RegionTraffic* region = nullptr;
  Duration report_age;
  for (const LivingWorker& living : Living(tier, regions.size(), believed)) {
    if (router != believed[living.router]) {
      router = believed[living.router];
      region = &regions[router->hello.region];
      report_age = now - router->reported_at;
    }
    const WorkerSeen& worker = router->workers[living.worker];
    const double busy_share = BusyShare(*router, worker);
    region->busy += busy_share;
    if (living.alive) AddWorker(worker, busy_share, report_age, told_by_busy_time, *region);
  }
  return regions;
}

void FleetView::Forget(Time before) {
  for (auto at = routers_.begin(); at != routers_.end();) {
    const auto router = at++;
    if (router->second.stream != 0 || router->second.left_at >= before) continue;
    ++listing_;
    RestoreGone(std::move(routers_.extract(router).mapped()));
  }
  AgeGone(before);
}

void FleetView::AgeGone(Time before) {
  IdVector<RegionId, char> looked(regions_);
  for (const auto& [name, router] : routers_) {
    if (router.present() && router.left_at < before) looked[router.hello.region] = 1;
  }
  for (auto& [name, router] : gone_) {
    if (looked[router.hello.region] == 0) continue;
    for (WorkerSeen& worker : router.workers) listing_ += std::exchange(worker.healthy, false) ? 1 : 0;
  }
  listing_ +=
      std::erase_if(gone_, [&](const auto& entry) { return entry.second.left_at < before - kGoneKept; });
}

void FleetView::RestoreGone(RouterState state) {
  // Pools are every router's own knowledge.
  std::erase_if(state.workers, [](const WorkerSeen& worker) { return worker.plain; });
  if (state.workers.empty() || gone_.size() >= kRoutersMax || routers_.contains(state.hello.router)) return;
  ++listing_;
  state.silent = false;
  state.window_s = 0;
  state.window.assign(tiers_, {});
  state.rates.assign(tiers_, {});
  std::string name = state.hello.router;
  gone_[std::move(name)] = std::move(state);
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
