// A worker's side of the slot ledger: which leases it still obeys, and the announcements that say so.
//
// Leases of one worker are totally ordered, so one number is the whole memory: the gate opens for a lease
// above its fence only, and the fence then stands at that lease. A leader raises the fence to call a lease
// back, or to tell that it was appointed; whatever was granted before and is still on its way is refused when
// it comes. Announcements are numbered from the worker's start time, so that they rise across restarts, and
// carry the fence, so that a leader knows what an "idle" has already taken into account.
//
// A fence that only a leader's word raised is a claim; a job that ran under its lease is proof. A claim that
// is kClaimMax old without proof gives way to a leader who objects, so that a mistaken or made-up fence heals
// while the worker runs; nobody objects to a true one, because its predecessors know that they were replaced.
//
// Invariants: the fence never falls below what is proven; no lease passes twice. O(1). Pure; one owner
// thread.
#ifndef RINGWAY_WORKER_LEASE_GATE_H_
#define RINGWAY_WORKER_LEASE_GATE_H_

#include <cstdint>

#include "core/lease.h"
#include "core/state.h"
#include "core/time.h"

namespace ringway {

class LeaseGate {
 public:
  static constexpr Duration kClaimMax = Seconds(60);

  explicit LeaseGate(Time started) : sequence_(static_cast<std::uint64_t>(ToUnixNanos(started))) {}

  // Whether a job under this lease may start.
  bool Opens(const Lease& lease) const { return fence_ < lease; }
  // The same; if so, neither this lease nor a lower one passes again.
  bool Pass(const Lease& lease) {
    if (!Opens(lease)) return false;
    fence_ = proven_ = lease;
    return true;
  }
  // Refuses everything at or below `upto` from now on, on somebody's word; without a time it never lapses.
  void Raise(const Lease& upto, Time now = InfiniteFuture()) {
    if (upto < fence_) return;
    fence_ = upto;
    claimed_at_ = now;
  }
  // The leader of `lease` finds itself shut out.
  void Object(Time now, const Lease& lease) {
    const bool shut_out = proven_ < lease && !Opens(lease);
    if (shut_out && now >= claimed_at_ + kClaimMax) fence_ = proven_;
  }
  const Lease& fence() const { return fence_; }
  // Of the next announcement: higher than all before.
  std::uint64_t NextSequence() { return ++sequence_; }
  std::uint64_t sequence() const { return sequence_; }

  RINGWAY_STATE(fence_, proven_, claimed_at_, sequence_)

 private:
  Lease fence_;
  Lease proven_;  // at most the fence
  Time claimed_at_ = InfinitePast();
  std::uint64_t sequence_;
};

}  // namespace ringway

#endif  // RINGWAY_WORKER_LEASE_GATE_H_
