#include "router/router_machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::router {
RouterMachine::RouterMachine(const RouterSettings& settings, std::shared_ptr<const Fleet> fleet)
    : home_(settings.home),
      name_(settings.name),
      started_(settings.started),
      offer_limit_(settings.offer_limit),
      rng_(settings.seed, 0x726f75746572),
      jobs_(settings.jobs_max),
      wakes_(settings.jobs_max),
      unanswered_(settings.jobs_max),
      routes_(settings.home),
      once_(settings.once) {
  UseFleet(std::move(fleet));
}

void RouterMachine::Step(absl::Time now, const RouterEvent& event, std::vector<RouterAction>& actions) {
  std::visit([&](const auto& e) { Step(now, e, actions); }, event);
}

void RouterMachine::FinishTurn(Turn& turn) {
  // Every wake-up ends its job or sets a later one, so this is bounded by the number of jobs.
  while (wakes_.Due(turn.now)) OnWake(turn, JobId(wakes_.Pop()));
  while (unanswered_.Due(turn.now)) OnOfferSilent(turn, JobId(unanswered_.Pop()));
  // Nearly always nothing is due, so whether something is gets looked at here.
  for (TierState& d : tiers_) {
    if (d.freed_at <= turn.now) WakeFreed(turn, d);
  }
  for (TierState& d : tiers_) {
    if (d.client.NextWake() <= turn.now) d.client.Wake(turn.now, d.client_actions);
  }
  if (once_.on() && once_.NextWake() <= turn.now) once_.Wake(turn.now);
  do {
    if (!once_.actions().empty()) RunOnce(turn);
    for (TierId t(0); t != tiers_.end_id(); t = TierId(t.index() + 1)) {
      if (!tiers_[t].client_actions.empty()) RunAsks(turn, t);
      if (tiers_[t].spill_at <= turn.now) LetSpill(turn, t);
    }
  } while (!once_.actions().empty());
  if (report_at_ <= turn.now) Report(turn);
}

absl::Time RouterMachine::NextWake() const {
  absl::Time next = report_at_;
  const auto not_after = [&next](absl::Time at) {
    if (at < next) next = at;
  };
  if (!wakes_.empty()) not_after(wakes_.earliest());
  if (!unanswered_.empty()) not_after(unanswered_.earliest());
  for (const TierState& d : tiers_) {
    not_after(d.client.NextWake());
    not_after(d.freed_at);
    not_after(d.spill_at);
  }
  if (once_.on()) not_after(once_.NextWake());
  return next;
}

void RouterMachine::On(Turn&, const TimePassed&) {}

void RouterMachine::On(Turn& turn, const JobArrived& event) {
  RINGWAY_CHECK(jobs_.contains(event.job) && jobs_[event.job].phase == JobPhase::kFree);
  RINGWAY_CHECK(tiers_.contains(event.facts.tier) && event.facts.priority < kMaxPriorities);
  JobRecord& job = jobs_[event.job];
  job.Begin(event.facts);
  job.phase = JobPhase::kDelayed;
  ++jobs_live_;
  TierState& tier_state = tiers_[event.facts.tier];
  const bool line_full = tier_state.may_wait() && tier_state.held >= tier_state.spec.waiting_max;
  ++tier_state.held;
  tier_state.budget.OnArrival(turn.now);
  if (!job.facts.forwarded && tier_state.spill.OnArrival(turn.now)) tier_state.spill_at = turn.now;
  if (!job.facts.forwarded) ++tier_state.counters.entered[job.facts.priority];

  job.route = {.target = home_, .reason = "forwarded"};
  if (!job.facts.forwarded) {
    const bool may_shed = connected_ || turn.now <= controller_heard_ + kShedStands;
    job.route = routes_.Pick(job.facts.tier, job.facts.priority, rng_.Next(), may_shed);
  }
  if (draining_) {
    // To another router "busy" means: not begun, ask the next one.
    End(turn, event.job, job.facts.forwarded ? Outcome::kBusy : Outcome::kShed,
        "this router is draining; send the job to another one");
  } else if (job.facts.forwarded && !TakeIn(job)) {
    RefuseImport(turn, event.job);
  } else if (line_full) {
    End(turn, event.job, Outcome::kShed,
        absl::StrCat("the line of tier ", tier_name(job), " is full: ", tier_state.spec.waiting_max,
                     " jobs wait at this router"),
        tier_state.service.mean());
  } else if (job.route.shed && !MayBeIdleHere(turn.now, job)) {
    EndShed(turn, event.job);
  } else if (RunsOnce(job)) {
    ClaimKey(turn, event.job);
  } else if (StillPossible(turn, event.job)) {
    Dispatch(turn, event.job);
  }
}

