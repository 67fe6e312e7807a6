// The router: from a job to a worker, here or in another region. A pure state machine.
//
//   arrived -> region pick -> own region: delay -> ask the ledger's leader -> granted -> running -> end
//                             (no leader)       -> round of probes -> asleep -> round ... -> running -> end
//                          -> other region: forward to one of its routers -> running -> end
//
// It sequences the decisions that live in route_choice, peer_view and dispatch/. What it guarantees, for any
// sequence of events:
//   * Each job ends exactly once, and at or before its deadline. A job that cannot finish in time any more
//     (deadline minus expected service) and that no worker has started ends at once.
//   * At most one worker or router is asked for a job at a time, and a worker holds at most one offer of this
//     router. A job is asked for again only if no worker can have started it, or, with an idempotency key,
//     once after its worker died.
//   * A job with an idempotency key runs, and is answered, only with the consent of the key's replicas.
//   * A forwarded job is served here or refused; it is never sent on.
//   * A job that the table sheds is refused only if no worker here is known to be idle.
//   * Offers are bounded: by attempts_max, kBusyAnswersMax and kWorkersFailedMax for a job, by the retry
//     budget for all. Held jobs are bounded by waiting_max for a tier and by jobs_max for all.
//   * Without a controller the last table stands; without a table jobs stay home.
//
// Probing is the dispatch of the Meta article (2024) with its cure: delay under pressure, exponential backoff
// with full jitter; plus hints, a budget and the deadline cut-off. Sleeping jobs are also woken by a worker
// that falls free beside this router: the timer is only the fallback.
//
// Complexity: O(log jobs) for each event, plus O(workers beside) for a round. Threads: one owner.
#ifndef RINGWAY_ROUTER_ROUTER_MACHINE_H_
#define RINGWAY_ROUTER_ROUTER_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "core/fleet.h"
#include "core/prefetch.h"
#include "core/rng.h"
#include "router/dispatch/wake_heap.h"
#include "router/dispatch/worker_view.h"
#include "router/job_record.h"
#include "router/once/once_machine.h"
#include "router/peer_view.h"
#include "router/route_choice.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/tier_state.h"

namespace ringway::router {

struct RouterSettings {
  RegionId home;
  std::string name = {};  // unique in its region: routers share the region's import cap in the order of names
  std::size_t jobs_max = 16384;  // JobIds are below this
  std::uint64_t seed = 1;
  // Rises from one life of this router to the next: tells its requests from those of an earlier life.
  absl::Time started = absl::UnixEpoch();
  // A worker that has neither taken nor refused an offer for so long hangs, and the job goes to another one.
  absl::Duration offer_limit = absl::Seconds(2);
  once::Settings once = {};  // no name: keys are not looked at
};

class RouterMachine {
 public:
  // `fleet` must contain the home region.
  RouterMachine(const RouterSettings& settings, std::shared_ptr<const Fleet> fleet);

