// From an admitted job to a worker, here or in another region, and to its one end.
//
//   arrived -> region pick -> own region: acquire a slot -> offered -> running -> end
//                          -> other region: forward to one of its routers -> running -> end
//
// It sequences decisions that are made elsewhere: which region (route_choice), which worker (slot_source),
// who spills and where to (spill_line, imports), which router there (peer_view), whether a job is sent again
// (job_record). What it guarantees, for any sequence of events:
//   * Each job ends exactly once, and at or before its deadline. A job that cannot finish in time any more
//     (deadline minus expected service) and that no worker has started ends at once.
//   * At most one worker or router is asked for a job at a time, and a worker holds at most one offer of this
//     router. A job is asked for again only if no worker can have started it, or, with an idempotency key,
//     once after its worker died.
//   * A forwarded job is served here or refused; it is never sent on.
//   * A job that the table sheds is refused only if no worker here is known to be idle.
//   * Offers are bounded: by attempts_max, kBusyAnswersMax and kWorkersFailedMax for a job, by the retry
//     budget for all. Jobs are bounded by waiting_max for a tier and by jobs_max for all.
//
// Jobs with an idempotency key are held after admission, for whoever decorates this machine to Resume or
// EndHeld them (keyed_jobs.h).
//
// Complexity: O(log jobs) for each event, plus O(workers beside) for a round of probes. One owner thread.
#ifndef RINGWAY_ROUTER_JOBS_JOB_MACHINE_H_
#define RINGWAY_ROUTER_JOBS_JOB_MACHINE_H_

#include <algorithm>
#include <cstddef>

#include "core/state.h"
#include "core/time.h"
#include "router/dispatch/wake_heap.h"
#include "router/jobs/job_ending.h"
#include "router/jobs/job_record.h"
#include "router/jobs/tier_state.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/routes/router_view.h"

namespace ringway::router {

struct JobSettings {
  std::size_t jobs_max = 16384;  // JobIds are below this
  Time started = UnixEpoch();
  Duration offer_limit = Seconds(2);
  bool hold_keyed = false;  // jobs with a key wait in kHeld
};

// The turn as the tier's slot source sees it.
inline SlotTurn At(Turn& turn, const TierState& tier) {
  return {turn.now, turn.view.workers, turn.view.rng, tier.service.mean()};
}

// A job that may be sent to another region that has an idle worker.
inline bool MayLeave(const JobRecord& job, const TierState& tier) {
  return job.may_leave() && tier.spec.spill.share > 0;
}

// Of its attempt, which there is.
inline WithdrawAttempt Withdrawal(JobId id, const JobRecord& job, Outcome why = Outcome::kCancelled) {
  return {.job = id, .attempt = job.attempt, .worker = job.worker, .router = job.router, .why = why};
}

// What this router learns from a job that was away: how long it waited there, or that it was not taken.
void CameBack(const Turn& turn, JobRecord& job, TierState& tier);

class JobMachine {
 public:
  JobMachine(const JobSettings& settings, const RouterView& view);

  // What is due by now, and what the last event has set off. After every event.
  void Finish(Turn& turn) {
    if (touched_ || wake_ <= turn.now) DoDue(turn);
  }
  Time NextWake() const { return touched_ ? Earliest() : wake_; }

  // ---- events (job_machine.cc, job_attempts.cc) ----
  void On(Turn& turn, const JobArrived& event);
  void On(Turn& turn, const AttemptAccepted& event);
  void On(Turn& turn, const AttemptEnded& event);
  void On(Turn& turn, const ClientGone& event);
  void On(Turn& turn, const JobWithdrawn& event);
  void On(Turn& turn, const RepeatRuledOut& event);
  void On(Turn& turn, const WorkerListed& event);
  void On(Turn& turn, const WorkerHeard& event);
  void On(Turn& turn, const LeaderAppointed& event);
  void On(Turn& turn, const LeaderAnswered& event);
  void On(Turn& turn, const LeaderHeard& event);
  void On(Turn& turn, const FleetChanged& event);
  // There are other routers, or another fleet: whoever waits may go where nobody could before.
  void Reaim(Time now);