void RouterMachine::Dispatch(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (!job.facts.forwarded && !job.route.shed) tier_state(job).counters.CountSent(job.route.target);
  if (job.route.target == home_) {
    AdmitHome(turn, id);
  } else {
    Forward(turn, id);
  }
}

void RouterMachine::On(Turn& turn, const AttemptAccepted& event) {
  if (!jobs_.contains(event.job) || jobs_[event.job].attempt != event.attempt) return;
  JobRecord& job = jobs_[event.job];
  if (job.phase != JobPhase::kOffered && job.phase != JobPhase::kForwarded) return;
  if (job.router.valid()) peers_.Answered(job.router);
  MarkStarted(event.job, turn.now);
}

void RouterMachine::MarkStarted(JobId id, absl::Time now) {
  JobRecord& job = jobs_[id];
  TierState& d = tier_state(job);
  job.phase = JobPhase::kRunning;
  job.started = now;
  unanswered_.Clear(id.index());
  if (job.router.valid()) wakes_.Set(id.index(), job.facts.deadline);
  if (std::exchange(job.invited, false)) d.freed.Taken();
  if (job.route.shed) {
    job.route = {.target = home_, .reason = kIdleAtHomeReason};
    d.counters.CountSent(home_);
  }
  d.budget.Return(std::exchange(job.reserved, 0));
  --d.held;
}

void RouterMachine::On(Turn& turn, const AttemptEnded& event) {
  if (once_.on()) once_.AttemptOver(turn.now, event.attempt);
  // The worker is free, whatever became of the job.
  bool idle = false;
  const Outcome for_worker = OutcomeForWorker(event);
  if (event.worker.valid()) {
    idle = workers_.Release(event.worker, event.attempt, for_worker, event.retry_after, turn.now,
                            ContactOf(event) == ledger::Contact::kUnreached);
  }
  if (event.router.valid()) {
    if (event.answered) {
      peers_.Answered(event.router);
    } else if (event.outcome == Outcome::kFailed) {
      peers_.Unreachable(event.router, turn.now);
    }
  }
  if (jobs_.contains(event.job) && jobs_[event.job].attempt == event.attempt && event.attempt != 0) {
    jobs_[event.job].attempt = 0;
    if (event.worker.valid()) {
      OnOfferEnded(turn, event.job, event, for_worker);
    } else {
      OnForwardEnded(turn, event.job, event);
    }
  }
  if (idle && workers_.open(event.worker)) WakeOneFor(turn, event.worker, /*invited=*/false);
}

void RouterMachine::On(Turn& turn, const ClientGone& event) {
  if (!jobs_.contains(event.job) || jobs_[event.job].phase == JobPhase::kFree) return;
  Withdraw(turn, event.job);
  End(turn, event.job, Outcome::kCancelled, "the client left");
}

void RouterMachine::On(Turn&, const RepeatRuledOut& event) {
  if (jobs_.contains(event.job)) jobs_[event.job].no_repeat = event.why;
}

