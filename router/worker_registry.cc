#include "router/worker_registry.h"

#include <algorithm>
#include <utility>

namespace ringway::router {
namespace {

dispatch::WorkerNews NewsOf(const WorkerSaid& said) {
  using dispatch::WorkerState;
  const WorkerState known = said.busy ? WorkerState::kBusy : WorkerState::kIdle;
  return {.state = said.healthy ? known : WorkerState::kFailed, .draining = said.draining};
}

}  // namespace

void WorkerRegistry::MakeRoom(WorkerId worker) { workers_.resize(worker.index() + 1); }

void WorkerRegistry::ForgetSaid(Known& known) {
  known.healthy = known.draining = known.busy = known.broke = false;
  known.heard = known.healed = InfinitePast();
  known.busy_total = known.busy_reported = ZeroDuration();
}

// ---- what the operator says ----

void WorkerRegistry::On(Time, const LocalWorkerNamed& event, Actions& actions) {
  Set(At(event.worker), kLocal, true);
  SetOwn(event.worker, true);
  Watch(event.worker, actions);
  List(event.worker, actions);
}

// Plain HTTP servers announce nothing, so they are not watched.
void WorkerRegistry::On(Time, const PoolGiven& event, Actions& actions) {
  ++mark_;
  for (const WorkerId worker : event.workers) {
    Known& known = At(worker);
    known.mark = mark_;
    known.tier = event.tier;
    Set(known, kTierKnown, true);
    Set(known, kInPool, true);
    List(worker, actions);
  }
  for (WorkerId worker(0); worker != workers_.end_id(); worker = WorkerId(worker.index() + 1)) {
    Known& known = workers_[worker];
    if (!Has(worker, kInPool) || known.mark == mark_) continue;
    Set(known, kInPool, false);
    Set(known, kUnwell, false);
    List(worker, actions);
  }
}

void WorkerRegistry::On(Time, const PoolWorkerChecked& event, Actions& actions) {
  if (!Has(event.worker, kInPool)) return;
  Set(workers_[event.worker], kUnwell, !event.healthy);
  List(event.worker, actions);
}

// ---- what the directory says ----

void WorkerRegistry::On(Time now, const DirectoryGiven& event, Actions& actions) {
  TakeRouters(event.routers, event.partial, actions);
  actions.emplace_back(RoutersComplete{event.view});
  ++mark_;
  for (const DirectoryWorker& entry : event.workers) {
    At(entry.worker).mark = mark_;
    TakeWorker(now, entry, actions);
  }
  if (event.partial) return;
  for (WorkerId worker(0); worker != workers_.end_id(); worker = WorkerId(worker.index() + 1)) {
    if (Has(worker, kInRegion) && workers_[worker].mark != mark_) Leave(now, worker, actions);
  }
}

void WorkerRegistry::TakeRouters(const std::vector<DirectoryRouter>& routers, bool partial,
                                 Actions& actions) {
  std::vector<RouterId> named;
  std::vector<RouterId> kept;
  for (const DirectoryRouter& entry : routers) {
    named.push_back(entry.router);
    actions.emplace_back(RouterListed{entry.router, entry.region, entry.name});
  }
  std::sort(named.begin(), named.end());
  for (const RouterId router : routers_) {
    if (std::binary_search(named.begin(), named.end(), router)) continue;
    if (!partial) actions.emplace_back(RouterUnlisted{router});
    if (partial) kept.push_back(router);
  }
  named.insert(named.end(), kept.begin(), kept.end());
  std::sort(named.begin(), named.end());
  routers_ = std::move(named);
}

void WorkerRegistry::TakeWorker(Time now, const DirectoryWorker& entry, Actions& actions) {
  Known& known = At(entry.worker);
  if (!Has(entry.worker, kTierKnown) || !Has(entry.worker, kHeard)) {
    known.tier = entry.tier;
    Set(known, kTierKnown, true);
  }
  Set(known, kInRegion, true);
  Set(known, kDraining, entry.draining);
  Adopt(now, entry.worker, entry.named_here && !Has(entry.worker, kLocal), actions);
  List(entry.worker, actions);
  Watch(entry.worker, actions);
  const bool unheard = Has(entry.worker, kDrainWatched) && !Has(entry.worker, kHeard);
  if (!Has(entry.worker, kWatched) || unheard) {
    actions.emplace_back(WorkerHeard{entry.worker, {.draining = entry.draining}});
  }
}

void WorkerRegistry::Leave(Time now, WorkerId worker, Actions& actions) {
  Known& known = workers_[worker];
  if (HasAll(known, kAdopted)) {
    // It has left by this router's own report, and may come back, or has while the directory was on its way.
    // Nor does a report name one that serves a tier which the fleet does not have.
    const bool named = known.healthy && known.tier.valid();
    const bool may_return = !named || now - known.healed < kHealedUnlistedMax;
    if (may_return && now - known.heard < kAdoptedSilentMax) return;
  }
  Set(known, kInRegion, false);
  if (Has(worker, kAdopted)) {
    Set(known, kAdopted, false);
    SetOwn(worker, Has(worker, kLocal));
  }
  Watch(worker, actions);
  List(worker, actions);
}

void WorkerRegistry::Adopt(Time now, WorkerId worker, bool adopted, Actions& actions) {
  Known& known = workers_[worker];
  if (Has(worker, kAdopted) == adopted) return;
  Set(known, kAdopted, adopted);
  SetOwn(worker, adopted || Has(worker, kLocal));
  if (adopted && !HasAll(known, kHeard | kWatched)) {
    // It may be down, and come back after its own router has been forgotten: silent from now on. What it said
    // in earlier times is out of date.
    ForgetSaid(known);
    known.heard = now;
    Set(known, kHeard, false);
  } else if (adopted) {
    // Its busy time so far was the other router's to report.
    known.busy_reported = BusyTime(known, now);
  }
  actions.emplace_back(AdoptionChanged{worker, adopted});
}

void WorkerRegistry::SetOwn(WorkerId worker, bool own) {
  const auto at = std::lower_bound(own_.begin(), own_.end(), worker);
  const bool there = at != own_.end() && *at == worker;
  if (own && !there) own_.insert(at, worker);
  if (!own && there) own_.erase(at);
}

void WorkerRegistry::On(Time, const LeadershipSeen& event, Actions& actions) {
  if (!leads_.contains(event.tier)) leads_.resize(event.tier.index() + 1);
  if (std::exchange(leads_[event.tier], static_cast<char>(event.leads)) == static_cast<char>(event.leads)) {
    return;
  }
  for (WorkerId worker(0); worker != workers_.end_id(); worker = WorkerId(worker.index() + 1)) {
    if (workers_[worker].tier == event.tier) Watch(worker, actions);
  }
}

void WorkerRegistry::On(Time, const TierResolved& event, Actions& actions) {
  At(event.worker).tier = event.tier;
  workers_[event.worker].listed_tier = TierId();  // it may be another fleet's number
  Set(workers_[event.worker], kTierKnown, true);
  List(event.worker, actions, /*again=*/true);
  Watch(event.worker, actions);
}

// ---- what workers say ----

void WorkerRegistry::On(Time now, const WorkerSaid& event, Actions& actions) {
  const bool first = Hear(now, event);
  if (NamesTier(event)) TakeTier(now, event, first, actions);
  actions.emplace_back(WorkerHeard{event.worker, NewsOf(event)});
}

void WorkerRegistry::HearRepeat(Time now, const WorkerSaid& said) {
  const bool first = Hear(now, said);
  if (!NamesTier(said)) return;
  Actions unneeded;
  TakeTier(now, said, first, unneeded);
}

bool WorkerRegistry::Hear(Time now, const WorkerSaid& said) {
  Known& known = At(said.worker);
  const bool first = !HasAll(known, kHeard);
  if (first) known.busy_reported = said.busy_total;  // the rest was before us
  if ((!first || known.broke) && said.healthy && !known.healthy) known.healed = now;
  known.heard = now;
  known.broke = false;
  known.busy_total = said.busy_total;
  known.healthy = said.healthy;
  known.draining = said.draining;
  known.busy = said.busy;
  Set(known, kHeard, true);
  return first;
}

void WorkerRegistry::TakeTier(Time now, const WorkerSaid& said, bool first, Actions& actions) {
  Known& known = workers_[said.worker];
  if (!first && HasAll(known, kTierKnown) && !known.tier.valid()) known.healed = now;
  known.tier = said.tier;
  Set(known, kTierKnown, true);
  List(said.worker, actions, first);
  Watch(said.worker, actions);
}

void WorkerRegistry::On(Time, const WatchEnded& event, Actions& actions) {
  Known& known = At(event.worker);
  if (std::exchange(known.broke, true)) known.healthy = false;  // as far as anybody here can tell
  using dispatch::WorkerState;
  actions.emplace_back(
      WorkerHeard{event.worker, {.state = event.dead ? WorkerState::kFailed : WorkerState::kUnknown}});
}

// ---- what follows ----

void WorkerRegistry::List(WorkerId worker, Actions& actions, bool again) {
  Known& known = workers_[worker];
  const bool pooled = Has(worker, kInPool) && !Has(worker, kUnwell);
  const bool wanted = Has(worker, kLocal) || Has(worker, kInRegion) || pooled;
  if (wanted && !Has(worker, kTierKnown)) return;
  const bool served = wanted && known.tier.valid();
  if (wanted && !served) actions.emplace_back(TierNotServed{worker});
  const bool was = Has(worker, kListed);
  Set(known, kListed, served);
  if (!served) {
    if (was) actions.emplace_back(WorkerUnlisted{worker});
    return;
  }
  if (was && !again && std::exchange(known.listed_tier, known.tier) == known.tier) return;
  known.listed_tier = known.tier;
  actions.emplace_back(WorkerListed{worker, known.tier, Has(worker, kLocal)});
}

void WorkerRegistry::Watch(WorkerId worker, Actions& actions) {
  Known& known = workers_[worker];
  const bool here = Has(worker, kInRegion);
  const bool must = Has(worker, kLocal) || (here && (Has(worker, kAdopted) || Leads(known.tier)));
  const bool drains = here && !must && Has(worker, kDraining) &&
                      (Has(worker, kDrainWatched) || drains_watched_ < kDrainingWatchedMax);
  drains_watched_ = drains_watched_ + (drains ? 1 : 0) - (Has(worker, kDrainWatched) ? 1 : 0);
  Set(known, kDrainWatched, drains);
  const bool hint = here && !must && !drains && (Has(worker, kHint) || hints_ < watch_max_);
  hints_ = hints_ + (hint ? 1 : 0) - (Has(worker, kHint) ? 1 : 0);
  Set(known, kHint, hint);
  const bool watched = must || drains || hint;
  if (Has(worker, kWatched) == watched) return;
  Set(known, kWatched, watched);
  if (watched) {
    actions.emplace_back(WatchWorker{worker});
  } else {
    actions.emplace_back(UnwatchWorker{worker});
    // Or what was heard last, perhaps that it failed, would stand for ever.
    actions.emplace_back(WorkerHeard{worker, {.state = dispatch::WorkerState::kUnknown}});
    // It may come back with another tier, unheard: from here on the directory says which.
    Set(known, kHeard, false);
  }
}

void WorkerRegistry::Report(Time now, std::vector<WorkerReported>& report) {
  for (const WorkerId worker : own_) {
    Known& known = workers_[worker];
    if (!HasAll(known, kHeard | kWatched)) continue;
    if (report.size() >= kWorkersReportedMax) return;
    const Duration total = BusyTime(known, now);
    report.push_back({.worker = worker,
                      .tier = known.tier.valid() ? known.tier : known.listed_tier,
                      .healthy = known.healthy && known.tier.valid(),
                      .draining = known.draining,
                      .busy = known.busy,
                      .adopted = HasAll(known, kAdopted),
                      .busy_time = BusySinceReported(known, total)});
  }
}

// Less than was reported: a little, when a job ended before we heard of it; much, when the worker has started
// again.
Duration WorkerRegistry::BusySinceReported(Known& known, Duration total) {
  if (total == known.busy_reported) return ZeroDuration();  // it is idle, as most are
  if (total < known.busy_reported) {
    if (total >= known.busy_reported - kNewsPeriodMax) return ZeroDuration();
    known.busy_reported = ZeroDuration();
  }
  const Duration before = std::exchange(known.busy_reported, std::max(known.busy_reported, total));
  return std::max(ZeroDuration(), total - before);
}

}  // namespace ringway::router
