// The router's machine, own region: from an admitted job to a worker that takes it.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/dispatch/backoff.h"
#include "router/dispatch/probe_round.h"
#include "router/dispatch/scheduling_delay.h"
#include "router/router_machine.h"

namespace ringway::router {
namespace {

// When nobody could even be asked, without any backoff configured, asking again at once would spin.
constexpr absl::Duration kSleepMin = absl::Milliseconds(5);
// A job without a token sleeps as long as the backoff allows, and at least this.
constexpr absl::Duration kBrokeSleepMin = absl::Milliseconds(20);
// Rounds after which any backoff has reached its cap.
constexpr int kRoundsToCap = 1000;

}  // namespace

void RouterMachine::AdmitHome(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  if (job.home_since == absl::InfinitePast()) job.home_since = turn.now;
  // In the ledger's line a burst is served gradually as it is, and a delay would only idle workers.
  if (d.spec.mode == DispatchMode::kLedger && d.client.Reachable(turn.now)) {
    AskLedger(turn, id);
    return;
  }
  if (d.may_wait() && !job.route.shed) {
    job.delay =
        dispatch::SchedulingDelay(d.spec.delay, workers_.BusyShare(job.facts.tier), d.service.mean(), rng_);
  }
  if (job.delay > absl::ZeroDuration()) {
    job.phase = JobPhase::kDelayed;
    wakes_.Set(id.index(), std::max(turn.now, std::min(turn.now + job.delay, LatestStart(job))));
    return;
  }
  StartRound(turn, id);
}

// Reserves what the next round may spend. False: neither a free first offer nor a token is left.
bool RouterMachine::TopUpReserve(JobRecord& job, absl::Time now) {
  TierState& d = tier_state(job);
  const int free_offer = job.attempts == 0 ? 1 : 0;
  const int wanted = std::min(d.spec.probes_per_round, d.spec.attempts_max - job.attempts) - free_offer;
  if (wanted > job.reserved) job.reserved += d.budget.Reserve(wanted - job.reserved, now);
  return job.reserved + free_offer > 0;
}

// Known to be idle: one that is free beside this router, or was so a moment ago.
void RouterMachine::OfferIdleOrShed(Turn& turn, JobId id) {
  const TierId tier = jobs_[id].facts.tier;
  for (const WorkerId worker : workers_.local_workers(tier)) {
    if (workers_.Idle(worker)) return OfferTo(turn, id, worker, Lease{});
  }
  for (WorkerId worker = workers_.hints(tier).Take(turn.now, rng_); worker.valid();
       worker = workers_.hints(tier).Take(turn.now, rng_)) {
    if (workers_.open(worker)) return OfferTo(turn, id, worker, Lease{});
  }
  EndShed(turn, id);
}

void RouterMachine::StartRound(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (job.route.shed) return OfferIdleOrShed(turn, id);
  TopUpReserve(job, turn.now);
  const int affordable = job.reserved + (job.attempts == 0 ? 1 : 0);
  const int left = tier_state(job).spec.attempts_max - job.attempts;
  const int width = std::max(0, std::min({tier_state(job).spec.probes_per_round, affordable, left}));
  dispatch::ChooseRound(workers_, job.facts.tier, static_cast<std::size_t>(width), turn.now, rng_, job.round);
  job.round_next = 0;
  job.round_offered = false;
  OfferNext(turn, id);
}

void RouterMachine::OfferNext(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  while (job.round_next < job.round.size() && job.attempts < d.spec.attempts_max &&
         (job.attempts == 0 || job.reserved > 0)) {
    const WorkerId worker = job.round[job.round_next++];
    if (!workers_.open(worker)) continue;  // another job of ours took it, or it left
    if (job.attempts > 0) --job.reserved;
    job.round_offered = true;
    OfferTo(turn, id, worker, Lease{});
    return;
  }
  Sleep(turn, id);
}

void RouterMachine::OfferTo(Turn& turn, JobId id, WorkerId worker, const Lease& lease) {
  JobRecord& job = jobs_[id];
  ++job.attempts;
  ++tier_state(job).counters.attempts;
  job.attempt = ++last_attempt_;
  job.worker = worker;
  job.router = RouterId();
  job.invited = false;
  job.phase = JobPhase::kOffered;
  workers_.Claim(worker, job.attempt, lease != Lease{});
  wakes_.Set(id.index(), job.facts.deadline);
  unanswered_.Set(id.index(), turn.now + offer_limit_);
  turn.actions.emplace_back(
      OfferToWorker{.job = id, .attempt = job.attempt, .worker = worker, .lease = lease});
}

// Neither taken nor refused: the worker hangs. It cannot have started, because it gets the whole job only
// after it has taken it; once the offer is over, somebody else is asked.
void RouterMachine::OnOfferSilent(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  workers_.Hung(job.worker, turn.now);
  turn.actions.emplace_back(WithdrawAttempt{.job = id,
                                            .attempt = job.attempt,
                                            .worker = job.worker,
                                            .router = RouterId(),
                                            .why = Outcome::kTimeout});
}

// Of a tier whose jobs may not wait (waitingMax 0).
void RouterMachine::EndWithoutWaiting(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  End(turn, id, Outcome::kShed,
      absl::StrCat("no worker of tier ", tier_name(job), " in ", region_name(home_),
                   " is free, and its jobs do not wait (waitingMax 0)"),
      tier_state(job).service.mean());
}

void RouterMachine::Sleep(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  job.phase = JobPhase::kDelayed;
  job.worker = WorkerId();
  if (job.route.shed) {
    EndShed(turn, id);
    return;
  }
  if (job.attempts >= d.spec.attempts_max) {
    End(turn, id, Outcome::kShed,
        absl::StrCat("no free worker of tier ", tier_name(job), " in ", region_name(home_), " after ",
                     job.attempts, " offers (", job.busy, " busy)"),
        d.service.mean());
    return;
  }
  if (!d.may_wait()) {
    EndWithoutWaiting(turn, id);
    return;
  }
  const absl::Time latest = LatestStart(job);
  if (turn.now >= latest) {
    EndTooLate(turn, id);
    return;
  }
  // Without a token it keeps its place: a worker that falls free, or a token, may still come in time.
  const bool broke = !TopUpReserve(job, turn.now);
  if (broke) ++job.broke;
  const int round = broke ? kRoundsToCap : job.rounds++;
  absl::Duration sleep = dispatch::Backoff(d.spec.backoff, d.service.mean(), round, rng_);
  if (!broke && sleep <= absl::ZeroDuration() && job.round_offered) {
    StartRound(turn, id);  // no backoff: at once; round_offered is false again, so this goes one deep
    return;
  }
  sleep = std::max(sleep, broke ? kBrokeSleepMin : kSleepMin);
  job.phase = JobPhase::kAsleep;
  d.line.Join(jobs_, id);
  wakes_.Set(id.index(), std::min(turn.now + sleep, latest));
}

void RouterMachine::OnOfferEnded(Turn& turn, JobId id, const AttemptEnded& event, Outcome for_worker) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  unanswered_.Clear(id.index());
  const bool leased = d.client.HoldsLease(id);
  d.client.End(id, for_worker, event.retry_after, d.client_actions, ContactOf(event));
  switch (event.outcome) {
    case Outcome::kTimeout:
      if (!event.answered) break;  // it did not even refuse, and cannot have started
      [[fallthrough]];
    case Outcome::kDone:
    case Outcome::kRejected:
      // A very short job: the worker's end may overtake its start.
      if (job.phase == JobPhase::kOffered && event.outcome == Outcome::kDone) MarkStarted(id, turn.now);
      Finish(turn, id, event, /*elsewhere=*/false);
      return;
    case Outcome::kBusy:
    case Outcome::kShed:
      ++job.busy;
      ++d.counters.busy;
      if (job.invited) d.freed.Refused();
      break;
    case Outcome::kFailed:
    case Outcome::kCancelled:
      break;
  }
  const bool refused = event.outcome == Outcome::kBusy || event.outcome == Outcome::kShed;
  if (!refused || !job.no_repeat.empty()) {
    if (!MayAskAgain(turn, id, event)) return;
  }
  if (!BackToStart(turn, id)) return;
  if (leased) {
    SeekAgain(turn, id);
    return;
  }
  if (!refused && job.reserved == 0) TopUpReserve(job, turn.now);
  OfferNext(turn, id);
}