void RouterMachine::OnWake(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  switch (job.phase) {
    case JobPhase::kFree:
      RINGWAY_CHECK(false);
      break;
    case JobPhase::kAsleep:
      tier_state(job).line.Leave(jobs_, id);
      [[fallthrough]];
    case JobPhase::kDelayed:
      job.phase = JobPhase::kDelayed;
      if (StillPossible(turn, id) && !TrySpill(turn, id)) Seek(turn, id);
      break;
    case JobPhase::kAsking:
      if (turn.now > LatestStart(job)) {
        EndTooLate(turn, id);
      } else {
        wakes_.Set(id.index(), AskingWake(turn.now, job));
      }
      break;
    case JobPhase::kLeaving:
      EndTooLate(turn, id);
      break;
    case JobPhase::kRecording:
    case JobPhase::kSettling:
      OnRecordingWake(turn, id);
      break;
    case JobPhase::kOffered:
    case JobPhase::kForwarded:
    case JobPhase::kRunning:
      Withdraw(turn, id);
      End(turn, id, Outcome::kTimeout,
          job.phase == JobPhase::kRunning ? "the deadline passed while the job ran"
                                          : "the deadline passed before a worker started the job");
      break;
  }
}

void RouterMachine::Withdraw(Turn& turn, JobId id) {
  JobRecord& job = jobs_[id];
  if (job.attempt == 0) return;
  turn.actions.emplace_back(
      WithdrawAttempt{.job = id, .attempt = job.attempt, .worker = job.worker, .router = job.router});
  job.withdrawn = std::exchange(job.attempt, 0);
}

// In the leader's line: the last moment to start. It moves while the job waits, with every service time
// learnt, so it is looked at twice more before it comes: a job that cannot finish any longer is not left
// waiting for an answer that was due.
absl::Time RouterMachine::AskingWake(absl::Time now, const JobRecord& job) const {
  const absl::Time latest = LatestStart(job);
  if (latest == absl::InfiniteFuture()) return latest;
  const absl::Duration takes = job.facts.deadline - latest;
  for (const int part : {4, 16}) {
    const absl::Time look = latest - takes / part;
    if (now < look) return look;
  }
  return latest + absl::Nanoseconds(1);
}

absl::Time RouterMachine::LatestStart(const JobRecord& job) const {
  if (job.facts.deadline == absl::InfiniteFuture()) return job.facts.deadline;
  return job.facts.deadline - tier_state(job).service.Within(job.facts.cost);
}

void RouterMachine::EndTooLate(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  const absl::Duration left = std::max(job.facts.deadline - turn.now, absl::ZeroDuration());
  const auto text = [](absl::Duration d) {
    return absl::FormatDuration(absl::Trunc(d, absl::Milliseconds(1)));
  };
  End(turn, id, Outcome::kTimeout,
      absl::StrCat(
          "cannot finish in time: ", text(left), " left, a job of tier ", tier_name(job), " may take ",
          text(tier_state(job).service.Within(job.facts.cost)), "; ", job.attempts, " offers made, ",
          job.busy, " busy, ", workers_.listed_workers(job.facts.tier), " workers known in ",
          region_name(home_),
          job.broke > 0 ? "; the tier's retry budget was spent: too many jobs look for a worker" : ""),
      job.broke > 0 ? tier_state(job).service.mean() : absl::ZeroDuration());
}

bool RouterMachine::StillPossible(Turn& turn, JobId id) {
  if (turn.now <= LatestStart(jobs_[id])) return true;
  EndTooLate(turn, id);
  return false;
}

bool RouterMachine::MayBeIdleHere(absl::Time now, const JobRecord& job) const {
  const TierState& d = tier_state(job);
  if (!routes_.HomeOpen(job.facts.tier)) return false;
  if (d.spec.mode == DispatchMode::kLedger && d.client.Reachable(now)) return now >= d.none_idle_until;
  return workers_.BusyShare(job.facts.tier) < 1;
}

void RouterMachine::EndShed(Turn& turn, JobId id) {
  const JobRecord& job = jobs_[id];
  End(turn, id, Outcome::kShed,
      absl::StrCat("no reachable capacity for priority ", int{job.facts.priority}, " of tier ",
                   tier_name(job), "; the routing table sheds this share, and no worker in ",
                   region_name(home_), " is idle"),
      tier_state(job).service.mean());
}

