#include "router/dispatch/worker_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"

namespace ringway::dispatch {
namespace {

// A worker's own word on how long it stays busy is advice; beyond this it is asked again.
constexpr Duration kBusyBelievedMax = Seconds(10);
// Watch streams repeat the state at least once a second.
constexpr Duration kNewsBelieved = Seconds(3);
// Beyond it any hold has reached its maximum.
constexpr int kRelapsesMax = 30;
// More than convict anybody.
constexpr int kFailuresMax = 1000;

const std::vector<WorkerId> kNoWorkers;

}  // namespace

void WorkerView::MakePool(TierId tier) { pools_.resize(tier.index() + 1); }

void WorkerView::Move(WorkerId worker) {
  Entry& e = entries_[worker];
  const bool counted = e.counts();
  const bool open = counted && e.held == 0;
  const bool busy = counted && e.is_busy();
  TierPool& pool = Pool(e.tier);
  if (open && e.open_at == kNowhere) {
    e.open_at = static_cast<std::uint32_t>(pool.open.size());
    pool.open.push_back(worker);
  } else if (!open && e.open_at != kNowhere) {
    const WorkerId last = pool.open.back();
    pool.open[e.open_at] = last;
    entries_[last].open_at = e.open_at;
    pool.open.pop_back();
    e.open_at = kNowhere;
  }
  pool.listed += static_cast<std::size_t>(counted) - static_cast<std::size_t>(e.counted);
  pool.busy += static_cast<std::size_t>(busy) - static_cast<std::size_t>(e.counted_busy);
  e.counted = counted;
  e.counted_busy = busy;
}

void WorkerView::List(WorkerId worker, TierId tier, bool local) {
  RINGWAY_CHECK(worker.index() < kWorkersMax);
  if (!entries_.contains(worker)) entries_.resize(worker.index() + 1);
  if (entries_[worker].listed) {
    if (entries_[worker].tier == tier && entries_[worker].local == local) return;
    Unlist(worker);
  }
  Entry& e = entries_[worker];
  e.tier = tier;
  e.listed = true;
  e.local = local;
  e.draining = false;
  e.state = WorkerState::kUnknown;
  if (local) Pool(tier).local.push_back(worker);
  Reindex(worker);
}

void WorkerView::Unlist(WorkerId worker) {
  if (!listed(worker)) return;
  Entry& e = entries_[worker];
  e.listed = false;
  Reindex(worker);
  TierPool& pool = Pool(e.tier);
  std::erase(pool.local, worker);
  pool.hints.Forget(worker);
  std::erase(isolated_, worker);
  SetRest(e, Rest::kNone);
  pool.baseline.Forget(e.fail_share);
  const AttemptId held = e.held;
  const bool leased = e.leased;
  e = Entry();
  e.held = held;
  e.leased = leased;
}

bool WorkerView::Hear(WorkerId worker, const WorkerNews& news, Time now) {
  if (!listed(worker)) return false;
  Entry& e = entries_[worker];
  e.state = news.state;
  e.draining = news.draining;
  const bool speaks = news.state == WorkerState::kIdle || news.state == WorkerState::kBusy;
  if (e.rest == Rest::kUnreached && speaks) EndRest(worker);
  e.busy_until = news.state == WorkerState::kBusy ? now + kNewsBelieved : InfinitePast();
  Reindex(worker);
  const bool idle = e.open_at != kNowhere && news.state == WorkerState::kIdle;
  if (idle) {
    Pool(e.tier).hints.Add(worker, now);
  } else {
    Pool(e.tier).hints.Forget(worker);
  }
  return idle;
}

void WorkerView::Claim(WorkerId worker, AttemptId attempt, bool leased) {
  RINGWAY_CHECK(leased ? listed(worker) && entries_[worker].held == 0 : open(worker));
  RINGWAY_CHECK(attempt != 0);
  entries_[worker].held = attempt;
  entries_[worker].leased = leased;
  Reindex(worker);
  Pool(entries_[worker].tier).hints.Forget(worker);
}

void WorkerView::SetRest(Entry& entry, Rest rest) {
  std::size_t& suspected = Pool(entry.tier).suspected;
  suspected += static_cast<std::size_t>(rest == Rest::kSuspected) -
               static_cast<std::size_t>(entry.rest == Rest::kSuspected);
  entry.rest = rest;
}

void WorkerView::EndRest(WorkerId worker) {
  std::erase(isolated_, worker);
  SetRest(entries_[worker], Rest::kNone);
}

void WorkerView::CountFailure(WorkerId worker, bool unreached, Time now) {
  Entry& e = entries_[worker];
  if (e.rest != Rest::kNone) return;
  const TierPool& pool = Pool(e.tier);
  const std::size_t workers = pool.listed + pool.suspected;
  e.failures = static_cast<std::int16_t>(std::min<int>(e.failures + 1, kFailuresMax));
  const int convict =
      unreached ? isolation_.failures_min
                : FailuresThatConvict(pool.baseline.Others(e.fail_share, workers), isolation_.failures_min);
  if (e.failures < convict) return;
  if (!unreached && pool.suspected >= RestingMax(workers)) return;
  const Duration hold = isolation_.hold_first * std::pow(2.0, e.relapses);
  e.relapses = static_cast<std::int16_t>(std::min(e.relapses + 1, kRelapsesMax));
  --e.failures;  // one more failure during the trial is enough to isolate again
  SetRest(e, unreached ? Rest::kUnreached : Rest::kSuspected);
  e.isolated_until = now + std::min(hold, isolation_.hold_max);
  isolated_.push_back(worker);
  next_return_ = std::min(next_return_, e.isolated_until);
}

bool WorkerView::Release(WorkerId worker, AttemptId attempt, Outcome outcome, Duration busy_for, Time now,
                         bool unreached) {
  if (!entries_.contains(worker) || entries_[worker].held != attempt) return false;
  Entry& e = entries_[worker];
  e.held = 0;
  const bool leased = std::exchange(e.leased, false);
  if (!e.listed) return false;
  switch (outcome) {
    case Outcome::kBusy:
      e.busy_until = now + std::clamp(busy_for, ZeroDuration(), kBusyBelievedMax);
      break;
    case Outcome::kFailed:
      if (leased) break;
      if (!unreached) Pool(e.tier).baseline.Count(true, e.fail_share);
      CountFailure(worker, unreached, now);
      break;
    case Outcome::kDone:
      if (!leased) Pool(e.tier).baseline.Count(false, e.fail_share);
      if (e.rest != Rest::kNone) EndRest(worker);
      e.failures = 0;
      e.relapses = 0;
      e.busy_until = InfinitePast();
      if (e.state == WorkerState::kBusy) e.state = WorkerState::kUnknown;
      break;
    default:  // the job's own fate says nothing about the worker
      break;
  }
  Reindex(worker);
  const bool idle = e.open_at != kNowhere && outcome == Outcome::kDone;
  if (idle) Pool(e.tier).hints.Add(worker, now);
  return idle;
}

void WorkerView::Hung(WorkerId worker, Time now) {
  if (!listed(worker) || entries_[worker].leased) return;
  Entry& e = entries_[worker];
  e.failures = static_cast<std::int16_t>(std::max<int>(e.failures, isolation_.failures_min - 1));
  CountFailure(worker, /*unreached=*/true, now);
  Reindex(worker);
}

void WorkerView::EndRests(Time now) {
  next_return_ = InfiniteFuture();
  std::size_t kept = 0;
  for (const WorkerId worker : isolated_) {
    Entry& e = entries_[worker];
    if (now >= e.isolated_until) {
      SetRest(e, Rest::kNone);
      Reindex(worker);
    } else {
      isolated_[kept++] = worker;
      next_return_ = std::min(next_return_, e.isolated_until);
    }
  }
  isolated_.resize(kept);
}

bool WorkerView::LikelyBusy(WorkerId worker, Time now) const { return now < entries_[worker].busy_until; }

const std::vector<WorkerId>& WorkerView::open_workers(TierId tier) const {
  return pools_.contains(tier) ? pools_[tier].open : kNoWorkers;
}

const std::vector<WorkerId>& WorkerView::local_workers(TierId tier) const {
  return pools_.contains(tier) ? pools_[tier].local : kNoWorkers;
}

void WorkerView::SwapOpen(TierId tier, std::size_t i, std::size_t j) {
  std::vector<WorkerId>& open = Pool(tier).open;
  std::swap(open[i], open[j]);
  entries_[open[i]].open_at = static_cast<std::uint32_t>(i);
  entries_[open[j]].open_at = static_cast<std::uint32_t>(j);
}

double WorkerView::BusyShare(TierId tier) const {
  if (!pools_.contains(tier) || pools_[tier].listed == 0) return 0;
  return static_cast<double>(pools_[tier].busy) / static_cast<double>(pools_[tier].listed);
}

std::size_t WorkerView::listed_workers(TierId tier) const {
  return pools_.contains(tier) ? pools_[tier].listed : 0;
}

}  // namespace ringway::dispatch
