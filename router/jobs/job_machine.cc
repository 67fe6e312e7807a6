#include "router/jobs/job_machine.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ringway::router {
namespace {

// The job does not wait for the end of its attempt, if it has one.
void Withdraw(Turn& turn, JobId id, JobRecord& job) {
  if (job.attempt == 0) return;
  turn.actions.emplace_back(Withdrawal(id, job));
  job.attempt = 0;
}

}  // namespace

JobMachine::JobMachine(const JobSettings& settings, const RouterView& view)
    : settings_(settings),
      jobs_(settings.jobs_max),
      wakes_(settings.jobs_max),
      unanswered_(settings.jobs_max) {
  for (TierId t(0); t != view.fleet->tiers.end_id(); t = TierId(t.index() + 1)) {
    tiers_.push_back(TierState(t, view.fleet->tiers[t], settings_.started));
  }
}

void JobMachine::DoDue(Turn& turn) {
  if (!spills_aimed_) AimSpills(turn);
  // Answers first: a job whose slot and whose last moment come in one instant is served.
  ReadAnswers(turn);
  touched_ = false;
  wake_ = Earliest();
  if (wake_ > turn.now) return;
  const bool due = wakes_.Due(turn.now) || unanswered_.Due(turn.now);
  // Every wake-up ends its job or sets a later one, so this is bounded by the number of jobs.
  while (wakes_.Due(turn.now)) OnWake(turn, JobId(wakes_.Pop()));
  while (unanswered_.Due(turn.now)) OnOfferSilent(turn, JobId(unanswered_.Pop()));
  if (due) ReadAnswers(turn);
  LetSpill(turn);
  wake_ = Earliest();
}

void JobMachine::On(Turn& turn, const JobArrived& event) {
  touched_ = true;
  RINGWAY_CHECK(jobs_.contains(event.job) && jobs_[event.job].phase == JobPhase::kFree);
  RINGWAY_CHECK(tiers_.contains(event.facts.tier) && event.facts.priority < kMaxPriorities);
  JobRecord& job = jobs_[event.job];
  job = JobRecord();
  job.facts = event.facts;
  job.phase = JobPhase::kHeld;
  ++live_;
  TierState& d = StateOf(job);
  const bool line_full = d.may_wait() && d.held >= d.spec.waiting_max;
  ++d.held;
  d.slots.OnArrival(turn.now);

  RouterView& view = turn.view;
  job.route = {.target = view.home, .reason = "forwarded"};
  if (!job.facts.forwarded) {
    d.spill.OnArrival(turn.now);
    ++d.counters.entered[job.facts.priority];
    job.route = view.routes.Pick(job.facts.tier, job.facts.priority, view.rng.Next(),
                                 view.controller.ShedStands(turn.now));
  }
  if (view.draining) return End(turn, event.job, Draining(job));
  if (job.facts.forwarded) {
    if (!spills_aimed_) AimSpills(turn);
    job.imported = d.imports.TakeIn(job.facts.spilled);
    job.import_full = !job.imported;
    if (job.import_full) return End(turn, event.job, ImportsFull(view, d, job));
  }
  if (line_full) return End(turn, event.job, LineFull(view, d, job));
  if (job.route.shed &&
      !(view.routes.HomeOpen(job.facts.tier) && d.slots.MayBeIdle(turn.now, view.workers, job.facts.tier))) {
    return End(turn, event.job, ShedByTable(view, d, job));
  }
  const bool held = settings_.hold_keyed && job.facts.once != nullptr && !job.facts.forwarded;
  if (!held) Resume(turn, event.job);
}

void JobMachine::Resume(Turn& turn, JobId id) {
  touched_ = true;
  RINGWAY_CHECK(jobs_[id].phase == JobPhase::kHeld);
  if (StillPossible(turn, id)) Dispatch(turn, id);
}

void JobMachine::EndHeld(Turn& turn, JobId id, const Ending& ending) {
  touched_ = true;
  RINGWAY_CHECK(jobs_[id].phase == JobPhase::kHeld);
  End(turn, id, ending);
}

void JobMachine::Dispatch(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (!job.facts.forwarded && !job.route.shed) StateOf(job).counters.CountSent(job.route.target);
  // What the table balances is for the leader to decide, who knows whether a worker is idle there.
  const TierState& d = StateOf(job);
  const bool leader_decides = job.route.if_idle && MayLeave(job, d) && d.slots.LeaderRedirects(turn.now);
  if (job.route.target == turn.view.home || leader_decides) {
    Acquire(turn, id);
  } else {
    Forward(turn, id);
  }
}

void JobMachine::On(Turn& turn, const ClientGone& event) {
  if (!jobs_.contains(event.job) || jobs_[event.job].phase == JobPhase::kFree) return;
  touched_ = true;
  Withdraw(turn, event.job, jobs_[event.job]);
  End(turn, event.job, Unwanted());
}

// Its end is told when the attempt is over, so that whoever hears it knows that nothing runs any more.
void JobMachine::On(Turn& turn, const JobWithdrawn& event) {
  if (!jobs_.contains(event.job) || jobs_[event.job].phase == JobPhase::kFree) return;
  touched_ = true;
  JobRecord& job = jobs_[event.job];
  if (job.attempt == 0) return End(turn, event.job, Unwanted());
  if (std::exchange(job.withdrawn, true)) return;
  turn.actions.emplace_back(Withdrawal(event.job, job));
}

void JobMachine::On(Turn&, const RepeatRuledOut& event) {
  if (jobs_.contains(event.job)) jobs_[event.job].no_repeat = event.why;
}

void JobMachine::On(Turn& turn, const WorkerListed& event) {
  if (!event.local || !turn.view.workers.open(event.worker)) return;
  TierState& d = tiers_[event.tier];
  if (d.slots.Freed(At(turn, d), event.worker, /*beside=*/true)) touched_ = true;
}