  // ---- for whoever sees to keys ----
  // The job, in kHeld, goes on; or ends.
  void Resume(Turn& turn, JobId id);
  void EndHeld(Turn& turn, JobId id, const Ending& ending);

  // ---- what it knows ----
  const JobRecord& job(JobId id) const { return jobs_[id]; }
  Time latest_start(JobId id) const { return LatestStart(jobs_[id], tiers_[jobs_[id].facts.tier].service); }
  std::size_t live() const { return live_; }
  const TierState& tier(TierId tier) const { return tiers_[tier]; }
  // The counts since the last call.
  IdVector<TierId, TierCounts> TakeCounts();

  RINGWAY_STATE(jobs_, live_, last_attempt_, wakes_, unanswered_, tiers_, spills_aimed_)

 private:
  void DoDue(Turn& turn);
  // Of all that wakes it up.
  Time Earliest() const {
    Time next = std::min(wakes_.earliest(), unanswered_.earliest());
    for (const TierState& d : tiers_) next = std::min({next, d.slots.NextWake(), d.spill.NextWake()});
    return next;
  }
  // ---- a job's course (job_machine.cc) ----
  void Dispatch(Turn& turn, JobId id);
  void OnWake(Turn& turn, JobId id);
  // Neither taken nor refused: the worker hangs.
  void OnOfferSilent(Turn& turn, JobId id);
  void End(Turn& turn, JobId id, Ending ending);
  void EndTooLate(Turn& turn, JobId id);
  bool StillPossible(Turn& turn, JobId id);
  TierState& StateOf(const JobRecord& job) { return tiers_[job.facts.tier]; }

  // ---- slots of the own region (job_slots.cc) ----
  // Returns the request with which the job, now in kAcquiring, waits.
  dispatch::SlotRequest Line(Turn& turn, JobId id);
  void Acquire(Turn& turn, JobId id);
  void ReadAnswers(Turn& turn);
  void OnAnswer(Turn& turn, TierId tier, SlotSource::Answer& answer);
  void OnGranted(Turn& turn, const dispatch::SlotGranted& granted);
  void OnRefused(Turn& turn, const dispatch::SlotRefused& refused);
  // Not here: it starts in another region, or comes back.
  void OnElsewhere(Turn& turn, const dispatch::SlotElsewhere& elsewhere);
  // ---- spilling (job_slots.cc) ----
  void AimSpills(Turn& turn);  // unless spills_aimed_
  void LetSpill(Turn& turn);
  void JoinSpillLine(Turn& turn, JobId id);
  // True: the job is on its way out.
  bool TrySpill(Turn& turn, JobId id);

  // ---- attempts (job_attempts.cc) ----
  void OfferTo(Turn& turn, JobId id, WorkerId worker, const Lease& lease);
  void MarkStarted(JobId id, Time now);
  void OnOfferEnded(Turn& turn, JobId id, const AttemptEnded& event, Outcome for_worker);
  // The attempt never was: the job is to be dispatched anew. False: it may not be, and has been ended.
  bool BackToStart(Turn& turn, JobId id);
  void Forward(Turn& turn, JobId id);
  void FallHome(Turn& turn, JobId id, std::string_view reason);
  void OnForwardEnded(Turn& turn, JobId id, const AttemptEnded& event);

  JobSettings settings_;
  JobArena jobs_;
  std::size_t live_ = 0;
  AttemptId last_attempt_ = 0;
  dispatch::WakeHeap wakes_;
  // When an offer counts as unanswered. Apart, because it is short and nearly always cleared: a job's place
  // among the deadlines stays where it is.
  dispatch::WakeHeap unanswered_;
  IdVector<TierId, TierState> tiers_;
  bool spills_aimed_ = false;  // at the routers and the fleet as they are now
  // What follows from the above is known: there is nothing to do before `wake_`. Most news of workers, which
  // are a third of all events, change nothing here.
  bool touched_ = true;
  Time wake_ = InfiniteFuture();
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_JOB_MACHINE_H_
