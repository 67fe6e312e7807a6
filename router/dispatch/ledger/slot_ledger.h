// The slot ledger of one region and tier: which job gets which free GPU, decided in one place.
//
// Held by one router that the controller appoints. Idle slots on one side, a waiting line on the other; a job
// is bound to a slot only when both are there (late binding; Sparrow, SOSP'13), and the binding is a fenced
// lease. With one registry there is nothing to collide over: any number of routers reach what one perfect
// queue would. A job's bytes never pass through the leader.
//
// Two kinds of pools. Workers that announce (our own) say when they are idle and which fence they obey: a new
// leader raises each worker's fence to its appointment first and believes "idle" only after that, so leases
// of a deposed leader die with it. Workers that announce nothing (plain HTTP servers) are known by the leases
// that the ledger grants and that routers present to it; a slot nobody vouches for is quarantined until
// `service_bound` has passed.
//
// The ledger alone decides how long a worker rests after failures, for all routers, and every rest ends by
// time: nobody else may turn its grants down for good.
//
// A job that may leave and finds no idle slot goes where a worker is believed to be idle (idle_regions.h),
// the more important first, then the oldest; refused there it has its old place in the line. A freed slot
// goes to the line first, so other regions get only what nobody here waits for.
//
// Invariants: a slot has at most one live lease (checked); an ask is granted at most once and ends granted,
// refused with a reason, redirected, or withdrawn; while a slot is idle nobody waits; a job that can no
// longer finish in time is refused at its NextWake. Complexity: O(log n) per event, O(workers + requests) for
// Appointed, Deposed and RouterGone, O(requests of the router) for RouterAway. No allocation in the steady
// state. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LEDGER_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LEDGER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lease.h"
#include "core/time.h"
#include "router/dispatch/ledger/idle_regions.h"
#include "router/dispatch/ledger/indexed_heap.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/ledger/request_table.h"
#include "router/dispatch/ledger/slot_table.h"
#include "router/dispatch/ledger/waiting_line.h"

namespace ringway::ledger {

struct LedgerSettings {
  bool workers_announce = true;
  std::size_t workers_max = 100'000;
  std::size_t routers_max = 4'096;
  std::size_t asks_per_router_max = 65'536;
  std::size_t waiting_max = 10'000;                 // 0: nobody waits
  double newest_first_at = WaitingLine::kHopeless;  // of its patience that the line's head has used
  Duration start_margin = Milliseconds(1);          // from a grant to the start on the worker
  // A lease not renewed for so long is called back. Long, because it matters only when router and worker both
  // fall silent without a connection breaking; renewals of many long jobs are most of a leader's messages.
  Duration lease_span = Seconds(15);
  // A worker that announces idle so long after its lease was granted or renewed, without having seen it, will
  // not see it: the router died in silence, and its lease is called back at once. Beyond the time that a
  // router waits for an answer to its offer.
  Duration unclaimed_max = Seconds(3);
  Duration silence_max = Seconds(5);    // a worker unheard of for so long is not granted
  Duration service_bound = Minutes(2);  // no job of a pool that announces nothing runs longer
  // What a new leader waits at most for other routers to present leases of before; the bound above covers
  // those that cannot be reached.
  Duration takeover_hold = InfiniteDuration();
  Duration abandoned_hold = Milliseconds(100);  // after a cancelled job, where nothing is announced
  // A worker that cannot be reached, or that has failed too often to blame its jobs, is held for so long;
  // doubles with each further failure in a row.
  Duration hold_first = Milliseconds(100);
  Duration hold_max = Seconds(10);
  int failures_min = 3;  // in a row, before a worker that answers is blamed (router/dispatch/failure_blame.h)
};

// For metrics and screens.
struct LedgerView {
  Fence appointment;
  bool holding = false;
  std::size_t idle = 0;
  std::size_t leased = 0;
  std::size_t resting = 0;  // held, because they failed too often
  std::size_t waiting = 0;
  std::uint64_t grants_total = 0;
  std::uint64_t revoked_total = 0;
  std::uint64_t redirected_total = 0;  // jobs that left for another region
};

class SlotLedger {
 public:
  explicit SlotLedger(const LedgerSettings& settings);