bool RouterMachine::MayAskAgain(Turn& turn, JobId id, const AttemptEnded& event) {
  JobRecord& job = jobs_[id];
  const std::string why = event.message.empty() ? "the connection broke" : event.message;
  if (!job.no_repeat.empty()) {
    End(turn, id, Outcome::kFailed,
        absl::StrCat(why, "; the job cannot be sent again: ", std::string(job.no_repeat)));
    return false;
  }
  const bool had_it = event.worker.valid() && event.outcome == Outcome::kFailed &&
                      ContactOf(event) != ledger::Contact::kUnreached;
  if (had_it) ++job.workers_failed;
  if (event.may_have_started && !job.facts.safe) {
    if (!job.facts.keyed || job.restarted) {
      End(turn, id, Outcome::kFailed,
          absl::StrCat(why, job.facts.keyed
                                ? "; it had been started again once already"
                                : "; a worker may have started the job, and without an idempotency key it is "
                                  "not started again"));
      return false;
    }
    job.restarted = true;
    return true;
  }
  if (job.workers_failed >= kWorkersFailedMax) {
    End(turn, id, Outcome::kFailed,
        absl::StrCat(why, "; ", job.workers_failed,
                     " workers failed with this job, and it is sent to no other: its input is the likelier "
                     "cause"));
    return false;
  }
  return true;
}

Outcome RouterMachine::OutcomeForWorker(const AttemptEnded& event) const {
  if (event.outcome != Outcome::kFailed || ContactOf(event) == ledger::Contact::kUnreached)
    return event.outcome;
  const bool current =
      jobs_.contains(event.job) && jobs_[event.job].attempt == event.attempt && event.attempt != 0;
  return current && jobs_[event.job].workers_failed > 0 ? Outcome::kCancelled : event.outcome;
}

void RouterMachine::End(Turn& turn, JobId id, Outcome outcome, std::string message,
                        absl::Duration retry_after, bool answered_elsewhere) {
  JobRecord& job = jobs_[id];
  RINGWAY_CHECK(job.phase != JobPhase::kFree && job.attempt == 0);
  TierState& d = tier_state(job);
  const bool ran = job.started != absl::InfiniteFuture();
  CameBack(turn, job);
  if (job.imported) --d.imports;
  if (RunsOnce(job)) once_.Drop(turn.now, id, job.withdrawn);
  if (job.phase == JobPhase::kAsleep) d.line.Leave(jobs_, id);
  LeaveSpillLine(id);
  d.client.Abandon(id, d.client_actions);
  // A lease that was granted too late has not been used.
  d.client.End(id, job.phase == JobPhase::kAsking ? Outcome::kShed : outcome, retry_after, d.client_actions);
  if (!ran) --d.held;
  d.budget.Return(std::exchange(job.reserved, 0));
  wakes_.Clear(id.index());
  unanswered_.Clear(id.index());

  const absl::Duration wait = (ran ? job.started : turn.now) - job.facts.arrived;
  const absl::Duration service = ran ? std::min(turn.now, job.finished) - job.started : absl::ZeroDuration();
  if (!answered_elsewhere) d.counters.CountEnd(outcome);
  if (ran && !job.router.valid()) {
    ++d.counters.ran;
    d.counters.held += service;
  }
  if (!answered_elsewhere && outcome == Outcome::kDone) {
    d.counters.wait += wait;
    d.counters.service += service;
    d.service.Learn(job.facts.cost, service);
  }
  turn.actions.emplace_back(EndJob{.job = id,
                                   .outcome = outcome,
                                   .retry_after = retry_after,
                                   .import_full = job.facts.forwarded && job.import_full,
                                   .message = std::move(message),
                                   .trace = {.route = job.route,
                                             .worker = job.worker,
                                             .router = job.router,
                                             .attempts = static_cast<std::uint32_t>(job.attempts),
                                             .busy = static_cast<std::uint32_t>(job.busy),
                                             .delay = job.delay,
                                             .wait = wait,
                                             .service = service,
                                             .table = routes_.version()},
                                   .result = job.facts.once ? std::move(job.result) : once::Result()});
  job.phase = JobPhase::kFree;
  --jobs_live_;
}

}  // namespace ringway::router