  // Appends to `actions`. `now` does not run backwards.
  void Step(absl::Time now, const RouterEvent& event, std::vector<RouterAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(absl::Time now, const Event& event, std::vector<RouterAction>& actions) {
    Turn turn{now, actions};
    workers_.OpenReturned(now);
    On(turn, event);
    FinishTurn(turn);
  }
  // When Step must be called next, even if nothing happens. Later than the last Step.
  absl::Time NextWake() const;

  // Hints that an event about the job, or the worker, comes soon; change nothing.
  void Foresee(JobId job) const {
    jobs_[job].Foresee();
    wakes_.Foresee(job.index());
    unanswered_.Foresee(job.index());
  }
  void Foresee(WorkerId worker) const { workers_.Foresee(worker); }
  // What the foreseen names in turn, soon after Foresee; and what that names, soon after this.
  void ForeseeFurther(JobId job) const {
    wakes_.ForeseeFurther(job.index());
    const TierId tier = jobs_[job].facts.tier;
    if (tiers_.contains(tier)) tiers_[tier].client.Foresee(job);
  }
  void ForeseeFurther(WorkerId worker) const { workers_.ForeseeFurther(worker); }
  // A new job of the tier will ask for a slot.
  void ForeseeAsk(JobId job, TierId tier) const {
    if (tiers_.contains(tier)) tiers_[tier].client.ForeseeBegin(job);
  }
  void ForeseeLast(JobId job) const {
    const TierId tier = jobs_[job].facts.tier;
    if (tiers_.contains(tier)) tiers_[tier].client.ForeseeFurther(job);
  }

  // For screens and metrics.
  const dispatch::WorkerView& workers() const { return workers_; }
  std::size_t held(TierId tier) const { return tiers_[tier].held; }
  std::size_t jobs() const { return jobs_live_; }
  const JobRecord& job(JobId id) const { return jobs_[id]; }
  bool draining() const { return draining_; }
  TableVersion table() const { return routes_.version(); }
  std::uint64_t epoch_seen_max() const { return routes_.epoch_seen_max(); }
  double retry_balance(TierId tier) const { return tiers_[tier].budget.balance(); }
  absl::Duration service_mean(TierId tier) const { return tiers_[tier].service.mean(); }
  // Jobs of other regions that are here; and those refused since the start, because the cap was reached.
  int imports(TierId tier) const { return tiers_[tier].imports; }
  std::uint64_t imports_refused(TierId tier) const { return tiers_[tier].imports_refused; }
  const once::OnceMachine& once() const { return once_; }

 private:
  // One call of Step: its time and where its actions go.
  struct Turn {
    absl::Time now;
    std::vector<RouterAction>& actions;
  };

  // What is due by now, and what the event has set off.
  void FinishTurn(Turn& turn);

  // Jobs: arrival, clock, end (router_machine.cc).
  void On(Turn& turn, const TimePassed& event);
  void On(Turn& turn, const JobArrived& event);
  void On(Turn& turn, const AttemptAccepted& event);
  void On(Turn& turn, const AttemptEnded& event);
  void On(Turn& turn, const ClientGone& event);
  void On(Turn& turn, const RepeatRuledOut& event);
  void OnWake(Turn& turn, JobId id);
  void OnOfferSilent(Turn& turn, JobId id);
  // To its region, home or another.
  void Dispatch(Turn& turn, JobId id);
  void Withdraw(Turn& turn, JobId id);
  void End(Turn& turn, JobId id, Outcome outcome, std::string message,
           absl::Duration retry_after = absl::ZeroDuration(), bool answered_elsewhere = false);
  absl::Time LatestStart(const JobRecord& job) const;
  absl::Time AskingWake(absl::Time now, const JobRecord& job) const;
  void EndTooLate(Turn& turn, JobId id);
  bool StillPossible(Turn& turn, JobId id);
  // A job that the table sheds: whether to look for an idle worker here first.
  bool MayBeIdleHere(absl::Time now, const JobRecord& job) const;
  void EndShed(Turn& turn, JobId id);
  void OfferIdleOrShed(Turn& turn, JobId id);
  void MarkStarted(JobId id, absl::Time now);
  // The attempt is over without a result. True: the job may be offered again; false: it has been ended.
  bool MayAskAgain(Turn& turn, JobId id, const AttemptEnded& event);
  // How the end of an attempt counts for its worker: a failure of a job that failed elsewhere is the job's.
  Outcome OutcomeForWorker(const AttemptEnded& event) const;

  // Own region (router_dispatch.cc).
  void AdmitHome(Turn& turn, JobId id);
  void Seek(Turn& turn, JobId id);
  void StartRound(Turn& turn, JobId id);
  void OfferNext(Turn& turn, JobId id);
  void Sleep(Turn& turn, JobId id);
  void EndWithoutWaiting(Turn& turn, JobId id);
  bool TopUpReserve(JobRecord& job, absl::Time now);
  void OnOfferEnded(Turn& turn, JobId id, const AttemptEnded& event, Outcome for_worker);
  void SeekAgain(Turn& turn, JobId id);
  void HearOfFreed(Turn& turn, WorkerId worker);
  void WakeFreed(Turn& turn, TierState& d);
  void WakeOneFor(Turn& turn, WorkerId worker, bool invited);
  void OfferTo(Turn& turn, JobId id, WorkerId worker, const Lease& lease);
  // The attempt never was: the job is to be dispatched anew. False: it is too late and has been ended.
  bool BackToStart(Turn& turn, JobId id);

  // The tier's ledger (router_ledger.cc).
  void AskLedger(Turn& turn, JobId id);
  void RunAsks(Turn& turn, TierId tier);
  void On(Turn& turn, TierId tier, const ledger::TellLeader& tell);
  void On(Turn& turn, TierId tier, const ledger::SlotGranted& granted);
  void On(Turn& turn, TierId tier, const ledger::SlotRefused& refused);
  void On(Turn& turn, TierId tier, const ledger::LeftLine& left);
  void On(Turn& turn, TierId tier, const ledger::NoLeader& none);
  void On(Turn& turn, TierId tier, const ledger::SlotLost& lost);
  void On(Turn& turn, const LeaderAppointed& event);
  void On(Turn& turn, const LeaderAnswered& event);
  void On(Turn& turn, const LeaderHeard& event);

  // Jobs with an idempotency key (router_once.cc).
  bool RunsOnce(const JobRecord& job) const;
  void ClaimKey(Turn& turn, JobId id);
  void Finish(Turn& turn, JobId id, const AttemptEnded& event, bool elsewhere);
  void OnRecordingWake(Turn& turn, JobId id);
  void RunOnce(Turn& turn);
  void On(Turn& turn, const once::SendRequest& send);
  void On(Turn& turn, const once::AnswerCall& answer);
  void On(Turn& turn, const once::Granted& granted);
  void On(Turn& turn, const once::Attached& attached);
  void On(Turn& turn, const once::Answered& answered);
  void On(Turn& turn, const once::Refused& refused);
  void On(Turn& turn, const once::Settled& settled);
  void On(Turn& turn, const once::Unsettled& unsettled);
  void On(Turn& turn, const OnceAsked& event);
  void On(Turn& turn, const OnceReplied& event);
  void On(Turn& turn, const RoutersComplete& event);

  // Jobs that wait too long at home, and those of other regions (router_spill.cc).
  std::vector<dispatch::SpillTarget> SpillTargets(const Tier& tier) const;
  void AimSpills();
  void AimAnew(absl::Time now);
  bool TrySpill(Turn& turn, JobId id);
  void JoinSpillLine(absl::Time now, JobId id);
  void LeaveSpillLine(JobId id);
  void LetSpill(Turn& turn, TierId tier);
  void OnLeftLine(Turn& turn, JobId id);
  int ImportPart(const Tier& tier) const;
  // Counts a job of another region. False: it spilled, and this region has taken in its cap.
  bool TakeIn(JobRecord& job);
  void RefuseImport(Turn& turn, JobId id);
  void CameBack(Turn& turn, JobRecord& job);

  // Other regions (router_forward.cc).
  void Forward(Turn& turn, JobId id);
  void FallHome(Turn& turn, JobId id, std::string_view reason);
  void OnForwardEnded(Turn& turn, JobId id, const AttemptEnded& event);

  // What the router is told (router_control.cc).
  void On(Turn& turn, const WorkerListed& event);
  void On(Turn& turn, const WorkerUnlisted& event);
  void On(Turn& turn, const WorkerHeard& event);
  void On(Turn& turn, const RouterListed& event);
  void On(Turn& turn, const RouterUnlisted& event);
  void On(Turn& turn, const FleetChanged& event);
  void On(Turn& turn, const TableOffered& event);
  void On(Turn& turn, const ControllerWelcomed& event);
  void On(Turn& turn, const ControllerLost& event);
  void On(Turn& turn, const DrainChanged& event);
  void UseFleet(std::shared_ptr<const Fleet> fleet);
  void Report(Turn& turn);

  TierState& tier_state(const JobRecord& job) { return tiers_[job.facts.tier]; }
  const TierState& tier_state(const JobRecord& job) const { return tiers_[job.facts.tier]; }
  const std::string& tier_name(const JobRecord& job) const { return fleet_->tiers[job.facts.tier].name; }
  const std::string& region_name(RegionId region) const { return fleet_->world.regions[region].name; }

  RegionId home_;
  std::string name_;
  absl::Time started_;
  absl::Duration offer_limit_;
  std::map<RouterId, std::string> neighbours_;  // the other routers of this region
  bool spills_aimed_ = false;                   // at the routers and the fleet as they are now
  Rng rng_;
  std::shared_ptr<const Fleet> fleet_;
  JobArena jobs_;
  std::size_t jobs_live_ = 0;
  AttemptId last_attempt_ = 0;
  dispatch::WakeHeap wakes_;
  // When an offer counts as unanswered. Apart, because it is short and nearly always cleared: a job's place
  // among the deadlines stays where it is.
  dispatch::WakeHeap unanswered_;
  dispatch::WorkerView workers_;
  PeerView peers_;
  RouteChooser routes_;
  IdVector<TierId, TierState> tiers_;
  once::OnceMachine once_;
  bool draining_ = false;
  bool connected_ = false;  // to a controller
  absl::Time controller_heard_ = absl::InfinitePast();
  absl::Duration report_period_ = absl::Seconds(1);
  absl::Time reported_ = absl::InfinitePast();
  absl::Time report_at_ = absl::InfiniteFuture();
  std::uint64_t report_sequence_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTER_MACHINE_H_
