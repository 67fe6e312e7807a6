// The machine of jobs, attempts: a job is offered to a worker, or forwarded to another region's router and to
// the next if that one is gone; and what becomes of it when the attempt ends.
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/jobs/job_machine.h"

namespace ringway::router {

void JobMachine::OfferTo(Turn& turn, JobId id, WorkerId worker, const Lease& lease) {
  JobRecord& job = jobs_[id];
  ++job.attempts;
  ++StateOf(job).counters.attempts;
  job.attempt = ++last_attempt_;
  job.worker = worker;
  job.router = RouterId();
  job.leased = lease != Lease{};
  job.phase = JobPhase::kOffered;
  turn.view.workers.Claim(worker, job.attempt, job.leased);
  wakes_.Set(id.index(), job.facts.deadline);
  unanswered_.Set(id.index(), turn.now + settings_.offer_limit);
  turn.actions.emplace_back(
      OfferToWorker{.job = id, .attempt = job.attempt, .worker = worker, .lease = lease});
}

void JobMachine::On(Turn& turn, const AttemptAccepted& event) {
  if (!jobs_.contains(event.job) || jobs_[event.job].attempt != event.attempt) return;
  const JobRecord& job = jobs_[event.job];
  if (job.phase != JobPhase::kOffered && job.phase != JobPhase::kForwarded) return;
  touched_ = true;
  if (job.router.valid()) turn.view.peers.Answered(job.router);
  MarkStarted(event.job, turn.now);
}

void JobMachine::MarkStarted(JobId id, Time now) {
  JobRecord& job = jobs_[id];
  TierState& d = StateOf(job);
  job.phase = JobPhase::kRunning;
  job.started = now;
  unanswered_.Clear(id.index());
  d.slots.Started(id);
  if (job.route.shed) {
    job.route = {.target = job.route.target, .reason = kIdleAtHomeReason};
    d.counters.CountSent(job.route.target);
  }
  --d.held;
}

void JobMachine::On(Turn& turn, const AttemptEnded& event) {
  const bool current =
      jobs_.contains(event.job) && jobs_[event.job].attempt == event.attempt && event.attempt != 0;
  const Outcome for_worker = current ? OutcomeForWorker(jobs_[event.job], event) : event.outcome;
  // The worker is free, whatever became of the job.
  dispatch::WorkerView& workers = turn.view.workers;
  bool idle = false;
  if (event.worker.valid()) {
    idle = workers.Release(event.worker, event.attempt, for_worker, event.retry_after, turn.now,
                           ContactOf(event) == ledger::Contact::kUnreached);
  }
  if (event.router.valid() && event.answered) turn.view.peers.Answered(event.router);
  if (event.router.valid() && !event.answered && event.outcome == Outcome::kFailed) {
    turn.view.peers.Unreachable(event.router, turn.now);
  }
  if (current) {
    touched_ = true;
    jobs_[event.job].attempt = 0;
    if (event.worker.valid()) {
      OnOfferEnded(turn, event.job, event, for_worker);
    } else {
      OnForwardEnded(turn, event.job, event);
    }
  }
  if (idle && workers.open(event.worker)) {
    TierState& d = tiers_[workers.tier(event.worker)];
    if (d.slots.Freed(At(turn, d), event.worker, /*beside=*/false)) touched_ = true;
  }
}

void JobMachine::OnOfferEnded(Turn& turn, JobId id, const AttemptEnded& event, Outcome for_worker) {
  JobRecord& job = jobs_[id];
  TierState& d = StateOf(job);
  unanswered_.Clear(id.index());
  d.slots.Ended(id, for_worker, event.retry_after, ContactOf(event));
  const bool refused = event.outcome == Outcome::kBusy || event.outcome == Outcome::kShed;
  // A timeout that the worker did not answer: it did not even refuse, and cannot have started.
  const bool final = event.outcome == Outcome::kDone || event.outcome == Outcome::kRejected ||
                     (event.outcome == Outcome::kTimeout && event.answered);
  if (final) {
    // A very short job: the worker's end may overtake its start.
    if (job.phase == JobPhase::kOffered && event.outcome == Outcome::kDone) MarkStarted(id, turn.now);
    return End(turn, id,
               {.outcome = event.outcome, .message = event.message, .retry_after = event.retry_after});
  }
  if (refused) {
    ++job.busy;
    ++d.counters.busy;
  }
  if (job.withdrawn) return End(turn, id, Unwanted());
  if (!refused || !job.no_repeat.empty()) {
    if (std::optional<std::string> why = WhyNotAgain(job, event)) {
      return End(turn, id, {.outcome = Outcome::kFailed, .message = *std::move(why)});
    }
  }
  if (!BackToStart(turn, id)) return;
  const FailedOffer failed{.leased = job.leased, .refused = refused, .busy_answers = job.busy};
  const dispatch::SlotRequest request = Line(turn, id);
  d.slots.Retry(At(turn, d), id, request, failed);
  JoinSpillLine(turn, id);
}

bool JobMachine::BackToStart(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (job.phase == JobPhase::kRunning) ++StateOf(job).held;
  job.phase = JobPhase::kAcquiring;
  job.started = InfiniteFuture();
  return StillPossible(turn, id);
}

void JobMachine::Forward(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  RouterView& view = turn.view;
  const RouterId router = job.forwards_made < kForwardsMax
                              ? view.peers.Choose(job.route.target, job.routers_tried(), turn.now, view.rng)
                              : RouterId();
  if (!router.valid()) {
    return FallHome(turn, id, job.import_full ? kImportCapReason : "target-unreachable");
  }
  if (!job.away.valid()) {
    job.away = job.route.target;
    StateOf(job).spill.Left(job.away);
  }
  job.forwarded_at = turn.now;
  job.forwards[job.forwards_made++] = router;
  job.router = router;
  job.worker = WorkerId();
  job.attempt = ++last_attempt_;
  job.phase = JobPhase::kForwarded;
  wakes_.Set(id.index(), job.facts.deadline);
  turn.actions.emplace_back(ForwardToRouter{.job = id,
                                            .attempt = job.attempt,
                                            .router = router,
                                            .route = job.route,
                                            .table = view.routes.version(),
                                            .landing = job.landing});
}

// Nobody there can be reached, or they are full: at home the job has a chance, if the tier has workers here.
void JobMachine::FallHome(Turn& turn, JobId id, std::string_view reason) {
  JobRecord& job = jobs_[id];
  const RouterView& view = turn.view;
  CameBack(turn, job, StateOf(job));
  if (std::exchange(job.landing, false)) {
    job.refused_by = job.route.target;
    ++job.landings_refused;
  }
  if (view.workers.listed_workers(job.facts.tier) == 0) {
    return End(turn, id,
               {.outcome = Outcome::kFailed,
                .message = absl::StrCat("no router of region ", view.region_name(job.route.target),
                                        " can be reached, and tier ", view.tier_name(job.facts.tier),
                                        " has no workers in ", view.region_name(view.home))});
  }
  StateOf(job).counters.MoveSent(job.route.target, view.home);
  job.route = {.target = view.home, .reason = reason};
  job.router = RouterId();
  Acquire(turn, id);
}

void JobMachine::OnForwardEnded(Turn& turn, JobId id, const AttemptEnded& event) {
  JobRecord& job = jobs_[id];
  // Whatever the other router says of the job is final, but for "busy": it has not begun.
  // A job that spilled, or was to start there at once, and was shed has only lost time: it stands in line at
  // home again.
  const bool refused_spill =
      (job.spilled || job.landing) && event.outcome == Outcome::kShed && !event.may_have_started;
  if (event.answered && event.outcome != Outcome::kBusy && !refused_spill) {
    if (job.phase == JobPhase::kForwarded && event.outcome == Outcome::kDone) MarkStarted(id, turn.now);
    return End(turn, id,
               {.outcome = event.outcome,
                .message = event.message,
                .retry_after = event.retry_after,
                .counted = false});
  }
  if (std::optional<std::string> why = WhyNotAgain(job, event)) {
    return End(turn, id, {.outcome = Outcome::kFailed, .message = *std::move(why)});
  }
  if (!BackToStart(turn, id)) return;
  if (event.import_full) {
    job.import_full = true;
    ++job.import_refusals;
  }
  if (job.import_refusals >= kImportRefusalsMax || (event.import_full && job.landing)) {
    FallHome(turn, id, kImportCapReason);
  } else if (refused_spill) {
    FallHome(turn, id, "spill-refused");
  } else {
    Forward(turn, id);
  }
}

}  // namespace ringway::router