bool RouterMachine::BackToStart(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (job.phase == JobPhase::kRunning) ++tier_state(job).held;
  job.phase = JobPhase::kDelayed;
  job.started = absl::InfiniteFuture();
  return StillPossible(turn, id);
}

// A worker beside this router is free. It may be beside others too, and then they take turns.
void RouterMachine::HearOfFreed(Turn& turn, WorkerId worker) {
  TierState& d = tiers_[workers_.tier(worker)];
  if (d.line.size() == 0) return;
  const absl::Duration wait = d.freed.Wait(rng_);
  if (wait <= absl::ZeroDuration()) {
    WakeOneFor(turn, worker, /*invited=*/true);
    return;
  }
  const bool pending = d.freed_at != absl::InfiniteFuture() && workers_.Idle(d.freed_worker);
  if (pending) return;  // one at a time; this one is a hint for the next round
  d.freed_worker = worker;
  d.freed_at = turn.now + wait;
}

void RouterMachine::WakeFreed(Turn& turn, TierState& d) {
  d.freed_at = absl::InfiniteFuture();
  if (workers_.Idle(d.freed_worker)) WakeOneFor(turn, d.freed_worker, /*invited=*/true);
}

// A worker fell free: the job that has waited longest gets it now, before its timer. The worker asked for it,
// so this offer is no retry and costs no token: there are no more of them than jobs that ended. `invited`: it
// may have asked others too.
void RouterMachine::WakeOneFor(Turn& turn, WorkerId worker, bool invited) {
  TierState& d = tiers_[workers_.tier(worker)];
  const JobId id = d.line.front();
  if (!id.valid()) return;
  JobRecord& job = jobs_[id];
  if (!workers_.open(worker) || job.attempts >= d.spec.attempts_max) return;
  d.line.Leave(jobs_, id);
  job.phase = JobPhase::kDelayed;
  if (!StillPossible(turn, id)) return;
  if (d.spec.mode == DispatchMode::kLedger && d.client.Reachable(turn.now)) {
    AskLedger(turn, id);  // the worker is the leader's to give
    return;
  }
  job.round.assign(1, worker);
  job.round_next = 1;
  job.round_offered = true;
  OfferTo(turn, id, worker, Lease{});
  job.invited = invited;
}

}  // namespace ringway::router
