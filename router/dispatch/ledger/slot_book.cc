#include "router/dispatch/ledger/slot_book.h"

#include "core/check.h"

namespace ringway::ledger {

SlotRecord& SlotBook::At(WorkerId worker) {
  RINGWAY_CHECK(InRange(worker));
  if (!slots_.contains(worker)) slots_.resize(worker.index() + 1);
  return slots_[worker];
}

void SlotBook::Move(WorkerId worker, SlotState to, absl::Time timer) {
  SlotRecord& slot = slots_[worker];
  if (slot.state == SlotState::kIdle && to != SlotState::kIdle) UnlinkIdle(worker, slot);
  if (slot.state != SlotState::kIdle && to == SlotState::kIdle) PushIdle(worker, slot);
  if (slot.state == SlotState::kLeased) --leased_;
  if (to == SlotState::kLeased) ++leased_;
  if (Timed(to)) {
    timers_.Set(worker.value(), absl::ToUnixNanos(timer));
  } else if (Timed(slot.state)) {
    timers_.Remove(worker.value());
  }
  slot.state = to;
}

void SlotBook::Bind(WorkerId worker, const Lease& lease, const AskKey& holder, absl::Time renew_by) {
  SlotRecord& slot = slots_[worker];
  RINGWAY_CHECK(slot.state == SlotState::kIdle);
  RINGWAY_CHECK(slot.lease < lease);
  Move(worker, SlotState::kLeased, renew_by);
  slot.lease = lease;
  slot.holder = holder;
  slot.cleared = false;
}

std::optional<WorkerId> SlotBook::TimerEnded(absl::Time now) const {
  if (timers_.empty() || timers_.Top().key > absl::ToUnixNanos(now)) return std::nullopt;
  return WorkerId(timers_.Top().id);
}

absl::Time SlotBook::NextTimer() const {
  return timers_.empty() ? absl::InfiniteFuture() : absl::FromUnixNanos(timers_.Top().key);
}

void SlotBook::PushIdle(WorkerId worker, SlotRecord& slot) {
  slot.next = WorkerId();
  slot.previous = idle_tail_;
  if (idle_tail_.valid()) {
    slots_[idle_tail_].next = worker;
  } else {
    idle_head_ = worker;
  }
  idle_tail_ = worker;
  ++idle_;
}

void SlotBook::UnlinkIdle(WorkerId worker, SlotRecord& slot) {
  RINGWAY_CHECK(idle_ > 0);
  (slot.previous.valid() ? slots_[slot.previous].next : idle_head_) = slot.next;
  (slot.next.valid() ? slots_[slot.next].previous : idle_tail_) = slot.previous;
  RINGWAY_CHECK(worker != idle_head_ && worker != idle_tail_);
  --idle_;
}

}  // namespace ringway::ledger