  void Step(Time now, const LedgerEvent& event, std::vector<LedgerAction>& actions);
  // The same for whoever knows which event it is, without the way through a variant.
  template <class Event>
  void Step(Time now, const Event& event, std::vector<LedgerAction>& actions) {
    On(now, event, actions);
    if (slots_.NextTimer() <= now) EndTimers(now, actions);
    if (holding_ && !line_.empty()) Match(now, actions);
  }
  // When the ledger wants a Wake; infinite future: not at all.
  Time NextWake() const {
    if (!holding_) return InfiniteFuture();
    return line_.empty() ? slots_.NextTimer() : std::min(slots_.NextTimer(), line_.NextInfeasible());
  }
  LedgerView View() const;
  bool holding() const { return holding_; }
  // What other regions may know of this one; `sequence` is for who sends it.
  IdleHint Hint() const;
  // While it hears others, the ledger decides who leaves.
  const IdleRegions& others() const { return others_; }
  const Fence& appointment() const { return appointment_; }
  // Who is first in line; nothing: nobody waits.
  std::optional<RequestKey> NextWaiting() const {
    const auto ticket = line_.Next();
    return ticket ? std::optional(asks_.At(*ticket).key) : std::nullopt;
  }
  // For checks and screens; null: never heard of.
  const SlotRecord* Slot(WorkerId worker) const { return slots_.Find(worker); }

 private:
  using Actions = std::vector<LedgerAction>;

  void On(Time now, const Appointed& appointed, Actions& actions);
  void On(Time now, const Deposed& deposed, Actions& actions);
  void On(Time now, const Acquire& acquire, Actions& actions);
  void On(Time now, const Withdraw& withdraw, Actions& actions);
  void On(Time now, const Announce& announce, Actions& actions);
  void On(Time now, const Renew& renew, Actions& actions);
  void On(Time now, const Release& release, Actions& actions);
  void On(Time now, const RouterAway& away, Actions& actions);
  void On(Time now, const RouterGone& gone, Actions& actions);
  void On(Time now, const WorkerListed& listed, Actions& actions);
  void On(Time now, const WorkerGone& gone, Actions& actions);
  void On(Time now, const AwayAimed& aimed, Actions& actions);
  void On(Time now, const HintHeard& heard, Actions& actions);
  void On(Time now, const RegionSilent& silent, Actions& actions);
  void On(Time now, const Wake& wake, Actions& actions);
  void On(Time now, const LineBounded& bounded, Actions& actions);

  // The table's choice for the job, if it can start there now.
  bool Prefers(Time now, const Acquire& acquire, Time start_by) const;
  void RedirectTo(Time now, const RequestKey& key, RegionId region, Actions& actions);
  // Lets those who wait leave for regions with idle workers, while there are both.
  void LetLeave(Time now, Actions& actions);
  // An ask whose generation has been seen before.
  void RepeatAnswer(const Acquire& acquire, const RequestEntry& entry, Actions& actions);
  void AnnouncedIdle(Time now, const Announce& announce, Actions& actions);
  void AnnouncedBusy(Time now, const Announce& announce);
  // A slot of a pool that announces nothing, of which this leader knows nothing yet.
  void Distrust(Time now, WorkerId worker);
  // The slot's lease is over and its worker is believed free.
  void Free(Time now, WorkerId worker);
  void Hold(Time now, WorkerId worker, Duration span);
  void Fail(Time now, const Release& release, Actions& actions);
  // No new grants: at once where nothing is pending on the slot, else when that has ended.
  void Leave(WorkerId worker);
  // The slot's lease is void though its router has not given it back.
  void CallBack(Time now, WorkerId worker, Actions& actions);
  void EndTimers(Time now, Actions& actions);
  void EndWaiting(Ticket ticket, RefuseReason reason, Actions& actions);
  void StopWaiting(RequestEntry& entry);
  void FreeTicket(Ticket ticket);
  // Grants while there is both a slot and a job; refuses what cannot be served any more. For a line that is
  // not empty.
  void Match(Time now, Actions& actions);
  void GrantTo(Time now, const RequestKey& key, RequestEntry& entry, WorkerId worker, Duration waited,
               Actions& actions);
  // The slot to grant next; invalid: none.
  WorkerId TakeIdle(Time now);
  void ForgetSlots(Time now, Actions& actions);

  LedgerSettings settings_;
  Fence appointment_;
  bool holding_ = false;
  bool fresh_ = false;  // the present appointment is the first ever
  std::uint64_t lease_number_ = 0;
  std::uint64_t grants_total_ = 0;
  std::uint64_t revoked_total_ = 0;
  std::uint64_t redirected_total_ = 0;
  std::uint64_t landings_ = 0;
  SlotTable slots_;
  RequestTable asks_;
  WaitingLine line_;
  IdleRegions others_;
  PerPriority<IndexedHeap<std::int64_t>> leavers_;  // of the line, those who may leave, by when they entered
  bool look_away_ = false;  // who waits, or what is believed of the others, has changed for the better
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_LEDGER_H_