void JobMachine::On(Turn& turn, const WorkerHeard& event) {
  dispatch::WorkerView& workers = turn.view.workers;
  const bool idle = workers.Hear(event.worker, event.news, turn.now);
  // Every router of the region hears of an idle worker; if all of them woke a job for it, all but one would
  // find it busy. The one beside it goes first; where it is beside many, they take turns.
  if (!idle || !workers.local(event.worker)) return;
  TierState& d = tiers_[workers.tier(event.worker)];
  if (d.slots.Freed(At(turn, d), event.worker, /*beside=*/true)) touched_ = true;
}

void JobMachine::On(Turn& turn, const LeaderAppointed& event) {
  touched_ = true;
  tiers_[event.tier].slots.Follow(turn.now, event.leader);
}

void JobMachine::On(Turn& turn, const LeaderAnswered& event) {
  touched_ = true;
  tiers_[event.tier].slots.Hear(turn.now, event.answer);
}

void JobMachine::On(Turn& turn, const LeaderHeard& event) {
  touched_ = true;
  TierState& d = tiers_[event.tier];
  d.slots.HearAlive(turn.now, event.again, event.redirects);
  d.spill.Suspend(turn.now, event.redirects);
}

void JobMachine::On(Turn& turn, const FleetChanged& event) {
  for (TierId t(0); t != event.fleet->tiers.end_id(); t = TierId(t.index() + 1)) {
    if (tiers_.contains(t)) {
      tiers_[t].Reconfigure(event.fleet->tiers[t]);
    } else {
      tiers_.push_back(TierState(t, event.fleet->tiers[t], settings_.started));
    }
  }
  Reaim(turn.now);
}

void JobMachine::Reaim(Time now) {
  touched_ = true;
  spills_aimed_ = false;
  for (TierState& d : tiers_) d.spill.LookAgain(now);
}

void JobMachine::OnWake(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  switch (job.phase) {
    case JobPhase::kFree:
    case JobPhase::kHeld:
      RINGWAY_CHECK(false);
      break;
    case JobPhase::kAcquiring:
      if (job.leaving || turn.now > latest_start(id)) return EndTooLate(turn, id);
      wakes_.Set(id.index(), NextLook(turn.now, job, StateOf(job).service));
      break;
    case JobPhase::kOffered:
    case JobPhase::kForwarded:
    case JobPhase::kRunning:
      Withdraw(turn, id, job);
      End(turn, id,
          {.outcome = Outcome::kTimeout,
           .message = job.ran() ? "the deadline passed while the job ran"
                                : "the deadline passed before a worker started the job"});
      break;
  }
}

// It cannot have started, because it gets the whole job only after it has taken it; once the offer is over,
// somebody else is asked.
void JobMachine::OnOfferSilent(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  turn.view.workers.Hung(job.worker, turn.now);
  turn.actions.emplace_back(Withdrawal(id, job, Outcome::kTimeout));
}

void JobMachine::EndTooLate(Turn& turn, JobId id) {
  const TierState& d = StateOf(jobs_[id]);
  End(turn, id, TooLate(turn.view, d, jobs_[id], d.slots.broke(id), turn.now));
}

bool JobMachine::StillPossible(Turn& turn, JobId id) {
  if (turn.now <= latest_start(id)) return true;
  EndTooLate(turn, id);
  return false;
}

void JobMachine::End(Turn& turn, JobId id, Ending ending) {
  JobRecord& job = jobs_[id];
  RINGWAY_CHECK(job.phase != JobPhase::kFree && job.attempt == 0);
  TierState& d = StateOf(job);
  CameBack(turn, job, d);
  if (job.imported) --d.imports.inside;
  if (!job.ran()) --d.held;
  const Duration wait = (job.ran() ? job.started : turn.now) - job.facts.arrived;
  const Duration service = job.ran() ? turn.now - job.started : ZeroDuration();
  const Duration delay = d.slots.delay(id);
  d.spill.Leave(id);
  // A lease that was granted too late has not been used.
  d.slots.Forget(id, job.phase == JobPhase::kAcquiring ? Outcome::kShed : ending.outcome, ending.retry_after);
  wakes_.Clear(id.index());
  unanswered_.Clear(id.index());

  if (ending.counted) d.counters.CountEnd(ending.outcome);
  if (!job.facts.forwarded) d.counters.CountOwnEnd(ending.outcome);
  if (job.ran() && !job.router.valid()) {
    ++d.counters.ran;
    d.counters.held += service;
  }
  if (ending.counted && ending.outcome == Outcome::kDone) {
    d.counters.wait += wait;
    d.counters.service += service;
    d.service.Learn(job.facts.cost, service);
  }
  EndJob& end = std::get<EndJob>(turn.actions.emplace_back(std::in_place_type<EndJob>));
  end.job = id;
  end.outcome = ending.outcome;
  end.retry_after = ending.retry_after;
  end.import_full = job.facts.forwarded && job.import_full;
  end.message = std::move(ending.message);
  end.trace = {.route = job.route,
               .worker = job.worker,
               .router = job.router,
               .attempts = static_cast<std::uint32_t>(job.attempts),
               .busy = static_cast<std::uint32_t>(job.busy),
               .delay = delay,
               .wait = wait,
               .service = service,
               .table = turn.view.routes.version()};
  job.phase = JobPhase::kFree;
  --live_;
}

IdVector<TierId, TierCounts> JobMachine::TakeCounts() {
  IdVector<TierId, TierCounts> counts;
  for (TierState& d : tiers_) counts.push_back({.counters = d.counters.Take(), .waiting = d.held});
  return counts;
}

}  // namespace ringway::router
