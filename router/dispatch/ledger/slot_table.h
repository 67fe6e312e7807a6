// What the leader knows about each worker's one slot: free, leased, taken by others, or not to be trusted.
//
//   kAbsent       never heard of, or gone
//   kUnknown      known to exist; nobody vouches for it in this appointment yet
//   kIdle         free, and in the idle list
//   kLeased       granted; timer: the lease must be renewed before it
//   kRevoking     its lease was called back; free again when the worker says that it obeyed
//   kTaken        runs a job that this ledger did not grant, or still ends one it did
//   kHeld         answered badly; timer: not granted before it
//   kQuarantined  nobody vouches for it and it announces nothing; timer: its service bound
//
// Invariants: a slot is in the idle list exactly when kIdle; it has a timer exactly in the three states named
// above; a slot becomes kLeased only from kIdle (by a grant) or from kUnknown/kQuarantined (by a router that
// presents an older lease), and each lease of a worker is higher than the one before. Free slots are granted
// longest idle first, which spreads wear and keeps a worker that fails fast from being chosen every time.
// Complexity: O(1), and O(log n) into and out of kHeld and kQuarantined. Memory grows to the highest worker
// seen and is reused. Pure.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_TABLE_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/ids.h"
#include "core/lease.h"
#include "core/time.h"
#include "router/dispatch/failure_blame.h"
#include "router/dispatch/ledger/indexed_heap.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/ledger/slot_list.h"

namespace ringway::ledger {

enum class SlotState : std::uint8_t {
  kAbsent,
  kUnknown,
  kIdle,
  kLeased,
  kRevoking,
  kTaken,
  kHeld,
  kQuarantined,
};

// One cache line.
struct alignas(64) SlotRecord {
  Lease lease;                 // current, or the last one that ended here
  std::uint64_t sequence = 0;  // of the last announcement
  Time heard;                  // when the worker last announced
  RequestKey leader;           // of the current lease; a presented one names the router only

  SlotState state = SlotState::kAbsent;
  std::uint8_t failures = 0;  // in a row
  bool cleared : 1 = false;   // idle by its last announcement, with the lease behind it
  bool leaving : 1 = false;
  bool suspected : 1 = false;  // kHeld, because it failed too often
  float fail_share = 0;        // of its answers (router/dispatch/failure_blame.h)
};

class SlotTable {
 public:
  explicit SlotTable(std::size_t workers_max) : workers_max_(workers_max) {}

  bool InRange(WorkerId worker) const { return worker.index() < workers_max_; }
  // Creates the record if there is none; the worker must be InRange.
  SlotRecord& At(WorkerId worker) {
    if (!slots_.contains(worker)) Create(worker);
    return slots_[worker];
  }
  const SlotRecord* Find(WorkerId worker) const {
    return slots_.contains(worker) ? &slots_[worker] : nullptr;
  }
  std::size_t size() const { return slots_.size(); }
  std::size_t idle() const { return idle_.size(); }
  std::size_t leased() const { return leased_.size(); }
  // The slot that has been idle longest; invalid if there is none.
  WorkerId OldestIdle() const { return idle_.Front(); }

  // The only way a state changes. Timed states take the timer's end, the others ignore it; the ends given for
  // kLeased must not fall.
  void Move(WorkerId worker, SlotState to, Time timer = InfiniteFuture());
  // What an answer says about its worker; and how often the other workers fail.
  void CountAnswer(WorkerId worker, bool failed) { baseline_.Count(failed, slots_[worker].fail_share); }
  double OthersFail(WorkerId worker) const { return baseline_.Others(slots_[worker].fail_share, present_); }
  // Of a held slot, until it moves on.
  void Suspect(WorkerId worker);
  // Slots that are not kAbsent, and those of them that rest on suspicion.
  std::size_t present() const { return present_; }
  std::size_t suspected() const { return suspected_; }
  // From kIdle; checks that the lease is higher than any before.
  void Bind(WorkerId worker, const Lease& lease, const RequestKey& leader, Time renew_by);

  // Of a leased slot.
  Time Timer(WorkerId worker) const { return links_[worker].at; }
  // A slot whose timer has ended by now; invalid: there is none. Its state is unchanged.
  WorkerId TimerEnded(Time now) const {
    const WorkerId oldest = leased_.Front();
    if (oldest.valid() && links_[oldest].at <= now) return oldest;
    if (!pauses_.empty() && pauses_.Top().key <= now) return WorkerId(pauses_.Top().id);
    return WorkerId();
  }
  Time NextTimer() const {
    const Time next = leased_.size() > 0 ? links_[leased_.Front()].at : InfiniteFuture();
    return pauses_.empty() ? next : std::min(next, pauses_.Top().key);
  }

 private:
  void Create(WorkerId worker);
  void Leave(WorkerId worker, SlotState state);
  void Enter(WorkerId worker, SlotState state, Time timer);

  IdVector<WorkerId, SlotRecord> slots_;
  SlotLinks links_;
  SlotList idle_;
  SlotList leased_;
  IndexedHeap<Time> pauses_;  // kHeld and kQuarantined
  std::size_t workers_max_;
  std::size_t present_ = 0;
  std::size_t suspected_ = 0;
  dispatch::FailureBaseline baseline_;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_SLOT_TABLE_H_
