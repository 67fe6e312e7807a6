// Finds a slot by asking workers: the fallback of the ledger, and a mode of its own.
//
//   Begin -> scheduling delay, under pressure -> round: granted, worker by worker -> asleep -> round ...
//
// A granted worker that does not take the job is reported by Again, and the next of the round is granted.
// When the round is over the job sleeps (exponential backoff with full jitter) and then a new round is due:
// whoever owns the prober says whether there is to be one (Due, Look), because a ledger may have appeared
// meanwhile. A worker that falls free wakes the job that has waited longest, before its timer; that offer
// costs no token, because the worker asked for it. A worker may be beside many routers, and then they take
// turns (freed_turn.h).
//
// Offers are bounded by attempts_max for a job and by the retry budget for all: a job reserves what its next
// round may spend before it sleeps, and what it does not spend comes back when it starts or stops. A job
// without a token keeps its place, since a freed worker may still come.
//
// This is the dispatch of the Meta article (2024) with its cure: delay under pressure, backoff with jitter;
// plus hints, a budget and the deadline cut-off.
//
// Bounds: one entry for each JobId seen. Complexity: O(log jobs) a call, O(workers beside) a round. Pure; one
// owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_PROBER_H_
#define RINGWAY_ROUTER_DISPATCH_PROBER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"
#include "router/dispatch/freed_turn.h"
#include "router/dispatch/job_line.h"
#include "router/dispatch/retry_budget.h"
#include "router/dispatch/slot_request.h"
#include "router/dispatch/wake_heap.h"
#include "router/dispatch/worker_view.h"

namespace ringway::dispatch {

// What the prober needs of its router for the length of one call.
struct SlotTurn {
  Time now;
  WorkerView& workers;
  Rng& rng;
  Duration service_mean;
};

class Prober {
 public:
  // Of a round: a worker, why there is none, or nothing yet, because the job waits.
  using Found = std::variant<std::monostate, SlotGranted, SlotRefused>;

  Prober(TierId tier, const DispatchSpec& spec) : tier_(tier), spec_(spec), budget_(spec.budget) {}
  // New settings; balances and sleeping jobs stay.
  void Reconfigure(const DispatchSpec& spec);

  // ---- from the router's jobs ----
  // A job of the tier arrived, whoever will find its slot: it deposits in the retry budget.
  void OnArrival(Time now) { budget_.OnArrival(now); }
  // The job must not be waiting. `may_delay`: under pressure it is made executable a little later.
  [[nodiscard]] Found Begin(const SlotTurn& turn, JobId job, const SlotRequest& request, bool may_delay);
  // The worker that was granted did not take the job: the next one. `refused`: it said so; else the way to it
  // failed, and the job may reserve a token for the next at once.
  [[nodiscard]] Found Again(const SlotTurn& turn, JobId job, const SlotRequest& request, bool refused);
  // Makes a round due at `until`.
  void Pause(JobId job, const SlotRequest& request, Time until);
  // The worker that was granted has started the job.
  void Started(JobId job);
  // The worker that was granted is busy with somebody else's job.
  void Busy(JobId job);
  // The job does not look for a slot here any more. What it reserved comes back.
  void Stop(JobId job);
  // The JobId will be another job's.
  void Forget(JobId job);
  bool AnyAsleep() const { return sleepers_.size() > 0; }
  // Delayed, asleep or paused.
  bool Waits(JobId job) const { return wakes_.IsSet(job.index()); }

  // ---- time ----
  bool Due(Time now) const { return wakes_.Due(now); }
  // The job whose round is due; it waits no more. Due must hold.
  JobId TakeDue();
  [[nodiscard]] Found Look(const SlotTurn& turn, JobId job);
  Time NextWake() const { return std::min(wakes_.earliest(), freed_at_); }

  // ---- workers that fall free ----
  // A worker beside this router is free. True: it may be beside others too, and one of them goes first;
  // should it still be free in a moment, TakeTurn gives it.
  bool PutOff(const SlotTurn& turn, WorkerId worker);
  // The worker that was put off and is still free; invalid: none.
  WorkerId TakeTurn(const SlotTurn& turn);
  // The job that has waited longest; it waits no more. Invalid: nobody waits, or the worker is not open.
  JobId TakeFor(const SlotTurn& turn, WorkerId worker);
  // Gives the worker to the job that TakeFor named. `local`: others may have been asked too.
  SlotGranted Invite(JobId job, WorkerId worker, bool local);

  // ---- for people ----
  const SlotRequest& request(JobId job) const { return probes_[job].request; }
  Duration delay(JobId job) const { return probes_.contains(job) ? probes_[job].delay : ZeroDuration(); }
  // Times that the job slept because the budget had no token.
  int broke(JobId job) const { return probes_.contains(job) ? probes_[job].broke : 0; }
  double balance() const { return budget_.balance(); }

  RINGWAY_STATE(spec_, budget_, probes_, wakes_, sleepers_, turns_, freed_, freed_at_)

 private:
  struct Probe {
    SlotRequest request;
    Duration delay = ZeroDuration();
    int reserved = 0;  // tokens of the retry budget
    int rounds = 0;    // that found nobody
    int broke = 0;
    bool invited = false;         // granted to a worker that said it is free
    bool round_granted = false;   // somebody has been asked in this round
    std::vector<WorkerId> round;  // to be asked, in this order
    std::size_t round_next = 0;
    RINGWAY_STATE(request, delay, reserved, rounds, broke, invited, round_granted, round, round_next)
  };

  bool may_wait() const { return spec_.waiting_max > 0; }
  Probe& ProbeOf(JobId job);
  Found FindIdle(const SlotTurn& turn, JobId job);
  Found StartRound(const SlotTurn& turn, JobId job);
  Found NextOfRound(const SlotTurn& turn, JobId job);
  Found Sleep(const SlotTurn& turn, JobId job);
  // Reserves what the next round may spend. False: neither a free first offer nor a token is left.
  bool TopUp(Probe& probe, Time now);

  TierId tier_;
  DispatchSpec spec_;
  RetryBudget budget_;
  IdVector<JobId, Probe> probes_;
  WakeHeap wakes_{0};
  JobLine sleepers_;
  FreedTurn turns_;
  WorkerId freed_;  // that a sleeper is put off for, until
  Time freed_at_ = InfiniteFuture();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_PROBER_H_
